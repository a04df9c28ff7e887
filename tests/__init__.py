"""The tests; folders mirror the package, the others are named by what they prove."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
