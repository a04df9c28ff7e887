"""Messages sent and remembered: services through apprise, or the desktop.

Enter by `send`; `outbox` keeps what was sent to whom.
Imported by: `app`.
Always true: a message is sent once for each target, or tried again later.
"""
