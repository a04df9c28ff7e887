"""A TLS certificate for one name: the user's own, checked, or one that is made here.

A self-made one has an authority of its own, which devices can be told to trust. The authority's key
is thrown away once it has signed, and what it may sign for is this one name, so trusting it gives
nobody a way to pose as another site.
Always true: a key that was made here is readable by its owner alone; a certificate that comes out
is for the name, valid today, and fits its key.
"""

from __future__ import annotations

import os
import ssl
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.core.errors import InputError, PenstockError
from penstock.stores.system.private import private_dir, read_file, told, write_file

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

FOLDER = "tls"
CHAIN, KEY, AUTHORITY = "certificate.pem", "key.pem", "authority.pem"
DAYS, RENEW_DAYS = 397, 30  # phones refuse certificates that are valid for longer
LARGEST = 256 * 1024


class TlsCertificate(Struct, frozen=True, kw_only=True):
    """Where a certificate and its key are; `authority` is what devices install, if made here."""

    chain: str
    key: str
    fingerprint: str
    authority: bytes = b""

    def context(self) -> ssl.SSLContext:
        """Return what a server offers: TLS 1.2 and later, HTTP/1.1."""
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.minimum_version = ssl.TLSVersion.TLSv1_2
        made.set_alpn_protocols(["http/1.1"])
        try:
            made.load_cert_chain(self.chain, self.key, password=_no_password)
        except (OSError, ValueError) as fault:
            raise _unusable(self.chain, str(fault)) from None
        return made


def _no_password() -> str:
    raise ValueError("the key is encrypted; a server has nobody to ask for its password")


def own_certificate(name: str, chain: str, key: str) -> TlsCertificate:
    """Return the user's own certificate. Raises InputError `bad-certificate`."""
    with told("read the certificate", chain), open(chain, "rb") as file:
        data = file.read(LARGEST)
    leaf = _first(data, chain)
    if fault := _fault(leaf, name):
        raise _unusable(chain, fault)
    return TlsCertificate(chain=chain, key=key, fingerprint=_fingerprint(leaf))


def made_certificate(home: str, name: str) -> TlsCertificate:
    """Return the certificate that was made for a name, made anew where it ends soon."""
    folder = os.path.join(home, FOLDER, name)
    found = _kept(folder, name)
    if found is None:
        _make(private_dir(folder), name)
        found = _kept(folder, name)
        assert found is not None
    return found


def _kept(folder: str, name: str) -> TlsCertificate | None:
    chain, authority = (
        read_file(os.path.join(folder, one), limit=LARGEST) for one in (CHAIN, AUTHORITY)
    )
    if not chain or not authority or not os.path.exists(os.path.join(folder, KEY)):
        return None
    try:
        leaf, root = _first(chain, folder), _first(authority, folder)
    except PenstockError:
        return None
    soon = datetime.now(UTC) + timedelta(days=RENEW_DAYS)
    if _fault(leaf, name) or leaf.not_valid_after_utc < soon:
        return None
    return TlsCertificate(
        chain=os.path.join(folder, CHAIN),
        key=os.path.join(folder, KEY),
        fingerprint=_fingerprint(root),
        authority=authority,
    )


def _make(folder: str, name: str) -> None:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    root_key, leaf_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    root = _signed(name, root_key, root_key, authority=True)
    leaf = _signed(name, leaf_key, root_key, authority=False)
    del root_key  # nothing more is ever signed with it
    secret = leaf_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    pem = {one: one.public_bytes(Encoding.PEM) for one in (leaf, root)}
    parts = {KEY: secret, AUTHORITY: pem[root], CHAIN: pem[leaf] + pem[root]}
    with told("keep the certificate", folder):
        for file, data in parts.items():
            write_file(folder, file, data, replace=True)


def _signed(
    name: str, key: EllipticCurvePrivateKey, by: EllipticCurvePrivateKey, *, authority: bool
) -> x509.Certificate:
    from cryptography import x509
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    def called(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:64])])

    issuer = called(f"Penstock on {name}")
    now, dns = datetime.now(UTC), x509.DNSName(name)
    made = (
        x509.CertificateBuilder()
        .subject_name(issuer if authority else called(name))
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=DAYS - 1))
        .add_extension(_constraint(authority=authority), critical=True)
        .add_extension(_usage(authority=authority), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(by.public_key()), critical=False
        )
    )
    if authority:
        made = made.add_extension(x509.NameConstraints([dns], None), critical=True)
    else:
        server = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        made = made.add_extension(x509.SubjectAlternativeName([dns]), critical=False)
        made = made.add_extension(server, critical=False)
    return made.sign(by, SHA256())


def _constraint(*, authority: bool) -> x509.BasicConstraints:
    from cryptography import x509

    return x509.BasicConstraints(ca=authority, path_length=0 if authority else None)


def _usage(*, authority: bool) -> x509.KeyUsage:
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=not authority,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _first(data: bytes, where: str) -> x509.Certificate:
    from cryptography import x509

    try:
        return x509.load_pem_x509_certificates(data)[0]
    except (ValueError, IndexError):
        raise _unusable(where, "it holds no certificate in PEM") from None


def _fault(leaf: x509.Certificate, name: str) -> str:
    """Return why browsers would warn about a certificate, as far as that can be told here."""
    from cryptography import x509

    now = datetime.now(UTC)
    if not leaf.not_valid_before_utc <= now < leaf.not_valid_after_utc:
        return f"it is valid from {leaf.not_valid_before_utc} to {leaf.not_valid_after_utc}"
    try:
        found = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        names = found.get_values_for_type(x509.DNSName)
    except x509.ExtensionNotFound:
        names = []
    wild = f"*.{name.partition('.')[2]}"
    return "" if {name, wild} & {one.lower() for one in names} else f"it is not for `{name}`"


def _fingerprint(one: x509.Certificate) -> str:
    from cryptography.hazmat.primitives.hashes import SHA256

    return one.fingerprint(SHA256()).hex(":").upper()


def _unusable(path: str, because: str) -> InputError:
    return InputError(
        "bad-certificate",
        f"the certificate `{path}` can't be used",
        because=because,
        hint="name a certificate and a key in PEM for this host name, or leave both options out",
    )
