"""Paths as text: what is inside the workspace, every spelling of a name, and globs.

Enter by `relpath` (`parse`, `locate`); `spellings`, `git_folders` and `globs` are on the hook's
fast path and run on Python 3.9 without other imports.
Imported by: nearly everything.
Always true: a `RelPath` that exists lies inside the workspace; a name is judged under every
spelling that the file system may accept for it.
"""
