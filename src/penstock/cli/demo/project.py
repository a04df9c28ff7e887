"""The temporary project of the tour: its files, its rules, its state, and nobody else's.

Always true: the project, its state and its settings lie below one directory, which is removed at
the end, also when the process is told to stop.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from types import FrameType
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.doors.reviewer.arguments import SWITCH

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.doors.broker.service import Broker
    from penstock.gate import Gate, Proof

# A key that is thrown away with the project; its passphrase is no secret.
PASSPHRASE = "let the water through"  # noqa: S105
RULES = """\
version = 1
preset = "guard"

[defaults]
run = "ask"

[[ask]]
id = "settings"
paths = ["config/**", "src/admins.py"]
reason = "{path} is reviewed before it changes"

[[warn]]
id = "generated"
paths = ["src/client/**"]
note = "{path} is generated; change its template instead"

[notify]
desktop = false
"""
LIMITS = """\
currency = "EUR"
rounding = "half-up"

[orders]
max_items = 50
max_total = 10000
min_total = 5

[delivery]
days = 3
express = true
"""
COUNTRIES = {
    "at": 20, "be": 21, "bg": 20, "cy": 19, "cz": 21, "de": 19, "dk": 25, "ee": 22, "es": 21,
    "fi": 25.5, "fr": 20, "gr": 24, "hr": 25, "hu": 27, "ie": 23, "it": 22, "lt": 21, "lu": 17,
    "lv": 21, "mt": 18, "nl": 21, "pl": 23, "pt": 23, "ro": 21, "se": 25, "si": 22, "sk": 23,
}  # fmt: skip
ONE_TAX = '''

def tax_{code}(net: float) -> float:
    """Return the tax of an order to {upper}."""
    return round(net * {rate} / 100, 2)
'''
ONE_DISCOUNT = '''

def {name}(total: float) -> float:
    """Return what is left of a total after the {name} discount."""
    return round(total * {left}, 2)
'''
DISCOUNTS = {"volume": 0.9, "student": 0.85, "seasonal": 0.8, "staff": 0.7}
DISCOUNTS_HEAD = '"""Discounts."""\n'


def discount(name: str, left: float) -> str:
    """Return the function for one discount."""
    return ONE_DISCOUNT.format(name=name, left=left)


FILES: Mapping[str, str] = {
    "penstock.toml": RULES,
    "config/shop.toml": LIMITS,
    "src/discounts.py": DISCOUNTS_HEAD + "".join(map(discount, DISCOUNTS, DISCOUNTS.values())),
    "src/tax.py": '"""Sales tax by country."""\n'
    + "".join(
        ONE_TAX.format(code=code, upper=code.upper(), rate=rate) for code, rate in COUNTRIES.items()
    ),
    "src/client/api.py": "def orders():\n    return get('/orders')\n",
}


class DemoProject(Struct, dict=True):
    """The open project: where it is, its broker, and the person who approves."""

    root: str

    @cached_property
    def broker(self) -> Broker:
        """Return the broker that an agent of one's own talks to."""
        from penstock.doors.broker.service import Broker

        return Broker(self.root)

    @property
    def workspace(self) -> Workspace:
        """Return the workspace."""
        return self.broker.here

    @property
    def gate(self) -> Gate:
        """Return the gate."""
        return self.broker.gate

    @cached_property
    def you(self) -> Proof:
        """Return the proof of the person who watches: the signature of a throw-away key."""
        from penstock.app.proof import by_key

        self.workspace.keys.init(PASSPHRASE)
        return by_key(self.workspace, PASSPHRASE)

    def read(self, path: str) -> bytes:
        """Return what a file holds."""
        with open(os.path.join(self.root, path), "rb") as file:
            return file.read()

    def write(self, path: str, text: str | bytes) -> None:
        """Save a file, as an editor does."""
        place = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)

    def lines(self, path: str) -> int:
        """Return how many lines a file has."""
        return self.read(path).count(b"\n")


@contextmanager
def project() -> Iterator[DemoProject]:
    """Make the project, stand in it, and remove it in the end."""
    with (
        _stopped_by_signals(),
        tempfile.TemporaryDirectory(prefix="penstock-demo-") as home,
        _at_home(home),
    ):
        here = DemoProject(os.path.join(os.path.realpath(home), "shop"))
        for path, text in FILES.items():
            here.write(path, text)
        with _standing_in(here.root):
            yield here


@contextmanager
def _standing_in(root: str) -> Iterator[None]:
    """Work in a directory, and go back where that is still possible."""
    try:
        before = os.getcwd()
    except FileNotFoundError:  # somebody removed the directory that we were started in
        before = os.sep
    os.chdir(root)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _at_home(home: str) -> Iterator[None]:
    """Let state and settings be looked for below one directory, here and in every process."""
    places = {
        "HOME": home,
        "XDG_STATE_HOME": os.path.join(home, ".local", "state"),
        "XDG_CONFIG_HOME": os.path.join(home, ".config"),
        SWITCH: "1",
    }
    before = {name: os.environ.get(name) for name in places}
    os.environ.update(places)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Let a closed terminal or a `kill` end the tour in good order, like Ctrl-C."""

    def stop(number: int, _frame: FrameType | None) -> None:
        sys.exit(128 + number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
