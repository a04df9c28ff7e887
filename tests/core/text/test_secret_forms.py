"""Every known form of a secret leaves the text, and nothing else does."""

from __future__ import annotations

import pytest

from penstock.core.text import secret_forms
from penstock.core.text import secret_signs as signs
from penstock.core.text.redact import MARK, redact, secrets_in
from penstock.core.text.secret_signs import may_hold_secret
from penstock.core.text.token_formats import formats
from tests.core.text.benign import benign
from tests.core.text.contexts import CONTEXTS
from tests.core.text.tokens import example, examples

TOKENS = dict(examples())
AROUND = ("run {}", "echo '{}' > x", 'x="{}"', "({})", "a/{}/b", "x={}&y=1", "{}", "a, {}, b")
# Passwords as people choose them; none has a form of its own.
PASSWORDS = (
    "hunter2Hunter",
    "q7VbN3xK9mZr4TtW",
    "9f8e7d6c5b4a39281706f5e4d3c2b1a0",
    "p@55!Wörd#7x",
)
PIECE = 8  # so much of a secret in a row is readable


def is_readable(secret: str, text: str) -> bool:
    return any(secret[at : at + PIECE] in text for at in range(len(secret) - PIECE + 1))


def test_the_table_has_the_well_known_formats() -> None:
    assert len(TOKENS) >= 150
    assert len({token.pieces for token in formats()}) == len(formats()), "a row stands twice"


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize("around", AROUND)
def test_a_token_is_hidden_wherever_it_stands(name: str, around: str) -> None:
    token = TOKENS[name]
    random = token.removeprefix(next(one.prefix for one in formats() if one.name == name))
    text = around.format(token)
    assert may_hold_secret(text), "its sign is missing in `redact`"
    assert not is_readable(random, redact(text))
    assert secrets_in(text)


def test_a_token_that_was_cut_short_is_hidden_too() -> None:
    for token in formats():
        if token.is_telling and token.length - len(token.prefix) > 24:
            cut = example(token)[: len(token.prefix) + 22]
            assert cut not in redact(f"echo {cut}"), token.name


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("password", PASSWORDS)
def test_a_secret_is_hidden_by_what_introduces_it(context: str, password: str) -> None:
    text = context.format(password)
    assert may_hold_secret(text)
    assert not is_readable(password, redact(text))
    assert redact(redact(text)) == redact(text)
    assert secrets_in(text)
    assert not secrets_in(redact(text))


def test_benign_commands_stay_as_they_are() -> None:
    lines = set(benign())
    assert len(lines) >= 500
    assert {line: redact(line) for line in lines if redact(line) != line} == {}


def test_benign_commands_stay_as_they_are_in_quotes_and_beside_a_secret() -> None:
    secret = TOKENS["GitHub personal access token"]
    for line in benign():
        assert redact(f"{line} ; echo {secret}") == f"{line} ; echo {MARK}"


def cut_at(length: int, seed: str) -> str:
    digits = "q7VbN3xK9mZr4TtWq8LpYc2DsH5jG6fU"
    return (seed + digits * 10)[:length]


# Tokens are not of one length for ever: as they are issued today, and as they were.
LENGTHS = [
    *(f"{'8123456789'[:count]}:AA{cut_at(33, 'H')}" for count in (8, 9, 10)),
    f"https://api.telegram.org/bot8123456789:AF{cut_at(33, 'H')}/getMe",
    *(f"MT{cut_at(count, 'E')}.{cut_at(6, 'G')}.{cut_at(38, 'x')}" for count in (22, 24)),
    *(
        f"hooks.slack.com/services/T{one}/B{one}/{cut_at(24, 'a')}"
        for one in ("0A1B2C3D", "0A1B2C3D4E")
    ),
    *(f"t1.{cut_at(count, '9')}.{cut_at(86, 'z')}" for count in (20, 160)),
    f"glpat-{cut_at(27, 'a')}.01.{cut_at(9, 'b').lower()}",
    *(f"LTAI{cut_at(count, '5')}" for count in (16, 20)),
]


@pytest.mark.parametrize("token", LENGTHS)
def test_a_token_is_hidden_in_each_length_that_is_issued(token: str) -> None:
    assert not is_readable(token.rpartition(".")[2][-12:], redact(f"echo {token}"))


@pytest.mark.parametrize("name", ["AWS_SECRET_ACCESS_KEY=", "PresharedKey = ", "--account-key "])
def test_a_key_that_begins_like_a_path_is_hidden(name: str) -> None:
    for key in ("/" + cut_at(39, "w"), "/ab/" + cut_at(36, "w"), "/" + cut_at(42, "w") + "="):
        assert redact(f"tool {name}{key}") == f"tool {name}{MARK}"
    for path in ("/etc/ssl/private/server.key", "/home/ada/Projects2024/Certificates/serverkey"):
        assert redact(f"tool --private-key {path}") == f"tool --private-key {path}"


@pytest.mark.parametrize("opened", ["---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----"])
def test_a_private_key_of_another_program_is_hidden(opened: str) -> None:
    hidden = redact(f"{opened}\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n{opened.replace('BEGIN', 'END')}")
    assert not is_readable("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", hidden)


BLOCKS = ("RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY",
          "ENCRYPTED PRIVATE KEY", "DSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK")  # fmt: skip


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("end", ["\n", "\\n", "\r\n"])
def test_a_private_key_of_many_lines_is_hidden(block: str, end: str) -> None:
    body = end.join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUA"])
    text = f"cat <<EOF{end}-----BEGIN {block}-----{end}{body}{end}-----END {block}-----{end}ls"
    hidden = redact(text)
    assert not is_readable("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", hidden)
    assert not is_readable("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUA", hidden)
    assert hidden.endswith(f"{end}ls")
    assert secrets_in(text) == ("private key",)
    assert not secrets_in(f"-----BEGIN {block}-----[+27 lines]"), "its first line alone is none"


def test_a_pair_of_aws_keys_is_hidden_whole() -> None:
    secret = "wJalr" + "XUtnFEMIK7MDENGbPxRfiCYq" + "w8Zk2LmNo4P"
    for between in (" ", ",", "\t", ":", '","'):
        assert not is_readable(secret, redact(f"{TOKENS['AWS access key id']}{between}{secret}"))


def test_the_signature_of_an_address_is_hidden() -> None:
    signature = "u%2BQ7VbN3xK9mZr4TtWq8LpYc2Ds%3D"
    for name in ("sig", "Signature", "X-Amz-Signature"):
        hidden = redact(f"curl 'https://x.example.com/c/b?sv=2022&{name}={signature}&x=1'")
        assert hidden == f"curl 'https://x.example.com/c/b?sv=2022&{name}={MARK}&x=1'"


def test_both_modules_write_the_same_mark() -> None:
    assert secret_forms.MARK.decode() == MARK


def test_every_word_sign_ends_where_a_word_is_cut() -> None:
    for word in signs.WORDS:
        assert signs._words(word.decode()) == [word], "this sign can never be found"


def test_bytes_that_are_no_text_are_kept() -> None:
    text = "rm caf\udce9 ; export API_KEY=q7VbN3xK9mZr4TtW"
    assert redact(text) == f"rm caf\udce9 ; export API_KEY={MARK}"
