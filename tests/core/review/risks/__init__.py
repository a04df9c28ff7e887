"""core/review/risks."""
