"""Programs that print, page, compare or convert files, and those that look into their structure.

Always true: whether two files differ shows none of their text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from penstock.core.shell.effects import Effect, Program, ProgramCall, options, read
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.reads.mention import mentioned
from penstock.core.shell.programs.reads.name_list import listed_in
from penstock.core.shell.programs.reads.rows import dashed, met, only, perhaps, shows


def _same(call: ProgramCall) -> Iterator[Effect]:
    """Two files compared; whether they differ tells none of their text."""
    found = options(call.args, short="UCWxXIFLiS", long="unified context label exclude width")
    quiet = ("s", "silent", "quiet") if call.name == "cmp" else ("q", "brief")
    if not found.has(*quiet):
        yield from read(met(found.operands), tree=found.has("r", "recursive"))


_YQ_VERBS = frozenset({"eval", "e", "eval-all", "ea"})


def _jq(call: ProgramCall) -> Iterator[Effect]:
    """The first operand is a filter, unless a file has it, or there is nothing else."""
    args: list[Value] = []
    words = iter(call.args)
    for word in words:
        if word.text in ("--slurpfile", "--rawfile"):
            next(words, None)
            yield from read([value for value in [next(words, None)] if value])
        elif word.text in ("--arg", "--argjson"):
            next(words, None), next(words, None)
        else:
            args.append(word)
    found = options(args, short="fLoIp", long="from-file indent output-format input-format")
    filters = found.values("f", "from-file")
    yield from perhaps(filters)
    files = [word for word in found.operands if call.name != "yq" or word.text not in _YQ_VERBS]
    lone = call.name == "yq" and len(files) == 1 and _is_there(files[0], call)
    yield from read(met(files[0 if filters or lone else 1 :]))


def _is_there(word: Value, call: ProgramCall) -> bool:
    return "/" in word.text or call.here.kind(word.text) == "file"


def _sort(call: ProgramCall) -> Iterator[Effect]:
    lists = options(call.args, long="files0-from").values("files0-from")
    yield from _SORTED(call)
    yield from perhaps(listed_in([word.text for word in lists], call.here))


_SORTED = shows("kStTo", "key buffer-size field-separator parallel output", files="files0-from")


def _first(short: str, long: str = "") -> Program:
    """Only the first operand is read."""
    return lambda call: read(options(call.args, short=short, long=long).operands[:1])


def _ssh_keygen(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="fCtbNPmIOnVzaWDFHRsS")
    yield from read(found.values("f") if found.has("y", "e", "p", "i") else ())


def _ffmpeg(call: ProgramCall) -> Iterator[Effect]:
    """A file of a list is one more input."""
    yield from mentioned(call)
    texts = [word.text for word in call.args]
    lists = [texts[at + 1] for at, text in enumerate(texts[:-1]) if text == "-i"]
    if "concat" in texts:
        yield from perhaps(listed_in(lists, call.here))


DOCUMENTS: Mapping[str, Program] = {
    **dict.fromkeys(
        (
            *("cat", "bat", "batcat", "less", "more", "most", "nl", "tac", "rev", "zcat", "gzcat"),
            *("bzcat", "xzcat", "zless", "zmore", "lzcat", "zstdcat", "ccat", "glow", "mdcat"),
            *("gunzip", "bunzip2", "unxz", "gzip", "bzip2", "xz", "zstd", "lz4", "brotli", "lzma"),
            *("compress", "uncompress", "unlzma", "unlz4", "unzstd", "pigz", "lzop", "unix2dos"),
            *("source", ".", "vis", "unvis", "catdoc", "highlight", "pygmentize", "chroma"),
            *("expand", "unexpand", "shuf", "tsort", "ul", "colrm", "col", "dos2unix", "pv"),
            *("hd", "hexyl", "ascii", "uuencode", "lpr", "lp", "enscript", "a2ps", "shellcheck"),
            *("pr", "fmt", "mlr", "tidy", "xmllint", "csvlook", "csvcut", "xsv", "lolcat"),
        ),
        shows("Hrl", "line-range highlight-line theme style language"),
    ),
    "qrencode": only("r read-from", "oslvmdS"),
    # What names the files to tell about, or the dates to read, is shown line by line.
    "date": only("f file", "drsI?", "date reference set"),
    "file": only("f files-from", "emPF"),
    **dict.fromkeys(("wc", "du"), only("files0-from")),
    **dict.fromkeys(("logger", "say", "espeak"), only("f file", "iptdPn", "tag id priority")),
    **dict.fromkeys(
        ("man", "info"), lambda call: read(word for word in call.args if "/" in word.text)
    ),
    **dict.fromkeys(("head", "tail"), shows("nc", "lines bytes sleep-interval pid")),
    "od": shows("AjNSt", "skip-bytes read-bytes format"),
    "xxd": shows("clgos"),
    "hexdump": shows("efns"),
    **dict.fromkeys(("base64", "base32", "basenc"), shows("wbo", "wrap", files="i input")),
    "strings": shows("nteTo", "bytes radix encoding"),
    "cut": shows("bcdf", "bytes characters delimiter fields output-delimiter"),
    "paste": shows("d", "delimiters"),
    "sort": _sort,
    "uniq": shows("fsw", "skip-fields skip-chars check-chars"),
    "fold": shows("w", "width"),
    "column": shows("socNRHEdnr", "separator output-separator table-columns"),
    "join": shows("aeijotv12", ""),
    "comm": shows(long="output-delimiter"),
    "look": shows("t", skip=1),
    "split": _first("abClnt", "bytes lines number filter"),
    "csplit": _first("bfn"),
    "iconv": shows("fto", "from-code to-code output"),
    **dict.fromkeys(("diff", "colordiff", "cmp", "sdiff", "diff3", "icdiff"), _same),
    **dict.fromkeys(("delta", "difft", "wdiff", "dwdiff"), _same),
    **dict.fromkeys(("jq", "yq", "gojq", "jaq"), _jq),
    "dasel": only("f file", "rwps", "read write selector parser"),
    "openssl": dashed("-in", "-infile", "-rawin", "-content", "-passin"),
    **dict.fromkeys(
        ("gpg", "gpg2"),
        shows("ruo", "recipient local-user homedir passphrase output passphrase-file"),
    ),
    "age": shows("rRio", "recipient recipients-file identity output"),
    "ssh-keygen": _ssh_keygen,
    "pandoc": shows("fto", "from to output"),
    "prettier": shows(long="config parser"),
    **dict.fromkeys(
        (
            *("gofmt", "goimports", "shfmt", "clang-format", "autopep8", "2to3", "eslint"),
            *("rustfmt", "rustc", "objcopy", "strip", "patch", "gpatch", "mogrify"),
        ),
        lambda call: mentioned(call, writes=False),
    ),
    "ffmpeg": _ffmpeg,
}
