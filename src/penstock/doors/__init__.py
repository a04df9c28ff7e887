"""Ways in: each translates one foreign language into requests, and decisions back."""
