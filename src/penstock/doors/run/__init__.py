"""The run door: a command in an isolated run; what it changed goes through the gate.

`launch` starts a command and says what holds, `supervise` syncs while it runs and answers what
comes over its `control` socket, `sort` says whose each change is, `sync` turns changes into
proposals, `commits` brings what was committed, `home` writes credentials and transcripts back,
`listing` is about runs that have ended, `view` is for the page and the full screen.
Enter by `launch.run_command`.
Imported by: the commands `run` and `runs`, the page, the full screen.
Always true: nothing that a command wrote reaches the project except through the gate.
"""
