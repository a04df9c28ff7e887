"""Ways in, one package each: a door translates and does nothing else.

`hook` with its `agents`, `setup` and `doctor` are for command hooks; `hook_spec` is the plugin's
script; `broker`, `langgraph`, `mcp` and `reviewer` are for programs; `http` serves `web`, and
`tui` is the full screen.
Enter by the package that is named like the integration.
Imported by: `cli` and the public modules at the top.
Always true: a door decides nothing; it imports no store and no other door, except as the contracts
in `pyproject.toml` say.
"""
