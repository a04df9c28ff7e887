"""doors/hook."""
