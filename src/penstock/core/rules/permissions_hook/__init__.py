"""The format of `claude-code-permissions-hook.toml`, flat and sectioned.

`document` reads the file, `includes` what it includes, `variables` fills `${NAME}`, `rule` says
what one rule means.
Enter by `document`.
Imported by: `core.rules` and `core.rule_edit`.
Always true: a rule means what the original program makes of it, or the file is refused.
"""
