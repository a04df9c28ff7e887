"""Tests of what keeps the house in order."""
