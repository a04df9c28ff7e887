"""Register and remove hooks in the agents' settings files, and see what is registered.

`registrations` plans each file, `entries` and `json_splice` change its text, `install` carries the
plan out and `install_record` remembers how files were, `inspect` reads registrations back,
`agents_present` finds the agents.
Enter by `install`.
Imported by: `cli` and `doors.doctor`.
Always true: `uninstall` restores exactly what `init` found, and everything else in a file stays.
"""
