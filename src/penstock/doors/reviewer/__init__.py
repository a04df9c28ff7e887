"""The rule reviewer's door: operations on rules files as JSON, answers as JSON.

`asked` reads the command, `planning` makes the edit in memory, `apply` carries it out, and
`answers` has the documents. What is learnt from decisions is `learning`'s and `query`'s.
Always true: nothing here touches a disk; that is `penstock.app.rule_edits`'.
"""
