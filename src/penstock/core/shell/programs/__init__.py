"""What programs do with their arguments: which words are files, and what happens to them.

`table` maps a program to its reader; the other modules are families of programs.
Enter by `table`.
Imported by: `core.shell`, and `core.learning` for `builtins`.
Always true: an option that is not known never hides a file argument.
"""
