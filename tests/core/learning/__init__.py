"""core/learning."""
