"""The audit log as text: how an entry is made, linked, read back, verified and exported.

`event`, `chain` and `line` make and read one entry; `verify` (with `fast_lines`, `broken_links`
and `findings`), `approval` and `evidence` check many; `merkle`, `checkpoint`, `proofs` and `cosign`
are what gets signed, by us and by witnesses.
Enter by `event.compose` to write and `verify` to check; `query` chooses among entries.
Imported by: `gate`, `stores.audit`, `core.learning` and the packages above.
Always true: a changed, missing or moved entry is found; an entry never holds file content.
"""
