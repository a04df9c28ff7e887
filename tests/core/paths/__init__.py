"""core/paths."""
