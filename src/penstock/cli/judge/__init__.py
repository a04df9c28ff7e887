"""`penstock judge`: test what the rules say about a tool call, one or a stream of them.

Enter by `command`; `call` reads the question, `batch` a stream (with `workers` where it is long),
`document` is the JSON answer.
Imported by: `penstock.cli.lazy`.
Always true: nothing is recorded, and nothing is run.
"""
