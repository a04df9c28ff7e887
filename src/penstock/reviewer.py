"""What `decision_reviewer` starts: the commands of `penstock rules`, by their other name."""

from __future__ import annotations


def main(argv: list[str] | None = None) -> None:
    """Run the command and exit."""
    from penstock.cli import main as run
    from penstock.cli.rules.group import command

    run(argv, command=command, name="decision_reviewer")
