"""stores/git."""
