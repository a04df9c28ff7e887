"""Syntax colours for the surfaces that show diffs, made in a process of its own.

`child` asks for colours and waits a bounded time, `worker` is what that process runs.
Enter by `child.Colours`.
Imported by: `doors.web` and `doors.tui`.
Always true: colours that are late are left out; nothing but names and text goes to the process.
"""
