"""The composition root: settings to stores to a Gate. The only package that knows them all.

Enter by `open_workspace` or `open_gate`; `workspace` has the rest of what opens one, `record`
its audit log, `proof` the proof of a person, `rules` what is behind an edit of rules, and
`places` the directories. Doors and commands import it, and it imports stores and the gate.
Always true: it decides nothing.
"""

from penstock.app.workspace import Workspace, open_gate, open_workspace

__all__ = ["Workspace", "open_gate", "open_workspace"]
