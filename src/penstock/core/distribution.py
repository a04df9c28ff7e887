"""What this program is called where packages come from, and where it lives.

The command and the import name are `penstock`; as a package's name that is somebody else's.
Always true: no other module spells the name, and `tools/manual.py` brings it to every page.
"""

from __future__ import annotations

NAME = "penstock-gate"
HOME = "https://github.com/penstock/penstock"


def pip_install(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install '{NAME}[{extra}]'"
