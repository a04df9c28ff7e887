"""A shell command followed on paper: which files it would write, read or remove.

`syntax/` parses, `follow` walks the commands with a `state`, `command/` carries out each of them,
`expansion` says what words stand for, `programs/` knows what programs do with their arguments,
`code/` reads one-liners of other languages. `fallback_scan` looks at what could not be parsed.
Enter by `analyze`.
Imported by: `core.tools` and `core.learning`.
Always true: it runs nothing; what cannot be predicted is said to be so; work is bounded.
"""
