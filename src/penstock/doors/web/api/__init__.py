"""doors/web/api."""
