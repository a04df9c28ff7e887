"""File servers: everything below the directory that they serve can be read by whoever asks.

Servers of frameworks (`vite`, `next dev`, `flask run`) decide what they give away and are not
here. Always true: a server is asked about only where a protected file lies below its directory,
and the question names that file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from penstock.core.shell.effects import HERE, Effect, Program, ProgramCall, options
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.reads.mention import mentioned
from penstock.core.shell.programs.reads.rows import sweep


def serves(
    folders: str = "",
    short: str = "",
    long: str = "",
    *,
    verb: str = "",
    no: str = "help h version",
) -> Program:
    """A directory among the operands, or the value of an option in `folders`, is served.

    With `verb` only that subcommand serves; the options in `no` mean that nothing is served.
    """
    letters = "".join(name for name in folders.split() if len(name) == 1)

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=short + letters, long=f"{long} {folders}")
        words = [word for word in found.operands if not word.text.isdigit()]
        if verb and words[:1] != [Value(verb)]:
            yield from mentioned(call)
            return
        if not found.has(*no.split()):
            given = found.values(*folders.split()) or words[bool(verb) :][:1]
            yield from sweep(given or (HERE,))

    return program


def _httpd(call: ProgramCall) -> Iterator[Effect]:
    """That of busybox: Apache's has other options."""
    found = options(call.args, short="chpurm")
    if found.has("f", "p", "h") and not found.has("k", "t", "D", "M"):
        yield from sweep(found.values("h") or (HERE,))


def _ngrok(call: ProgramCall) -> Iterator[Effect]:
    for word in call.args:
        if word.text.startswith("file://"):
            yield from sweep([replace(word, text=word.text[7:])])


_PORTS = "bind port host address listen cors username password cert key config"

SERVERS: Mapping[str, Program] = {
    **dict.fromkeys(
        ("http.server", "SimpleHTTPServer", "uploadserver", "updog", "RangeHTTPServer"),
        serves("d directory", "bp", "bind protocol port"),
    ),
    **dict.fromkeys(
        ("http-server", "live-server", "static-server"), serves("", "pacCdgPi", _PORTS)
    ),
    **dict.fromkeys(("serve", "sirv", "servor", "sirv-cli"), serves("", "lpcdtn", _PORTS)),
    **dict.fromkeys(("local-web-server", "lws"), serves("d directory", "p", _PORTS)),
    "caddy": serves("r root", "lad", "listen domain", verb="file-server"),
    "twistd": serves("path", "py", "port listen", verb="web"),
    **dict.fromkeys(
        ("miniserve", "dufs", "darkhttpd", "sfz", "webfsd"), serves("r", "pibau", _PORTS)
    ),
    **dict.fromkeys(
        ("simple-http-server", "goshs", "devd", "gohttpserver"), serves("d", "pib", _PORTS)
    ),
    **dict.fromkeys(
        ("static-web-server", "thttpd", "filebrowser"), serves("d root", "pab", _PORTS)
    ),
    "pyftpdlib": serves("d directory", "ipuP", _PORTS),
    "wsgidav": serves("r root", "pH", _PORTS),
    "browser-sync": serves("s server", "", "port files proxy", verb="start", no="proxy help"),
    "httpd": _httpd,
    "ngrok": _ngrok,
}
