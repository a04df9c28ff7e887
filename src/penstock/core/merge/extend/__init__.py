"""Add what is missing to a Python module: imports, functions, classes, methods.

`plan` says what joins where and what clashes, `placement` splices the text, `proof` checks that
everything old and new is in the result.
Enter by `extend.extend`.
Imported by: `core.merge.strategies` alone.
Always true: every byte of the old module stays; what cannot be proven is refused.
"""
