"""What an isolated run left in its layer: entries, the changes they mean, and what is said of them.

`settings` is what the rules say about runs. `entry` is one name of a layer beside the real one,
`place` says to whom it belongs, `base` says whose work a difference is, `changes` turns entries
into changes of files, `commits` is about what was committed, `home` says what may leave the home
directory, `quiet` says when to look, `reasons` why a person has to see a change, `summary` says in
a few lines what became of them.
Enter by `changes.changes`.
Imported by: the stores that read layers, and the door that runs commands.
Always true: nothing here reads a disk.
"""
