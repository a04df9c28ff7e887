"""stores/audit."""
