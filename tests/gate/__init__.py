"""The gate's own parts, each on a real disk."""
