"""The broker door: an agent proposes in JSON lines, a person's program applies.

`wire` reads and writes lines, `service` holds one workspace's broker, `tools` has one function
per tool, `responses` the shape of what is said, `workspace_log` the log in the workspace,
`config` the file that the spec's settings come from.
"""
