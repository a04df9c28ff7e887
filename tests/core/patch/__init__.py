"""core/patch."""
