"""Send one web push: encrypted for the browser (RFC 8291), signed for its service (RFC 8292).

Both are the work of the libraries that this field uses (`http-ece`, `py-vapid`), of the extra
`web`. What a push says is `core.notify.push`'s.
Always true: nothing is posted to an address that is not a known service's; an outcome says nothing
of the address; sending ends in time.
"""

from __future__ import annotations

import http.client
import ssl
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from msgspec import Struct

from penstock.core.distribution import HOME, pip_install
from penstock.core.notify.push import SERVICES, PushSubscription, subscription_fault
from penstock.stores.system.http_post import HttpAddress, post
from penstock.stores.system.http_post import told as in_words

STEP, WHOLE = 10.0, 15.0  # seconds
KEPT = 4 * 3600  # seconds for which a service keeps a push for a phone that is off
SIGNED_FOR = 12 * 3600
GONE = frozenset({404, 410})


class PushOutcome(Struct, frozen=True, kw_only=True):
    """What became of a push: `fault` is empty where it was taken; `gone` asks to forget it."""

    fault: str = ""
    gone: bool = False


def public_key(key: bytes) -> str:
    """Return the public half of a push key, as a browser is told it."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    from py_vapid import Vapid02, b64urlencode

    point = Vapid02.from_pem(key).public_key.public_bytes(
        Encoding.X962, PublicFormat.UncompressedPoint
    )
    text: str = b64urlencode(point)
    return text


def send_push(
    to: PushSubscription, payload: bytes, key: bytes, *, services: Sequence[str] = SERVICES
) -> PushOutcome:
    """Send a push; never raises."""
    if fault := subscription_fault(to, services):
        return PushOutcome(fault=fault)
    try:
        body, headers = _sealed(to, payload), _headers(to, key)
    except ImportError:
        return PushOutcome(fault=f"this needs an extra: {pip_install('web')}")
    except Exception as fault:  # noqa: BLE001 - whatever a library stumbles over, it is not sent
        return PushOutcome(fault=f"it could not be encrypted: {type(fault).__name__}")
    try:
        status = post(_address(to.endpoint), body, headers).status
    except (OSError, http.client.HTTPException, ValueError, ssl.SSLError) as fault:
        return PushOutcome(fault=f"the push service: {in_words(fault)}")
    if status in (200, 201, 202, 204):
        return PushOutcome()
    return PushOutcome(fault=f"the push service answered {status}", gone=status in GONE)


def _sealed(to: PushSubscription, payload: bytes) -> bytes:
    import http_ece
    from cryptography.hazmat.primitives.asymmetric import ec

    once = ec.generate_private_key(ec.SECP256R1())
    made: bytes = http_ece.encrypt(
        payload, private_key=once, dh=to.point, auth_secret=to.secret, version="aes128gcm"
    )
    return made


def _headers(to: PushSubscription, key: bytes) -> dict[str, str]:
    from py_vapid import Vapid02

    parts = urlsplit(to.endpoint)
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int(time.time()) + SIGNED_FOR,
        "sub": HOME,
    }
    signer = Vapid02.from_pem(key)
    signer.conf["no-strict"] = True  # it knows no contact address with a path, which RFC 8292 has
    return {
        **signer.sign(claims),
        "Content-Type": "application/octet-stream",
        "Content-Encoding": "aes128gcm",
        "TTL": str(KEPT),
        "Urgency": "high",
    }


def _address(endpoint: str) -> HttpAddress:
    parts = urlsplit(endpoint)
    tls = parts.scheme == "https"
    return HttpAddress(
        host=parts.hostname or "",
        port=parts.port or (443 if tls else 80),
        path=f"{parts.path or '/'}" + (f"?{parts.query}" if parts.query else ""),
        tls=tls,
        step=STEP,
        whole=WHOLE,
    )
