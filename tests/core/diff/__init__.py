"""core/diff."""
