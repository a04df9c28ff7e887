"""Send a message: to a service by its address, or to the desktop of this machine.

Which message, to whom and when is decided elsewhere. A service is reached by the library apprise,
an extra; no shell is started, and nothing a message says becomes part of a command.
Always true: sending ends in time, whatever the other side does; an outcome names a target by its
label and never by its address.
"""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.core.distribution import pip_install
from penstock.core.notify.message import Message
from penstock.core.notify.push import PushSubscription
from penstock.core.notify.settings import LOCAL, MOST_TARGETS, label, scheme_of, target_fault

if TYPE_CHECKING:
    from apprise import AppriseAsset

WITHIN = 15.0  # seconds for one message to one target
DESKTOP = "desktop"
DESKTOP_WITHIN = 5.0
LARGEST_LIST = 64 * 1024
PROGRAMS = "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin"
# AppleScript reads the words as arguments, so no quote in them ends a string.
SCRIPT = (
    "on run words",
    "display notification (item 2 of words) with title (item 1 of words)",
    "end run",
)
EXPOSED = 0o077


class MessageTarget(Struct, frozen=True, kw_only=True):
    """Where one message goes: the name for people, and the address, or why there is none.

    `browser` is a subscription to web push, which has no address of this kind.
    """

    name: str
    address: str = ""
    fault: str = ""
    browser: PushSubscription | None = None


def targets_of(
    texts: tuple[str, ...], environ: Mapping[str, str], *, beside: str
) -> tuple[MessageTarget, ...]:
    """Return every target that some settings name; `beside` is where relative files are."""
    found: dict[str, MessageTarget] = {}
    for text in texts:
        for one in _found(text, environ, beside):
            found.setdefault(one.name, one)
    return tuple(found.values())[:MOST_TARGETS]


def _found(text: str, environ: Mapping[str, str], beside: str) -> Iterator[MessageTarget]:
    kind, _, rest = text.partition(":")
    if kind == "env" and not rest.startswith("//"):
        value = environ.get(rest.strip(), "")
        yield _target(label(text), value, "the variable is not set")
    elif kind == "file" and not rest.startswith("//"):
        yield from _listed(text, rest.strip(), environ, beside)
    else:
        yield _target(label(text), text, "")


def _listed(
    text: str, path: str, environ: Mapping[str, str], beside: str
) -> Iterator[MessageTarget]:
    home = environ.get("HOME", "")
    place = os.path.join(home, path[2:]) if path.startswith("~/") else os.path.join(beside, path)
    try:
        lines = _private_lines(place)
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        yield MessageTarget(name=label(text), fault=f"the file cannot be used: {reason.lower()}")
        return
    for line in lines:
        yield _target(label(line), line, "")


def _private_lines(path: str) -> list[str]:
    """Return the addresses in a file that only its owner can read."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is not a regular file")
        if status.st_uid not in (0, os.geteuid()) or status.st_mode & EXPOSED:
            raise ValueError("it is accessible by other users; run `chmod 600` on it")
        text = file.read(LARGEST_LIST).decode("utf-8", "replace")
    lines = [line.strip() for line in text.split("\n")]
    return [line for line in lines if line and not line.startswith("#")][:MOST_TARGETS]


def _target(name: str, address: str, missing: str) -> MessageTarget:
    fault = missing if not address else target_fault(address)
    if not fault and not scheme_of(address):
        fault = "it names another place instead of an address"
    return MessageTarget(name=name, address="" if fault else address.strip(), fault=fault)


# -- services ------------------------------------------------------------------------------------


def send(target: MessageTarget, message: Message, *, within: float = WITHIN) -> str:
    """Send a message to a service; return what went wrong, nothing when it was sent.

    Only in a process of its own, in its main thread: what hangs is ended by a signal.
    """
    if target.fault:
        return target.fault
    try:
        with warnings.catch_warnings(), _ending(within):
            warnings.simplefilter("ignore")  # they are about the library's own code
            return _sent(target.address, message)
    except ImportError:
        return f"this needs an extra: {pip_install('notify')}"
    except _TooSlowError:
        return f"the service did not answer within {within:g} seconds"
    except Exception as fault:  # noqa: BLE001 - a plugin of any kind may raise anything
        return f"the service failed: {type(fault).__name__}"


def _sent(address: str, message: Message) -> str:
    from apprise import Apprise

    to = Apprise(asset=_asset())
    if not to.add(address) or any(_is_local(one) for one in to):
        return "apprise does not know this service, or its address is incomplete"
    done = to.notify(title=message.title, body=message.body, body_format="text")
    return "" if done else "the service rejected it"


def _asset() -> AppriseAsset:
    from apprise import AppriseAsset

    asset = AppriseAsset(app_id="Penstock", app_desc="Penstock", app_url="", async_mode=False)
    # One after the other in this thread; no plugins of others, no keys or files made here, no
    # addresses in logs, and what an agent wrote is never taken for an escape or an emoji.
    wanted = {
        "plugin_paths": [],
        "pgp_autogen": False,
        "pem_autogen": False,
        "secure_logging": True,
        "interpret_escapes": False,
        "interpret_emojis": False,
    }
    for name, value in wanted.items():
        with suppress(AttributeError):
            setattr(asset, name, value)
    return asset


def _is_local(service: object) -> bool:
    names = (getattr(service, "protocol", ""), getattr(service, "secure_protocol", ""))
    known = [name for each in names for name in ([each] if isinstance(each, str) else each or ())]
    return any(str(name) in LOCAL for name in known)


class _TooSlowError(Exception):
    """It took too long."""


@contextmanager
def _ending(within: float) -> Iterator[None]:
    """End the block with an error when it takes too long."""

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise _TooSlowError

    before = signal.signal(signal.SIGALRM, ring)
    # Again and again: a plugin may take the first error for a fault of the network.
    signal.setitimer(signal.ITIMER_REAL, within, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# -- the desktop -----------------------------------------------------------------------------------


def has_desktop(environ: Mapping[str, str], *, programs: str = PROGRAMS) -> bool:
    """Say whether there is a desktop that can show a notification."""
    return bool(_desktop_command(environ, Message(title="", body=""), programs))


def _desktop_command(environ: Mapping[str, str], message: Message, programs: str) -> list[str]:
    if sys.platform == "darwin":
        found = shutil.which("osascript", path=programs)
        lines = [word for line in SCRIPT for word in ("-e", line)]
        return [found, *lines, "--", message.title, message.body] if found else []
    if not (environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")):
        return []
    found = shutil.which("notify-send", path=programs)
    # `--` ends the options; the body is markup to some desktops, so its signs are written out.
    body = message.body.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return [found, "--app-name=Penstock", "--", message.title, body] if found else []


def show_on_desktop(
    message: Message, environ: Mapping[str, str], *, programs: str = PROGRAMS
) -> str:
    """Show a notification; return what went wrong, nothing when it was shown."""
    command = _desktop_command(environ, message, programs)
    if not command:
        return "no desktop available"
    try:
        done = subprocess.run(  # noqa: S603 - a program of the system's, words as arguments
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=DESKTOP_WITHIN,
            env=dict(environ),
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return "the desktop did not answer"
    return "" if done.returncode == 0 else "the desktop rejected it"
