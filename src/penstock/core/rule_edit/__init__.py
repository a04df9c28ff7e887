"""An edit of a rules file: operation in, new text out, every other byte kept.

`operation` and `operation_json` say what is wanted, `plan` turns it into `steps`, `on_text` and
`on_values` each carry out every step, and both must agree; `validate`, `warnings` and `widening`
say whether the result is good. `toml/` reads and writes the text itself.
Enter by `edit`.
Imported by: `doors.reviewer`, and `gate.versions` for `summary`.
Always true: parsing the edited text gives exactly the edited values, and comments stay in place.
"""
