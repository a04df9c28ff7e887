"""What `decision_reviewer` starts: the commands of `penstock rules`."""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> None:
    """Run the command and exit."""
    from penstock.cli import main as penstock

    penstock(["rules", *(sys.argv[1:] if argv is None else argv)])
