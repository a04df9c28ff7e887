"""Web push for the phone: its key, subscribing and unsubscribing.

A subscription lets a browser be told that something is pending, and nothing else.
Always true: only addresses of known push services are kept.
"""

from __future__ import annotations

import json
import time

from starlette.requests import Request
from starlette.responses import Response

from penstock.app.push import PushSubscription, application_key, subscribers
from penstock.core.errors import InputError
from penstock.core.notify.push import subscription_fault
from penstock.doors.web.middleware import as_json
from penstock.doors.web.request import form_of, world_of

MOST_TEXT = 8192


def key(_request: Request) -> Response:
    """Give the key that a browser subscribes with."""
    return as_json({"key": application_key()})


def add(request: Request) -> Response:
    """Keep the subscription that a browser made."""
    world = world_of(request)
    one = _subscription(form_of(request).get("subscription"), world.origin)
    if fault := subscription_fault(one, world.push_services):
        raise InputError(
            "bad-subscription", "this browser's subscription can't be used", because=fault
        )
    subscribers().add(one)
    return Response(status_code=204)


def remove(request: Request) -> Response:
    """Forget the subscription of a browser."""
    subscribers().remove(form_of(request).get("endpoint"))
    return Response(status_code=204)


def _subscription(text: str, origin: str) -> PushSubscription:
    try:
        if len(text) > MOST_TEXT:
            raise ValueError("too long")
        held = json.loads(text)
        endpoint, keys = held["endpoint"], held["keys"]
        found = [endpoint, keys["p256dh"], keys["auth"]]
        if not all(isinstance(one, str) for one in found):
            raise ValueError("not text")
    except (ValueError, KeyError, TypeError):
        raise InputError("bad-subscription", "the subscription can't be read") from None
    return PushSubscription(
        endpoint=found[0], p256dh=found[1], auth=found[2], origin=origin, since=time.time()
    )
