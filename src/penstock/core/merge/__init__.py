"""Other ways to combine new content with a file than replacing it.

`strategies` has append, insert, extend, replace and chosen hunks; `three_way` rebases a proposal
onto a file that has changed; `extend/` adds missing functions and classes to a Python module.
Enter by `strategies.combine` and `three_way.rebase`.
Imported by: `gate` and the doors that offer a strategy.
Always true: the result is new content that is measured, judged and shown again.
"""
