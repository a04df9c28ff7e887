"""doors/broker."""
