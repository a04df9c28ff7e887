"""The broker door: an agent proposes in JSON lines, a person's program applies.

`wire` reads and writes lines, `service` holds one workspace's broker, `tools` has one function
per tool, `answers` the shape of what is said, `ledger` the log in the workspace, `config` the
file that the spec's settings come from.
"""
