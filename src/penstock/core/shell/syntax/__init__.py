"""core/shell/syntax."""
