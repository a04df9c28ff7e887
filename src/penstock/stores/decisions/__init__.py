"""Past decisions found quickly in logs, by columns kept beside them.

Enter by `query`; `columns` is the index, `lines` reads many log lines at once.
Imported by: `app.decision_logs`.
Always true: the index is rebuilt from the log whenever they disagree.
"""
