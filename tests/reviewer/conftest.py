"""The commands of these tests run as they do for people: from the bundle."""

from __future__ import annotations

import time

import pytest

from penstock.stores import bundling


@pytest.fixture(scope="session", autouse=True)
def bundled() -> None:
    """Make the bundle, or wait until another worker has made it."""
    for _ in range(600):
        bundling.write()
        if bundling.is_fresh():
            return
        time.sleep(0.1)
    pytest.fail("there is no bundle after a minute")
