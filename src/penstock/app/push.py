"""Web push for a process: who is subscribed, and sending to one of them.

Always true: a browser whose service says that it is gone is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from penstock.core.notify.message import Notice
from penstock.core.notify.push import PushSubscription, push_payload
from penstock.stores.notify.subscriptions import Subscriptions, push_key
from penstock.stores.notify.web_push import PushOutcome, public_key, send_push
from penstock.stores.system.places import state_home

__all__ = ["Push", "PushSubscription", "Subscriptions", "application_key", "pushed", "subscribers"]

Push = Callable[[PushSubscription, bytes, bytes], PushOutcome]


def subscribers() -> Subscriptions:
    """Return who is subscribed."""
    return Subscriptions(state_home())


def application_key() -> str:
    """Return the key that a browser binds its subscription to."""
    return public_key(push_key(state_home()))


def pushed(one: PushSubscription, due: Sequence[Notice], push: Push = send_push) -> str:
    """Tell one browser; return what went wrong."""
    outcome = push(one, push_payload(due), push_key(state_home()))
    if outcome.gone:
        subscribers().remove(one.endpoint)
    return outcome.fault
