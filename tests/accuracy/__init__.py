"""How often the presets answer rightly: `python -m tests.accuracy`, or `make accuracy`.

Enter by `__main__`. `corpus` reads labelled calls, `place` makes the project that a call needs,
`verdicts` has the real judge answer, `rates` counts, `page` writes docs/reference/accuracy.md.
The calls are in `tests/corpus/`, which says how a line looks.
"""
