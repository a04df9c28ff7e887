"""Commands for the audit log: `log` for people, `audit` to query, verify and export.

Enter by `group` and `log`.
Imported by: `penstock.cli.lazy`, one module for each call.
Always true: reading changes nothing.
"""
