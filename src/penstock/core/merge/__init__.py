"""core/merge."""
