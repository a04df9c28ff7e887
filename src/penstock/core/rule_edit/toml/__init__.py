"""TOML as text: blocks of whole lines read, values written, list elements added.

Enter by `blocks`; they are cut where `core.rules.toml_positions` found headers.
Imported by: `core.rule_edit` alone.
Always true: what is not understood is refused, never rewritten.
"""
