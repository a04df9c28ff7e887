"""TOML as text: blocks of whole lines read, values written, list elements added.

Enter by `blocks`; `read` is the quick reader that agrees with tomllib.
Imported by: `core.rule_edit` alone.
Always true: what is not understood is refused, never rewritten.
"""
