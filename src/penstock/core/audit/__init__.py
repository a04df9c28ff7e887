"""core/audit."""
