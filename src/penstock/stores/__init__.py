"""Ports made real; each module is named after its technology."""
