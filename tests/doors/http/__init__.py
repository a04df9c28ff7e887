"""doors/http."""
