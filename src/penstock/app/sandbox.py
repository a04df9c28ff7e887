"""The agents' sandbox of a project, for the command that makes and cleans it."""

from penstock.stores.files.sandbox import NAME, Sandbox, today

__all__ = ["NAME", "Sandbox", "today"]
