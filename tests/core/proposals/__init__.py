"""core/proposals."""
