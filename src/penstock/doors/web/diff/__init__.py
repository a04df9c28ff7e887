"""A change as the page shows it: rows, marked words, pictures and binary files.

Enter by `file`; `comparison` and `rows` make the rows, `markup` the HTML, `cache` keeps it;
`options` are what a reader chose, `regions` the lines that an agent points at.
Imported by: `doors.web.pages` and `doors.web.request`.
Always true: what an agent wrote is escaped, and hidden characters are made visible.
"""
