"""Web push: who is subscribed, through which services, and what a push says.

A push goes through a service of the browser's vendor. It is encrypted for the browser, and still it
says only how many changes are pending, and where to look: no path, no name, no content.
Always true: a push is as long as any other; a subscription whose address is not one of a known
service is refused, so nobody has this machine post to an address of their choice.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from urllib.parse import quote, urlsplit

from msgspec import Struct

from penstock.core.digest import PREFIX, digest
from penstock.core.loopback import HOSTS
from penstock.core.notify.message import Group, Notice

# The services of Chrome and its relatives, Firefox, Safari, Edge. A dot stands for "below".
SERVICES = (
    "fcm.googleapis.com",
    "updates.push.services.mozilla.com",
    ".push.apple.com",
    ".notify.windows.com",
)
LONGEST = 2048
POINT_BYTES, AUTH_BYTES = 65, 16
PADDED = 256
DIGITS = 8


class PushSubscription(Struct, frozen=True, kw_only=True):
    """One browser that wants to be notified; `origin` is the address of its page."""

    endpoint: str
    p256dh: str
    auth: str
    origin: str
    since: float

    @property
    def name(self) -> str:
        """What it is called where its address must not stand."""
        return f"push-{digest(self.endpoint.encode()).removeprefix(PREFIX)[:DIGITS]}"

    @property
    def point(self) -> bytes:
        """The browser's public key."""
        return _bytes(self.p256dh)

    @property
    def secret(self) -> bytes:
        """What only the browser and this machine know."""
        return _bytes(self.auth)


def subscription_fault(one: PushSubscription, services: Sequence[str] = SERVICES) -> str:
    """Return why a subscription can't be used; "" where it can."""
    if fault := endpoint_fault(one.endpoint, services):
        return fault
    try:
        sizes = (len(one.point), len(one.secret))
    except ValueError:
        return "its keys can't be read"
    good = sizes == (POINT_BYTES, AUTH_BYTES) and one.point[0] == 4
    return "" if good else "its keys can't be read"


def endpoint_fault(endpoint: str, services: Sequence[str] = SERVICES) -> str:
    """Return why nothing is posted to an address; "" where something may be."""
    if len(endpoint) > LONGEST or not endpoint.isascii() or not endpoint.isprintable():
        return "its address can't be read"
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "its address can't be read"
    known = any(host == one or (one[:1] == "." and host.endswith(one)) for one in services)
    if not known or parts.username or parts.password:
        return "its address belongs to no push service that Penstock knows"
    if parts.scheme == "https" and port in (None, 443):
        return ""
    return "" if host in HOSTS else "its address is not plain https"


def push_payload(due: Sequence[Notice]) -> bytes:
    """Return what a push says about some notices: how many, and where one alone is."""
    waiting = [one for one in due if isinstance(one, Group)]
    to = f"/proposals/{quote(waiting[0].id, safe='')}" if len(due) == 1 and waiting else "/"
    said = json.dumps({"pending": len(due), "to": to}, separators=(",", ":")).encode()
    return said.ljust(PADDED)


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
