"""Programs that fetch from elsewhere into a file: curl and wget.

Always true: a file named by the address is told under that name; one that the other side
names is unclear.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from penstock.core.shell.effects import (
    HERE,
    Effect,
    Program,
    ProgramCall,
    Touch,
    Unclear,
    below,
    last,
    options,
    written,
)
from penstock.core.shell.expansion import Value

_CURL_FILES = "o output D dump-header c cookie-jar trace trace-ascii stderr etag-save libcurl"
_CURL_VALUES = (
    "request header data data-raw data-binary data-urlencode form user user-agent referer"
    " cookie url max-time connect-timeout retry proxy cacert cert key range upload-file write-out"
    " output-dir json interface resolve config netrc-file aws-sigv4 hsts alt-svc"
)
_CURL_LONG = f"{_CURL_FILES} {_CURL_VALUES}"


def _curl(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="oDcXHdFuAebmxrTwKEUyYzCtPQ", long=_CURL_LONG)
    folder = last(found.values("output-dir"))
    for value in found.values(*_CURL_FILES.split(), "hsts", "alt-svc"):
        if value.text != "-":
            yield Touch(below(folder, value) if folder else value)
    if found.has("O", "remote-name", "remote-name-all"):
        for url in (*found.operands, *found.values("url")):
            name = _named_by(url)
            yield Touch(below(folder, name) if folder else name)
    if found.has("J", "remote-header-name", "K", "config"):
        yield Unclear("`curl` takes the name of its output from elsewhere")


def _named_by(url: Value) -> Value:
    """Return the file name that a URL suggests."""
    path = url.text.partition("://")[2] or url.text
    name = path.partition("?")[0].partition("#")[0].partition("/")[2].rpartition("/")[2]
    return replace(url, text=name or "index.html", pattern=False)


_WGET = (
    "output-document directory-prefix output-file append-output save-cookies user-agent header"
    " tries timeout wait quota post-data post-file load-cookies input-file user password level"
    " accept reject domains base config method body-data body-file limit-rate warc-file"
)


def _wget(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="OPoatTwQUieBlADRIX", long=_WGET)
    yield from written(found.values("o", "output-file", "a", "append-output", "save-cookies"))
    named = found.values("O", "output-document")
    if named:
        yield from written(named[-1:])
        return
    if found.has("spider"):
        return
    folder = last(found.values("P", "directory-prefix")) or HERE
    for url in found.operands:
        yield Touch(below(folder, _named_by(url)))
    if found.has("r", "recursive", "m", "mirror", "i", "input-file", "content-disposition"):
        yield Touch(folder, tree=True)
        yield Unclear("`wget` names its files after what it finds")


FETCHES: Mapping[str, Program] = {"curl": _curl, "wget": _wget}
