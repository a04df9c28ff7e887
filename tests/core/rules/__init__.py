"""core/rules."""
