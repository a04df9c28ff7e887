"""Git as a store of history: commits of chosen files, made from objects.

Enter by `commit`; `repository` and `trees` read, `run` starts one git command.
Imported by: `stores.rules`.
Always true: no hook, filter or setting of the repository runs, and no other file is committed.
"""
