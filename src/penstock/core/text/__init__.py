"""Text and bytes as people see them: lines, line endings, hidden characters, secrets.

`lines` reads content in blocks; `display`, `invisible`, `homoglyphs` and `deception` show what
could mislead a reviewer; `redact` removes secrets before anything is logged, by the forms of
`token_formats` and `secret_forms`.
Enter by `lines`, `display` and `quantities`.
Imported by: most of `core` and the doors.
Always true: nothing that hides from a reader stays hidden.
"""
