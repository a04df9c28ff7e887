"""stores/system."""
