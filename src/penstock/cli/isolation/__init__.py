"""Commands for isolated runs: run a command, and what to do with what runs left.

Enter by the module that is named like the command.
Imported by: `penstock.cli.lazy`, one module for each call.
Always true: an option that is not supported yet is refused.
"""
