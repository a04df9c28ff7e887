"""The HTML pages and the forms that post to them.

Enter by `review`, which shows a proposal; the addresses are in `doors.web.app`.
`answer_forms` takes an answer, `history` undoes, `decisions` looks back; the `*_values` modules
hold what templates print.
Imported by: `doors.web.app`.
Always true: a form carries the digests of what was shown, and an answer counts for these alone.
"""
