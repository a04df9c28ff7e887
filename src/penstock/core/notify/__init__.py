"""core/notify."""
