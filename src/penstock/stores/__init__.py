"""Ports made real: one package for each port or technology.

`files` writes, `audit` logs, `queue` keeps proposals and blobs, `git` commits, `rules` and
`decisions` find rules files and past decisions, `approver` keeps keys, `agents` knows agents,
`notify` sends, `advisor` asks a model, `system` has processes, places and the clock.
Enter by the package that is named like the port in `penstock.ports`.
Imported by: `app` alone (the contract names what the hook's fast path may import).
Always true: a store has no opinion about verdicts and never imports the gate.
"""
