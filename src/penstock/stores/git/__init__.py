"""Git as a store of history: commits of chosen files, made from objects.

`repository` and `trees` read, `run` starts one git command; `quarantine` checks commits of others
and `fast_forward` moves a branch to them.
Enter by `commit`.
Imported by: `stores.rules` and the composition root.
Always true: no hook, filter or setting of the repository runs, and no other file is committed.
"""
