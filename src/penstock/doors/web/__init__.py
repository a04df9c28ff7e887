"""The approval page: what waits, what would be lost, and a person's answer, in a browser.

`app` puts it together, `admitted` says who gets in, `answers` takes what a person decides,
`views` are the pages, `api` is the same for programs, `events` keeps pages up to date.
Always true: what an agent wrote is shown as text and never as markup; nothing is written
without the approver's key.
"""
