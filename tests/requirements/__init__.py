"""Every requirement of the deciding core, one row each: its id, its claim, its check."""
