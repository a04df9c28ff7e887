"""core/shell/code."""
