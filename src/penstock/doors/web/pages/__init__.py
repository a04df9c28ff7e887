"""The HTML pages and the forms that post to them.

`queue` lists what is pending (`inbox` finds and orders it), `review` shows a proposal,
`answer_forms` takes an answer, `history` undoes, `decisions` looks back, `runs` isolated runs;
the `*_values` modules hold what templates print. Which address leads where is in `doors.web.app`.
Enter by `review`.
Imported by: `doors.web.app`.
Always true: a form carries the digests of what was shown, and an answer counts for these alone.
"""
