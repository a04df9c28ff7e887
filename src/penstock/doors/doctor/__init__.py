"""doors/doctor."""
