"""stores/queue."""
