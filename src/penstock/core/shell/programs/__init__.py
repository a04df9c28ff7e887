"""core/shell/programs."""
