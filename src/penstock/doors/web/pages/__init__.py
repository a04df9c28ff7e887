"""doors/web/pages."""
