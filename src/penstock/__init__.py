"""Penstock: the gate between AI coding agents and a project's files."""
