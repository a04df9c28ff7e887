"""What proves a person where no passphrase is typed: a touch of a passkey, an unlocked session.

`check` looks at a proof before it approves, and at an approval in the audit log before a write.
Enter by `check.ProofCheck`.
Imported by: `gate`.
Always true: what a proof is worth is found from bytes and from the approver's key alone.
"""
