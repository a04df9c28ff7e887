"""Past decisions, found in logs by reading them from their ends.

Enter by `query`; `lines` says quickly what a line of a log tells.
Imported by: `app.decision_logs`.
Always true: nothing is kept beside a log, so an answer is never older than it.
"""
