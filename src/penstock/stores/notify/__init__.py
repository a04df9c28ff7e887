"""stores/notify."""
