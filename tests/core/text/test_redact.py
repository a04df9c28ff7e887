"""Secrets leave the text; the rest of it, which is evidence, stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.text.redact import MARK, MOST, is_secret_name, redact
from penstock.core.text.secret_signs import may_hold_secret

HIDDEN = [
    ("curl -H 'Authorization: Bearer abc.def.ghi12345' https://x", "abc.def.ghi12345", "a header"),
    ("curl -H 'authorization: token 0123456789abcdef'", "0123456789abcdef", "another scheme"),
    ("wget --header='Authorization: Basic Ym9iOmh1bnRlcjI='", "Ym9iOmh1bnRlcjI", "base64 login"),
    ("curl -u bob:hunter2 https://x", "hunter2", "a login option"),
    ("curl --user=bob:hunter2 https://x", "hunter2", "its long form"),
    ("export GITHUB_TOKEN=ghp_abcdefghij1234567890", "ghp_", "an assignment"),
    ("echo ghp_abcdefghij1234567890", "abcdefghij", "a token by its own form"),
    ("x github_pat_11ABCDEFG0123456789_abcdef y", "11ABCDEFG", "a token by its own form"),
    ("x glpat-abcdefghijklmnopqrst y", "abcdefghijkl", "a token by its own form"),
    ("x sk-ant-api03-abcdefghijklmnopqrstuvwxyz y", "abcdefghijkl", "a token by its own form"),
    ("x xoxb-123456789012-abcdefghijkl y", "123456789012", "a token by its own form"),
    ("x AKIAABCDEFGHIJKLMNOP y", "ABCDEFGHIJKL", "a cloud key id"),
    ("x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdef y", "hbGciOi", "a web token"),
    ("mysql -uroot -pS3cret db", "S3cret", "an option without a space"),
    ("sshpass -p hunter2 ssh x", "hunter2", "an option with a space"),
    ("git clone https://bob:pw@host/x.git", ":pw@", "a login in an address"),
    ("tool --db-password hunter2 --x", "hunter2", "a telling option"),
    ('{"password": "a b c"}', "a b c", "JSON"),
    ('echo "{\\"password\\": \\"abc\\"}"', "abc", "JSON in a shell"),
    ("PASSWORD='my pass word' run", "pass word", "a quoted value with spaces"),
    ("client_secret: zzz", "zzz", "a colon"),
    ("https://x/?api_key=abc123&b=2", "abc123", "a query"),
    ("STRIPE_KEY=abcdefgh12", "abcdefgh12", "a long value of some key"),
    ("aws configure set aws_secret_access_key wJalrXUtnFEMI", "wJalrXUtnFEMI", "a setting"),
    ("-----BEGIN RSA PRIVATE KEY-----MIIabc", "MIIabc", "a private key"),
    ("config/password=hunter2.txt", "hunter2", "a path can hold one, too"),
]
KEPT = [
    ("docker run -u 1000:1000 x", "ids are no login"),
    ("max_tokens=100", "a count"),
    ("src/token usage.md", "a file name with a space"),
    ("src/password_reset.py:12", "a line number"),
    ("secrets/api_key.txt", "a protected path is evidence"),
    ("author=Bob", "not auth"),
    ("sort --key=2 x", "a column"),
    ("sk-learn", "a library"),
    ("task-list-of-things-to-do", "a word inside a word"),
    ("basic authentication", "prose"),
    ("monkey=bananas12345", "not a key"),
    ("mkdir -p a/b", "not a password"),
    ("git commit -m 'token handling'", "prose"),
    ("src/pkg/module.py", "nothing at all"),
]


@pytest.mark.parametrize(("text", "secret", "why"), HIDDEN)
def test_a_secret_is_replaced_by_a_mark(text: str, secret: str, why: str) -> None:
    assert secret in text
    assert secret not in redact(text), why
    assert MARK in redact(text)


@pytest.mark.parametrize(("text", "why"), KEPT)
def test_what_is_no_secret_stays_as_it_is(text: str, why: str) -> None:
    assert redact(text) == text, why


def test_what_stands_around_a_secret_stays() -> None:
    assert redact("curl -u bob:hunter2 https://x") == f"curl -u bob:{MARK} https://x"
    assert (
        redact("git clone https://bob:pw@host/x.git") == f"git clone https://bob:{MARK}@host/x.git"
    )


@pytest.mark.parametrize(("text", "secret", "why"), HIDDEN)
def test_redacting_twice_changes_nothing(text: str, secret: str, why: str) -> None:
    assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize(("text", "secret", "why"), HIDDEN)
def test_every_pattern_has_its_sign(text: str, secret: str, why: str) -> None:
    assert may_hold_secret(text), why


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("password", True),
        ("api_key", True),
        ("apiKey", True),
        ("x-auth-token", True),
        ("client_secret", True),
        ("Authorization", True),
        ("token_count", True),
        ("tool_call_id", False),
        ("author", False),
        ("base_hash", False),
        ("keyboard", False),
    ],
)
def test_a_name_says_whether_its_value_is_a_secret(name: str, secret: bool) -> None:
    assert is_secret_name(name) is secret


HOSTILE = (
    *("-", "token", "token ", "key=", "://", "://a:", "mysql ", "mysql -p ", "bearer "),
    *("authorization:", "passwd\"'", "eyJ", "-u a:", "secret:", '"', "\\", 'password=\\"'),
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_text_made_to_run_away_comes_back(piece: str) -> None:
    # a pattern with exponential steps would not return before the suite is stopped
    assert len(redact((piece * MOST)[: MOST * 4])) <= MOST * len(MARK)


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=200))
def test_any_text_can_be_redacted(text: str) -> None:
    assert isinstance(redact(text), str)
