"""Other content than was proposed: of one file, or of the files of a set together.

`one_file` combines, selects hunks, edits and rebases; `whole_set` does it for some or all files of
a set in one step.
Enter by `one_file.Reviser` and `whole_set.SetReviser`.
Imported by: `gate`.
Always true: a new version is a new proposal, judged and shown again; what it replaces is closed in
the same step.
"""
