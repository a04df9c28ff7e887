"""The machine: places, private files, processes, the clock.

Enter by `places` (workspace, state and rules); `private` makes 0700 directories and 0600 files.
Imported by: every other store, `app`, and the hook's fast path.
Always true: state lies outside the workspace, readable by its owner alone.
"""
