"""What this program is called where packages come from, where it lives, and what it needs.

The command and the import name are `penstock`; as a package's name that is somebody else's.
Always true: no other module spells the name, and `tools/manual.py` brings it to every page.
"""

from __future__ import annotations

NAME = "penstock-gate"
HOME = "https://github.com/penstock/penstock"

# The packages that the engine imports (`pyproject.toml` names them too), each with the directory
# that it is installed in.
LIBRARIES = {
    "click": "click",
    "cryptography": "cryptography",
    "google-re2": "re2",
    "msgspec": "msgspec",
    "pyyaml": "yaml",
    "rich": "rich",
    "tree-sitter": "tree_sitter",
    "tree-sitter-bash": "tree_sitter_bash",
}


def pip_install(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install '{NAME}[{extra}]'"
