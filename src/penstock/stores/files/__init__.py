"""The workspace's files: read by descriptor, replaced by compare-and-swap, recovered after a crash.

`workspace` is the port and the only code that changes a user's files; `batch` and `step` write
one file or a set; `staging`, `rename` and `syscalls` are the means; `journal` and `recovery` finish
what a crash interrupted; `beneath` and `resolve` keep paths inside the root; `sandbox` makes the
agents' sandbox.
Enter by `workspace`.
Imported by: `app`; its means (`staging`, `rename`, `contents`) by `stores.rules` and `stores.git`.
Always true: a file that changed meanwhile is never overwritten, and a crash leaves old or new.
"""
