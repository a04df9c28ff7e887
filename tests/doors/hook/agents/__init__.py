"""doors/hook/agents."""
