"""One browser for the browser tests that follow each other, instead of one for each module."""

from __future__ import annotations

import sys

import pytest


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """End the browser before a module that has none: Playwright's loop would be in its way."""
    if not hasattr(getattr(nextitem, "module", None), "browser"):
        _close()


def pytest_sessionfinish() -> None:
    """End it also where a run was stopped in between."""
    _close()


def _close() -> None:
    if module := sys.modules.get("tests.doors.web.browser"):
        module.close_browser()
