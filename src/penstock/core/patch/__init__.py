"""Patch text of one or several files, parsed and applied in memory.

`unified_diff` and `begin_patch` read the two formats, `git_headers` and `file_names` what stands
above the hunks, `fit` finds where hunks go.
Enter by `apply`.
Imported by: `core.tools`, `core.shell`, and the doors that take patches (`broker`, `mcp`).
Always true: a patch applies as a whole or not at all, and nothing is guessed.
"""
