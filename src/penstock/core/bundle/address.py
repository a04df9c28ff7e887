"""Where a bundle is published: an address of the web, a repository of git, or a file.

Always true: an address holds no credentials, so that it can be shown, and what follows a `?` is
not shown all the same; nothing is fetched without TLS or SSH, except from this machine.
"""

from __future__ import annotations

from enum import StrEnum
from urllib.parse import urlsplit

from msgspec import Struct

from penstock.core.loopback import HOSTS
from penstock.core.text.display import spoken

LONGEST = 2000
GIT = "git+"
IN_GIT = "bundle.json"  # the usual name in a repository
HEAD = "HEAD"


class BundleWay(StrEnum):
    """How a bundle is fetched."""

    WEB = "web"
    GIT = "git"
    FILE = "file"


class BundleAddress(Struct, frozen=True, kw_only=True):
    """Where a bundle is. Of git: `url` is the repository, `ref` a branch, `path` the file."""

    way: BundleWay
    shown: str
    url: str = ""
    host: str = ""
    port: int = 0
    path: str = ""
    tls: bool = False
    ref: str = HEAD


def address_fault(text: str) -> str:
    """Return what is wrong with an address; nothing when it can be used."""
    found = _parsed(text)
    return found if isinstance(found, str) else ""


def address_of(text: str) -> BundleAddress:
    """Return the address that a text is, which is not wrong."""
    found = _parsed(text)
    if isinstance(found, str):
        raise TypeError(found)
    return found


def shown_address(text: str) -> str:
    """Return an address for people: without its query, which may hold a token."""
    before, mark, query = text.partition("?")
    return f"{before}?..." if mark and query else text


def _parsed(text: str) -> BundleAddress | str:
    if not text or len(text) > LONGEST or spoken(text) != text or " " in text:
        return "is not an address"
    scheme, colon, rest = text.partition(":")
    if scheme == "file" and colon:
        path = rest.removeprefix("//")
        if not path.startswith("/"):
            return "is a file without an absolute path; write `file:/path/to/bundle.json`"
        return BundleAddress(way=BundleWay.FILE, shown=f"file:{path}", path=path)
    if scheme in ("https", "http"):
        return _of_web(text)
    return _of_git(text) if scheme.startswith(GIT) else _unknown()


def _unknown() -> str:
    return "begins with none of `https://`, `git+https://`, `git+ssh://`, `git+file://` and `file:`"


def _of_web(text: str) -> BundleAddress | str:
    try:
        parts = urlsplit(text)
        host, tls = parts.hostname or "", parts.scheme == "https"
        port = parts.port or (443 if tls else 80)
    except ValueError:
        return "has no valid host and port"
    if not host:
        return "has no host"
    if parts.username is not None or parts.password is not None or parts.fragment:
        return "holds more than host, port and path; put credentials into `authorization`"
    if not tls and host not in HOSTS:
        return "is fetched without encryption; use https, or a host on this machine"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return BundleAddress(
        way=BundleWay.WEB,
        shown=shown_address(text),
        url=text,
        host=host,
        port=port,
        path=path,
        tls=tls,
    )


def _of_git(text: str) -> BundleAddress | str:
    url, _, inside = text.removeprefix(GIT).partition("#")
    ref, colon, path = inside.partition(":")
    ref, path = (ref, path) if colon else (HEAD, inside)
    try:
        parts = urlsplit(url)
        secret = parts.password is not None
    except ValueError:
        return "has no valid host and port"
    if parts.scheme not in ("https", "ssh", "file"):
        return _unknown()
    if secret or parts.query or (parts.scheme == "https" and parts.username is not None):
        return "holds credentials; let git's own credential helper keep them"
    if not (parts.hostname or parts.scheme == "file") or not parts.path:
        return "names no repository"
    if (parts.hostname or "").startswith("-"):
        return "has a host that git would take for an option"
    path = path or IN_GIT
    if ref.startswith("-") or path.startswith(("-", "/")) or ".." in path.split("/"):
        return "names a branch or a file that git would not take for one"
    return BundleAddress(way=BundleWay.GIT, shown=text, url=url, path=path, ref=ref or HEAD)
