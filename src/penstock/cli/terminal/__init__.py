"""What commands share at a terminal: output, questions, diffs, the pager, the proof of a person.

Enter by `output`.
Imported by: the commands, in every package beside this one.
Always true: without a terminal nothing is asked and nothing is paged; what a terminal would obey
is written out.
"""
