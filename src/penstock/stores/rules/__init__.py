"""stores/rules."""
