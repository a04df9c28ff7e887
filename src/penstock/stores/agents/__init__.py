"""What this machine knows of agents: their names, and who started this process.

Enter by `ancestry` (does an agent run this process?).
Imported by: `app`.
Always true: a process that may belong to an agent counts as one.
"""
