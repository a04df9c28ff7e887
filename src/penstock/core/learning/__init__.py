"""What past decisions teach: which rules would save questions, and what a rule edit would change.

`past_decision` is one decision as a value; `replay` asks two policies about it; `clusters`,
`risk` and `suggest` turn many of them into rules; `coverage` says what one rule matches, and
`report` what was stopped.
Enter by `suggest.suggest` and `impact`.
Imported by: `doors.reviewer`; `past_decision` also by `stores.decisions`, `app` and `doors.web`.
Always true: a suggested rule carries the examples it came from, and never allows what a person
refused.
"""
