"""Performance rows, each a ratio to a baseline measured in the same run."""
