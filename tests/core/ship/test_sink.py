"""Addresses of sinks: what each one means, and which are refused."""

from __future__ import annotations

import pytest

from penstock.core.ship.settings import ShipSettings, credential_fault, ship_ignored, ship_settings
from penstock.core.ship.sink import SinkKind, sink_fault, sink_of

GOOD = [
    ("otlp+http://localhost:4318", SinkKind.OTLP, "localhost", 4318, "/v1/logs", False),
    ("otlp+https://otel.example/x", SinkKind.OTLP, "otel.example", 4318, "/x/v1/logs", True),
    ("otlp+https://o.example/v1/logs", SinkKind.OTLP, "o.example", 4318, "/v1/logs", True),
    ("syslog+tcp://log.example", SinkKind.SYSLOG, "log.example", 601, "/", False),
    ("syslog+tls://log.example:7000", SinkKind.SYSLOG, "log.example", 7000, "/", True),
    ("https://siem.example/in", SinkKind.LINES, "siem.example", 443, "/in", True),
    ("http://127.0.0.1:8088/in", SinkKind.LINES, "127.0.0.1", 8088, "/in", False),
    ("http://[::1]:8088", SinkKind.LINES, "::1", 8088, "/", False),
]
BAD = [
    ("", "begins with none"),
    ("siem.example", "begins with none"),
    ("ftp://siem.example", "begins with none"),
    ("https:siem.example", "begins with none"),
    ("http://siem.example/in", "without encryption"),
    ("http://127.0.0.1.example/in", "without encryption"),
    ("otlp+http://otel.example", "without encryption"),
    ("https://user:secret@siem.example", "credentials"),
    ("https://siem.example/?token=secret", "credentials"),
    ("https://", "no host"),
    ("https://siem.example:port", "host and port"),
    ("https://siem.example:99999", "host and port"),
    ("syslog+tcp://log.example/x", "with a path"),
    ("file:relative", "absolute"),
    ("https://a b", "not an address"),
    ("https://a\nb", "not an address"),
    ("https://\u202eelpmaxe.a", "not an address"),
]


@pytest.mark.parametrize(("text", "kind", "host", "port", "path", "tls"), GOOD)
def test_an_address_says_where_and_how(
    text: str, kind: SinkKind, host: str, port: int, path: str, tls: bool
) -> None:
    sink = sink_of(text)
    assert (sink.kind, sink.host, sink.port, sink.path, sink.tls) == (kind, host, port, path, tls)


def test_a_file_is_an_absolute_path() -> None:
    assert sink_of("file:/var/log/x.jsonl").path == "/var/log/x.jsonl"
    assert sink_of("file:///var/log/x.jsonl").path == "/var/log/x.jsonl"


@pytest.mark.parametrize(("text", "because"), BAD)
def test_an_address_that_cannot_be_used_is_told_without_its_secret(text: str, because: str) -> None:
    assert because in sink_fault(text)
    assert "secret" not in sink_fault(text)
    with pytest.raises(TypeError):
        sink_of(text)


def test_two_sinks_have_two_labels() -> None:
    assert sink_of("https://a.example").label != sink_of("https://b.example").label


def test_only_the_users_own_file_says_where_entries_go() -> None:
    levels = {
        "/home/u/penstock.toml": {"sinks": ("file:/a",), "authorization": "env:TOKEN"},
        "/p/penstock.toml": {"sinks": ("https://evil.example",), "ca_file": "/p/ca.pem"},
    }
    user = "/home/u/penstock.toml"
    expected = ShipSettings(sinks=("file:/a",), authorization="env:TOKEN")
    assert ship_settings(levels, user=user) == expected
    assert ship_ignored(levels, user=user) == ("/p/penstock.toml",)
    assert ship_settings({}, user=user) == ShipSettings()


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("env:TOKEN", True),
        ("file:token", True),
        ("Bearer abc", False),
        ("env:", False),
        ("file://x", False),
        ("", False),
    ],
)
def test_a_credential_is_named_never_written(text: str, good: bool) -> None:
    assert (not credential_fault(text)) is good
    assert "abc" not in credential_fault(text)
