"""The hook door: an agent's own JSON in, that agent's own answer out.

`main` is what agents start on every tool call: first the `fast_path` over the compiled policy,
then the `daemon`, then the whole `engine` in this process; `hook_run` sees to it that every call
is answered, and `decision_text` what it says. `agents/` has one module each.
Enter by `main`.
Imported by: `penstock.hook`, `doors.setup`, `doors.doctor` and `cli`.
Always true: a door translates and decides nothing; what it cannot do is answered by the policy's
`on_error`, never by a crash.
"""
