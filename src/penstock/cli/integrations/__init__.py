"""Commands that serve other programs: hooks, MCP, the broker, the server, notifications.

Enter by the module that is named like the command.
Imported by: `penstock.cli.lazy`, one module for each call.
Always true: a protocol on stdout is never mixed with text for people.
"""
