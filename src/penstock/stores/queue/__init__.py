"""Proposals and their contents on disk: SQLite for the rows, content-addressed blobs.

`sqlite` is the Proposals port and `blobs` the Blobs port; `before_images` and `observations` keep
what agents' own writes replaced.
Enter by `sqlite`.
Imported by: `app`; `before_images` by the hook's fast path.
Always true: a row changes only by the table of transitions, and a blob is what its digest says.
"""
