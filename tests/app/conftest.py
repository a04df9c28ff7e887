"""A service that takes messages, for every test that sends one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.app.mailbox import Mailbox, mailbox


@pytest.fixture
def box() -> Iterator[Mailbox]:
    with mailbox() as made:
        yield made
