"""The composition root: settings to stores to a Gate. The only package that knows them all.

`workspace` opens one workspace, `audit` its log, `proof` the proof of a person, `rules` its rules
files, `rule_edits` what is behind an edit of them, `decision_logs` past decisions, `places` the
directories; `announce`, `deliver` and `leftovers` notify people; `servers` knows the running ones.
Enter by `open_workspace` or `open_gate`.
Imported by: doors and commands.
Always true: it decides nothing.
"""

from penstock.app.workspace import Workspace, open_gate, open_workspace

__all__ = ["Workspace", "open_gate", "open_workspace"]
