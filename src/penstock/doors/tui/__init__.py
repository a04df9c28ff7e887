"""The full screen: the queue and what each proposal would change, answered by keys.

`rows` and `said` make what is shown, `desk` talks to the gate; `view`, `dialogs`, `looking`,
`acting`, `changing` and `app` are the screen, and only they know the library that draws it.
Always true: what is approved is the proposal whose content is on the screen, by its digests.
"""
