"""Web push: encrypted for the browser, signed for its service, and silent about what is pending."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Iterator
from functools import partial

import pytest
from msgspec.structs import replace

from penstock.app import announce, open_workspace
from penstock.app.deliver import Teller
from penstock.app.push import application_key, subscribers
from penstock.core.notify.push import PADDED, endpoint_fault, subscription_fault
from penstock.stores.notify.subscriptions import MOST
from penstock.stores.notify.web_push import send_push
from tests.app.test_telling import user_rules
from tests.cli.pending import events, one_proposed, proposed, surroundings_of
from tests.project import Project
from tests.push_service import SERVICES, PushService, push_service

ENDPOINTS = {
    "https://fcm.googleapis.com/fcm/send/x": True,
    "https://updates.push.services.mozilla.com/wpush/v2/x": True,
    "https://web.push.apple.com/x": True,
    "https://wns2-by3p.notify.windows.com/w/?token=x": True,
    "http://fcm.googleapis.com/fcm/send/x": False,
    "https://fcm.googleapis.com:8443/x": False,
    "https://fcm.googleapis.com.evil.example/x": False,
    "https://evilfcm.googleapis.com/x": False,
    "https://push.apple.com/x": False,
    "https://fcm.googleapis.com@evil.example/x": False,
    "https://a:b@fcm.googleapis.com/x": False,
    "https://127.0.0.1/x": False,
    "http://169.254.169.254/latest": False,
    "https://localhost:7717/": False,
    "file:///etc/passwd": False,
    "https://[": False,
    "": False,
    f"https://fcm.googleapis.com/{'x' * 3000}": False,
}


@pytest.mark.parametrize(("endpoint", "good"), ENDPOINTS.items())
def test_only_addresses_of_known_services_are_posted_to(endpoint: str, good: bool) -> None:
    assert (endpoint_fault(endpoint) == "") is good


@pytest.fixture
def service() -> Iterator[PushService]:
    with push_service() as one:
        yield one


@pytest.fixture
def subscribed(project: Project, service: PushService, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project of somebody whose phone is subscribed; the test takes each turn itself."""
    monkeypatch.setenv(announce.SWITCH, "off")
    user_rules(project, "every_seconds = 0")
    with surroundings_of(project):
        subscribers().add(service.subscription)
    return project


def tell(project: Project) -> None:
    with surroundings_of(project):
        push = partial(send_push, services=SERVICES)
        teller = Teller(open_workspace(str(project.root)), os.environ, push=push)
        teller.sleep = lambda _: teller._not_before.clear()
        teller.run(life=5.0)


def test_a_pending_change_is_pushed_once_and_the_push_tells_nothing_of_it(
    subscribed: Project, service: PushService
) -> None:
    one = one_proposed(subscribed, "secret-plan.txt", b"password = hunter2\n")
    tell(subscribed)
    tell(subscribed)
    assert len(service.bodies) == 1
    said = service.opened()
    assert json.loads(said) == {"pending": 1, "to": f"/proposals/{one}"}
    assert len(said) == PADDED
    assert b"secret-plan" not in said
    for text in (b"secret-plan", b"pending", one.encode()):  # nor can the service read it
        assert text not in service.bodies[0]
    (event,) = events(subscribed, "notified")
    assert (event["status"], event["target"]) == ("sent", service.subscription.name)
    assert service.endpoint not in json.dumps(event)


def test_the_service_is_told_who_sends_and_for_how_long(
    subscribed: Project, service: PushService
) -> None:
    one_proposed(subscribed, "a.txt", b"x\n")
    tell(subscribed)
    claims, headers = service.claims(), service.headers[0]
    assert claims["aud"] == f"http://127.0.0.1:{service.port}"
    assert time.time() < claims["exp"] < time.time() + 24 * 3600
    assert headers["content-encoding"] == "aes128gcm"
    assert int(headers["ttl"]) > 0
    with surroundings_of(subscribed):
        assert f"k={application_key()}" in headers["authorization"]


def test_several_changes_are_one_push_to_the_queue(
    subscribed: Project, service: PushService
) -> None:
    one_proposed(subscribed, "a.txt", b"x\n")
    proposed(subscribed, {"b.txt": b"x\n", "c.txt": b"y\n"})
    tell(subscribed)
    assert json.loads(service.opened()) == {"pending": 2, "to": "/"}
    assert len(service.opened()) == PADDED


def test_a_browser_that_is_gone_is_forgotten(subscribed: Project, service: PushService) -> None:
    service.status = 410
    one_proposed(subscribed, "a.txt", b"x\n")
    tell(subscribed)
    with surroundings_of(subscribed):
        assert subscribers().all() == ()


def test_a_failing_service_is_tried_again_and_logged(
    subscribed: Project, service: PushService
) -> None:
    service.status = 500
    one_proposed(subscribed, "a.txt", b"x\n")
    tell(subscribed)
    assert len(service.bodies) == 3
    assert events(subscribed, "notified")[-1]["reason"] == "the push service answered 500"
    service.status = 201
    tell(subscribed)
    assert events(subscribed, "notified")[-1]["status"] == "sent"


def test_an_address_of_nobodys_gets_no_request(subscribed: Project, service: PushService) -> None:
    outcome = send_push(service.subscription, b"{}", b"")
    assert "no push service" in outcome.fault
    assert service.bodies == []


def test_keys_that_are_none_are_refused(service: PushService) -> None:
    one = service.subscription
    for wrong in ({"p256dh": "AAAA"}, {"auth": "AAAA"}, {"p256dh": "!"}, {"auth": ""}):
        assert subscription_fault(replace(one, **wrong), SERVICES) == "its keys can't be read"
    off_curve = replace(one, p256dh="B" + "A" * 86)
    key = b""
    assert send_push(off_curve, b"{}", key, services=SERVICES).fault
    assert service.bodies == []


def test_subscriptions_are_private_few_and_one_for_each_browser(
    subscribed: Project, service: PushService
) -> None:
    with surroundings_of(subscribed):
        held = subscribers()
        held.add(service.subscription)
        assert len(held.all()) == 1
        for n in range(MOST + 3):
            held.add(replace(service.subscription, endpoint=f"{service.endpoint}{n}"))
        assert len(held.all()) == MOST
        application_key()
    for name in ("push.json", "push.key"):
        (file,) = subscribed.home.rglob(name)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
