"""Tools that run what files of the project say: make, npm, tox, cargo, hooks of git and the rest.

`table` is the list of tools: which files each of them reads, how, and which of the tasks in them a
call runs. Files of data become tasks in `manifests`, build files that are neither data nor code
become shell text in `translate`, and sources are run as they are. `make`, `just`, `packages` (npm
and its kin) and `hooks` (of git) have enough of their own to be modules.
Enter by `table`.
Imported by: `core.shell.command` alone.
Always true: what is not in such a file, or cannot be read, is no text at all; work is bounded by
counts; a task that nobody asked for does not run.
"""
