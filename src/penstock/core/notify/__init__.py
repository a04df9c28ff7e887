"""Which pending changes somebody should be notified of, and what the message says.

Enter by `message`; `settings` reads targets and quiet hours from the rules.
Imported by: `app` and `stores.notify`.
Always true: a message never holds file content.
"""
