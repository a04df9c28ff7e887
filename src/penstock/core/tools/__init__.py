"""core/tools."""
