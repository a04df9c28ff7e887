"""Approvals as the audit log has them: what their entries must hold, and what they prove.

`approval_proof` reads a touch or an unlock, `approval_list` how one touch covers several changes;
`standing_approval` is what one write relies on; `approvals` with `passkey_use` checks a whole log,
and `owner_approvals` counts the owners that a policy bundle asks for.
Enter by `standing_approval` for one proposal and `approvals` for a log.
Imported by: `core.audit`, `gate`, `app` and the packages above.
Always true: an approval counts only by what its entry proves, never by what a queue says.
"""
