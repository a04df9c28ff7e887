"""Flags on a change: what in its new lines, its name or its mode a person should look at.

`find.flags` asks every check; `sign` searches tables of signs in the lines that come, and each
other module has one table or one check. The flag itself is `core.proposals.flag`.
Enter by `find.flags`.
Imported by: `core.review.assess`.
Always true: only lines that come count, or lines that go where that is the point; bytes of pictures
and programs are not read as text; time grows with the change, and what is not read is told.
"""
