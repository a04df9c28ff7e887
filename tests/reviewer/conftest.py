"""The commands of these tests run as they do for people: from the bundle."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def from_the_bundle(bundled: None) -> None:
    """Have the bundle made before the first of them."""
