"""Audit entries on their way to other systems: addresses, batches, forms, answers.

Enter by `sink` for an address, `batch` for what is sent at once, `answer` for what to do then.
Imported by: `core.rules`, `stores.ship`, `app.ship`.
Always true: where entries go is the user's own word, never a project's; no entry is passed over
without a word.
"""
