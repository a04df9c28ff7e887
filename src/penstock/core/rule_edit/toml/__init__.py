"""TOML as text: blocks of whole lines read, values written, list elements added.

Enter by `blocks`; where headers stand is read by `core.rules.toml_positions`.
Imported by: `core.rule_edit` alone.
Always true: what is not understood is refused, never rewritten.
"""
