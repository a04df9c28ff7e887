"""core/shell."""
