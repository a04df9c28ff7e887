"""What leaves an isolated run besides files of the project, with the stores that it takes.

`commits` brings what was committed.
Enter by `commits.RunCommits`.
Imported by: the run door.
Always true: it decides nothing.
"""
