"""doors/setup."""
