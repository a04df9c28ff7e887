"""What files held before an agent's own tool changed them, for the hook's engine."""

from penstock.stores.queue.before_images import (
    MAKE,
    MOST,
    call_key,
    digest_of,
    forget,
    keep,
    kept,
    read,
    settle,
)

__all__ = [
    "MAKE",
    "MOST",
    "call_key",
    "digest_of",
    "forget",
    "keep",
    "kept",
    "read",
    "settle",
]
