"""The audit log as text: how an entry is made, linked, read back, verified and exported.

`event`, `chain` and `line` make and read one entry; `verify` (with `fast_lines`, `broken_links`
and `findings`), `approvals` and `evidence` check many; `merkle`, `checkpoint` and `proofs` are
what gets signed.
Enter by `event.compose` to write and `verify` to check; `query` chooses among entries.
Imported by: `gate`, `stores.audit`, `core.learning` and the packages above.
Always true: a changed, missing or moved entry is found; an entry never holds file content.
"""
