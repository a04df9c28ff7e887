"""Faults at every system call: `python -m tests.faults`.

A scenario does one thing in a process of its own, again and again. Each time the harness stops
it at the next system call and does something bad there: kills it, makes the call fail, takes a
copy of the disk as a power cut would leave it. Afterwards the scenario looks at what is left.

To add one: write a module in this package with a list `SCENARIOS`; see `scenario.Scenario`.
"""
