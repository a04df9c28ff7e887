"""What programs read: which words of a command name files whose content they show, send or copy.

`table` has a row for each program that we know; the other modules are families of them, and
`mention` is what is said of all other programs. What a program writes is `programs`' question.
Enter by `table`.
Imported by: `core.shell`.
Always true: a read adds no doubt: what the text and the disk do not tell is not asked about.
"""
