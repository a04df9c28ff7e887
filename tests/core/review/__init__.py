"""core/review."""
