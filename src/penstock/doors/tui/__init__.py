"""The full screen: the queue and what each proposal would change, answered by keys.

`diff_rows`, `line_breaks` and `captions` make what is shown, `gateway` talks to the gate;
`diff_pane`, `dialogs`, `screen`, `actions`, `revise` and `app` are the screen, and only they know
the library that draws it.
Enter by `app`.
Imported by: `cli.review`.
Always true: what is approved is the proposal whose content is on the screen, by its digests;
what was never on the screen is named first.
"""
