"""Commands for pending changes: list, show, approve, reject, edit, undo.

Enter by the module that is named like the command; `queue` is what they share.
Imported by: `penstock.cli.lazy`, one module for each call.
Always true: what is approved is what was shown.
"""
