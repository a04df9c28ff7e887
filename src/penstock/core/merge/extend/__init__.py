"""core/merge/extend."""
