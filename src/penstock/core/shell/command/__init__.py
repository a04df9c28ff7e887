"""One simple command carried out on paper: its words, assignments, redirections, its program.

`simple` is the command itself. It expands `words`, carries out assignments (`assign`) and
redirections (`redirect`), and hands the rest to `program`: a function, an alias, a builtin or a
row of a table. What a row answers with becomes findings in `effect`, and texts that are run in
`run`. `texts` remembers what the command itself has put into files, `exits` who left a loop, a
function or the shell. `host` is what all of them need from the walk.
Enter by `simple`.
Imported by: `core.shell.follow`, and `core.learning` for the table of programs.
Always true: nothing is run and nothing is read but through the walk's look at the disk.
"""
