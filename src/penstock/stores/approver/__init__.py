"""The approver's key: made, sealed with a passphrase, used to sign, remembered.

Enter by `keys`; `known_keys` remembers public keys apart from the audit log.
Imported by: `app`.
Always true: the private key is on the disk only in sealed form.
"""
