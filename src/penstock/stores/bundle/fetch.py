"""Fetch the bytes of a bundle from where it is published.

Whether they are a bundle, and may be in force, is settled in `core.bundle`.
Always true: a certificate is checked, a redirect is not followed, at most LARGEST bytes are read
whatever a server says or sends, and every wait has an end.
"""

from __future__ import annotations

import http.client
import os
import ssl
import tempfile
import time
from contextlib import closing

from msgspec import Struct

from penstock.core.bundle.address import BundleAddress, BundleWay
from penstock.core.bundle.document import LARGEST, too_large
from penstock.core.errors import PenstockError, StoreError
from penstock.core.text.display import spoken
from penstock.stores.git.run import GitError, run
from penstock.stores.system import private
from penstock.stores.system.http_post import HttpAddress, connected, told

WITHIN = 30.0  # seconds for each step of a connection
LONGEST = 120.0  # seconds for all of it
PIECE = 1 << 16
MOST_ETAG = 200
GIT_BYTES = 64 * 1024 * 1024  # of any file that git writes meanwhile
HINT = "check the address and the network; the last valid bundle stays active"


class FetchedBundle(Struct, frozen=True, kw_only=True):
    """What was read; `data` is None where the server says that it has not changed."""

    data: bytes | None
    etag: str = ""


def fetch(
    address: BundleAddress, *, etag: str = "", authorization: str = "", ca_file: str = ""
) -> FetchedBundle:
    """Return the bytes at an address. Raises StoreError, InputError."""
    if address.way is BundleWay.FILE:
        return FetchedBundle(data=_from_file(address))
    if address.way is BundleWay.GIT:
        return FetchedBundle(data=_from_git(address))
    try:
        return _from_web(address, etag, authorization, ca_file)
    except ssl.SSLCertVerificationError as fault:
        raise StoreError(
            "bundle-certificate",
            f"the certificate of `{address.host}` is not valid",
            because=fault.verify_message,
            hint="fix the server, or name its authority with `ca_file` in `[bundle]`",
        ) from None
    except (OSError, http.client.HTTPException, ValueError) as fault:
        raise _unreachable(address, told(fault)) from None


def _unreachable(address: BundleAddress, because: str) -> PenstockError:
    return StoreError(
        "bundle-unreachable",
        f"the policy bundle at `{address.shown}` can't be fetched",
        because=because,
        hint=HINT,
    )


def _from_file(address: BundleAddress) -> bytes:
    try:
        with open(private.open_plain(address.path), "rb") as file:
            if os.fstat(file.fileno()).st_size > LARGEST:
                raise too_large()
            return file.read(LARGEST + 1)
    except OSError as fault:
        raise _unreachable(address, told(fault)) from None


def _from_web(address: BundleAddress, etag: str, authorization: str, ca_file: str) -> FetchedBundle:
    to = HttpAddress(
        host=address.host,
        port=address.port,
        path=address.path,
        tls=address.tls,
        ca_file=os.path.expanduser(ca_file),
        step=WITHIN,
        whole=LONGEST,
    )
    headers = {"Accept": "application/json", "User-Agent": "penstock"}
    headers |= {"If-None-Match": etag} if etag else {}
    headers |= {"Authorization": authorization} if authorization else {}
    with connected(to) as made:
        made.request("GET", to.path, headers=headers)
        with closing(made.getresponse()) as answer:
            return _taken(address, answer, etag)


def _taken(address: BundleAddress, answer: http.client.HTTPResponse, etag: str) -> FetchedBundle:
    """Return what a server answered. Raises StoreError for anything but a bundle or no news."""
    if answer.status == http.client.NOT_MODIFIED and etag:
        return FetchedBundle(data=None, etag=etag)
    if answer.status != http.client.OK:
        said = spoken(f"it answers {answer.status} {answer.reason}")
        raise _unreachable(address, said[:100])
    given = answer.getheader("ETag") or ""
    fits = len(given) <= MOST_ETAG and given.isascii() and given.isprintable()
    if answer.getheader("Content-Encoding", "identity").strip().lower() != "identity":
        raise _unreachable(address, "it answers in a packed form that nobody asked for")
    return FetchedBundle(data=_bounded(address, answer), etag=given if fits else "")


def _bounded(address: BundleAddress, answer: http.client.HTTPResponse) -> bytes:
    """Read an answer to its end, which has to come: by size, and by the clock."""
    if answer.length is not None and answer.length > LARGEST:
        raise too_large()
    pieces, size, until = [], 0, time.monotonic() + LONGEST
    while piece := answer.read1(PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > LARGEST:
            raise too_large()
        if time.monotonic() > until:
            raise _unreachable(address, "it did not end in time")
    if answer.length:
        raise _unreachable(address, "it ended before all of it was sent")
    return b"".join(pieces)


# --- git -----------------------------------------------------------------------------------

# The transports that an address may name, in git's own words; nothing else is let through.
STRAIGHT = ("-c", "http.followRedirects=false")
TRANSPORT = {"https": "https", "ssh": "ssh", "file": "file"}


def _from_git(address: BundleAddress) -> bytes:
    """Fetch one commit into an empty repository of ours, and read one file of it."""
    kind = TRANSPORT[address.url.partition(":")[0]]
    allowed = {"GIT_ALLOW_PROTOCOL": kind, "GIT_SSH_COMMAND": "ssh -o BatchMode=yes"}
    try:
        with tempfile.TemporaryDirectory(prefix="penstock-bundle-") as folder:
            run(folder, "init", "--quiet", "--bare", "--template=")
            bare = ("--git-dir", folder)
            words = ("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules")
            fetched = (*STRAIGHT, *bare, *words, "--", address.url, address.ref)
            run(folder, *fetched, more=allowed, seconds=LONGEST, file_bytes=GIT_BYTES)
            name = f"FETCH_HEAD:{address.path}"
            size = run(folder, *bare, "cat-file", "-s", name)[1]
            if int(size) > LARGEST:
                raise too_large()
            return run(folder, *bare, "cat-file", "blob", name)[1]
    except GitError as fault:
        raise _unreachable(address, fault.because) from None
    except OSError as fault:
        raise _unreachable(address, told(fault)) from None
