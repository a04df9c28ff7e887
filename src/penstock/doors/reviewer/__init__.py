"""The rule reviewer's door: operations on rules files as JSON, answers as JSON.

`arguments` reads the command, `plan` makes the edit in memory, `apply` carries it out, and
`responses` has the documents. What is learnt from decisions is `learning`'s and `query`'s.
Enter by `apply_command` and `query_command`.
Imported by: `cli` and `penstock.reviewer`.
Always true: nothing here touches a disk; that is `penstock.app.rule_edits`'.
"""
