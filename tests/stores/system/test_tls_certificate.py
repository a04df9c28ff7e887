"""Certificates: made for one name and kept, or the user's own and checked."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from penstock.core.errors import InputError
from penstock.stores.system import tls_certificate
from penstock.stores.system.tls_certificate import made_certificate, own_certificate

NAME = "laptop.local"


def test_it_is_made_once_and_its_key_is_private(tmp_path: Path) -> None:
    one = made_certificate(str(tmp_path), NAME)
    assert made_certificate(str(tmp_path), NAME) == one
    assert stat.S_IMODE(os.stat(one.key).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(one.key)).st_mode) == 0o700
    other = made_certificate(str(tmp_path), "other.local")
    assert other.fingerprint != one.fingerprint


def test_its_authority_may_sign_for_this_name_alone_and_its_key_is_gone(tmp_path: Path) -> None:
    one = made_certificate(str(tmp_path), NAME)
    (root,) = x509.load_pem_x509_certificates(one.authority)
    limits = root.extensions.get_extension_for_class(x509.NameConstraints)
    assert limits.critical
    assert limits.value.permitted_subtrees == [x509.DNSName(NAME)]
    assert root.fingerprint(root.signature_hash_algorithm).hex(":").upper() == one.fingerprint  # type: ignore[arg-type]
    keys = [
        path for path in tmp_path.rglob("*") if path.is_file() and b"PRIVATE" in path.read_bytes()
    ]
    kept = load_pem_private_key(keys[0].read_bytes(), None).public_key()
    assert len(keys) == 1
    assert kept != root.public_key()


def test_it_is_made_anew_before_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(tls_certificate, "DAYS", tls_certificate.RENEW_DAYS + 2)
        short = made_certificate(str(tmp_path), NAME)
        patch.setattr(tls_certificate, "RENEW_DAYS", tls_certificate.RENEW_DAYS + 2)
        patch.setattr(tls_certificate, "DAYS", 397)
        one = made_certificate(str(tmp_path), NAME)
    assert one.fingerprint != short.fingerprint
    leaf = x509.load_pem_x509_certificates(Path(one.chain).read_bytes())[0]
    left = leaf.not_valid_after_utc - datetime.now(UTC)
    assert timedelta(days=390) < left < timedelta(days=398)


def own(tmp_path: Path) -> tuple[str, str]:
    made = made_certificate(str(tmp_path), NAME)
    return made.chain, made.key


def test_ones_own_is_taken_where_it_is_for_the_name(tmp_path: Path) -> None:
    chain, key = own(tmp_path)
    found = own_certificate(NAME, chain, key)
    assert found.authority == b""
    found.context()


def test_one_for_another_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be used") as no:
        own_certificate("other.local", *own(tmp_path))
    assert "not for `other.local`" in no.value.because


def test_no_certificate_another_key_and_a_sealed_key_are_refused(tmp_path: Path) -> None:
    chain, key = own(tmp_path)
    with pytest.raises(InputError):
        own_certificate(NAME, key, key)
    other = made_certificate(str(tmp_path), "other.local")
    with pytest.raises(InputError):
        own_certificate(NAME, chain, other.key).context()
    sealed = tmp_path / "sealed.pem"
    secret = load_pem_private_key(Path(key).read_bytes(), None)
    how = BestAvailableEncryption(b"x")
    sealed.write_bytes(secret.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how))
    with pytest.raises(InputError) as no:
        own_certificate(NAME, chain, str(sealed)).context()
    assert "encrypted" in no.value.because
