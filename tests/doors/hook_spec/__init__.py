"""doors/hook_spec."""
