"""What leaves an isolated run besides files of the project, with the stores that it takes.

`commits` brings what was committed, `home` what agents keep in the home directory.
Enter by `commits.RunCommits` and `home.RunHome`.
Imported by: the run door.
Always true: it decides nothing.
"""
