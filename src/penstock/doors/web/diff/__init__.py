"""doors/web/diff."""
