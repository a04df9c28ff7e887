"""What proves a person where no passphrase is typed, and which people a change needs.

`check` looks at a proof before it approves, and at an approval in the audit log before a write;
`owners` counts the approvals of those whom the organisation's bundle names.
Enter by `check.ProofCheck`.
Imported by: `gate`.
Always true: what a proof is worth is found from bytes and from the approver's key alone.
"""
