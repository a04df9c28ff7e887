"""Commands that get a project going: hooks, state, the approver key, help.

Enter by the module that is named like the command.
Imported by: `penstock.cli.lazy`, one module for each call.
Always true: what `init` writes, `uninstall` removes.
"""
