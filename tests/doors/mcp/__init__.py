"""doors/mcp."""
