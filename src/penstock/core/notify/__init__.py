"""Which pending changes somebody should be notified of, and what the message says.

Enter by `message`; `settings` reads targets and quiet hours from the rules.
Imported by: `core.rules` (`settings`), `stores.notify`, `app` and `cli`.
Always true: a message never holds file content.
"""
