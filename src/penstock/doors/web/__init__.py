"""The approval page: pending changes, the lines they would remove, and the answer, in a browser.

`app` puts it together, `middleware` says who gets in, `answers` takes what a person decides,
`pages` are the pages, `api` is the same for programs, `live_events` keeps pages up to date.
Enter by `app.make_app`.
Imported by: `cli.serve` and `cli.demo`.
Always true: what an agent wrote is shown as text and never as markup; nothing is written
without the approver's key.
"""
