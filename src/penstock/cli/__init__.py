"""The `penstock` command."""


def main() -> None:
    """Run the command."""
