"""stores/decisions."""
