"""The audit log on disk: JSON lines in segments, linked, signed and witnessed.

`jsonl` is the port; `append`, `file`, `group_commit` and `segments` write; `reader` and `verify`
read back; `checkpoints`, `signed_log`, `tree_file`, `remembered_head` and `witness` keep what
proves that nothing was cut or rewritten.
Enter by `jsonl`; `cold_append` writes the same line for the hook's fast path.
Imported by: `app`, `stores.decisions`; `cold_append` by the hook's fast path.
Always true: an entry is on the disk before the write it announces.
"""
