"""Isolated runs on Linux: namespaces, overlays, and what a command left in its layer.

`probe` says whether this machine can do it; `process` starts a command in the tree that `room`
builds, with what `confine` takes away; `streams` are its descriptors. `layer` reads what it wrote,
`absorb` drops applied files from it while it runs, under a `lease`; `records` keeps runs on disk,
`openings` looks at what the rules open. Where namespaces cannot be made, `copy_process` starts a
command in a `project_copy` that `landlock` binds it to; `apparmor` says what would allow them.
`syscalls` has what Python does not offer.
Enter by `process.start`.
Imported by: the composition root.
Always true: a command starts only after every step of the isolation succeeded.
"""
