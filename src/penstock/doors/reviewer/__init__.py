"""The rule reviewer's door: operations on rules files as JSON, answers as JSON.

`arguments` reads the command, `plan` makes the edit in memory, `apply` carries it out, and
`responses` has the documents. `query` (with its `query_*` neighbours) and `learning` answer
questions about rules and past decisions.
Enter by `apply_command` and `query_command`.
Imported by: `cli`.
Always true: nothing here touches a disk; `penstock.app.rule_edits` does.
"""
