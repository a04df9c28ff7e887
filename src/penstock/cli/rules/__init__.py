"""Commands for rules: check, add, explain, allow for a while, learn from past decisions.

Enter by the module that is named like the command, `group` for `penstock rules`.
Imported by: `penstock.cli.lazy`, one module for each call, and `penstock.reviewer`.
Always true: a change that loosens the rules is confirmed by a person.
"""
