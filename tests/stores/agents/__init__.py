"""stores/agents."""
