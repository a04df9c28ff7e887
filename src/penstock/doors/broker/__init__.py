"""The broker door: an agent proposes in JSON lines, a person's program applies.

`wire` reads and writes lines, `service` holds one workspace's broker, `tools` has one function per
tool that reads or proposes, `apply` what only a person's program may ask, `responses` the shape of
the answers, `workspace_log` the log in the workspace, `config` the file that the spec's settings
come from.
Enter by `service.Broker`.
Imported by: `cli` and `penstock.broker`.
Always true: an agent's role proposes; only a person's program applies.
"""
