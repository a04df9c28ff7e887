"""Past decisions, found in logs by reading them from their ends.

Enter by `query`; `lines` reads quickly what one line of a log says.
Imported by: `app.decision_logs`.
Always true: nothing is kept beside a log, so an answer is never older than it.
"""
