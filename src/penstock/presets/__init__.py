"""Rules files that ship with Penstock."""
