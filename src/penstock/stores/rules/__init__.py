"""Rules files on disk: where they are, their versions, their lock, the last good policy.

`discovery` finds them, `history` keeps versions (git or `backups`), `lock` and `edit_log` belong to
an edit, `last_good` keeps the policy that last loaded.
Enter by `discovery` and `history`.
Imported by: `app`.
Always true: a version that was replaced can be found again.
"""
