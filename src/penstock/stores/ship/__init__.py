"""Sinks of the audit log: how far each one has it, what it does not have yet, and sending that.

Enter by `cursors`, `unsent` and `send`.
Imported by: `app.ship`.
Always true: a cursor moves on the disk only after the sink took what is before it.
"""
