"""Prove that the registered hooks work: run them as their agents do, and read the agents' settings.

`trial` and `probe` run a registration, `client_models` know what each agent makes of an answer,
`ways_off` and `trust` find what would switch hooks off, `live` uses the real agent.
Enter by `doctor`.
Imported by: `cli.doctor` and `cli.init`.
Always true: it changes nothing, and a hook that was not tried is not called working.
"""
