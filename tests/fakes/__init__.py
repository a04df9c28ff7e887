"""The ports made simple, in memory: `files`, `audit_log`, `queue` (with images and clock).

Each passes the contract suite of its port, as the real store does. Tests and `bench` alone use
them; the wheel has none.
"""
