"""doors/langgraph/tools."""
