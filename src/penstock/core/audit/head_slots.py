"""What is remembered of a log outside of it, as bytes: three slots of fixed length.

`durable` is the last entry that surely reached the disk, `latest` the last one that was written,
with the start of the machine in which that was, and `signed` how many entries there were and
when, at the last attempt to sign a checkpoint. Keeping them is `remembered_head`'s work, and
`cold_append`'s for the hook that starts cold; so nothing is imported here.
Always true: each slot is written by itself, in one piece, and read without the others.
"""

DURABLE, LATEST, SIGNED, END = 0, 93, 223, 265  # where each slot begins, and the end of the last
HASH = 71  # characters of `sha256:` and 64 digits
BOOT = 36  # characters of what the kernel calls the start of a machine


def durable_slot(seq: int, event_hash: str) -> bytes:
    """Return the slot of an entry that reached the disk."""
    return b"%020d %b\n" % (seq, event_hash.encode())


def latest_slot(seq: int, event_hash: str, boot: bytes) -> bytes:
    """Return the slot of the last entry that was written, since which start of the machine."""
    return b"%020d %b %b\n" % (seq, event_hash.encode(), boot[:BOOT].ljust(BOOT))


def signed_slot(size: int, at: int) -> bytes:
    """Return the slot of an attempt to sign: how many entries, and the second."""
    return b"%020d %020d\n" % (size, at)


def read_signed(data: bytes) -> "tuple[int, int] | None":
    """Return the size and the second of the last attempt to sign; None where there was none."""
    slot = data[SIGNED:END]
    size, space, at = slot[:20], slot[20:21], slot[21:41]
    if not (size.isdigit() and space == b" " and at.isdigit() and slot[41:] == b"\n"):
        return None
    return int(size), int(at)


def is_due(entries: int, seconds: float, most_entries: int, most_seconds: float) -> bool:
    """Say whether to sign, so many entries and seconds after the last attempt."""
    return entries > 0 and (entries >= most_entries or seconds >= most_seconds)
