"""The table of programs that read: which words of a command name files whose content they take.

A row says which words are read. A program with no row here and none in the other tables is not
known: every word of it that could be a file is a mention, which a person is asked about where a
rule protects that file. Three kinds of words are left alone: what only tells that a file is
there (`ls`, `test`, `wc`), what a program loads to work with it and does not show (`--env-file`,
`--cert`), and what people write to each other (`-m`, `--title`).
Always true: a read adds no doubt: what the text does not tell is not asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice

from penstock.core.model import Action
from penstock.core.shell.effects import (
    HERE,
    Effect,
    Options,
    Program,
    ProgramCall,
    Touch,
    below,
    last,
    nothing,
    options,
    read,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.archives import tar_options
from penstock.core.shell.programs.read_options import (
    CURL_LONG,
    CURL_SHORT,
    GREP_LONG,
    GREP_SHORT,
    KEEPS,
    LOADS,
    PROSE,
    QUIET,
    RG_LONG,
    RG_SHORT,
    SPEAKS,
    WORDS_INSIDE,
)
from penstock.core.text.sought import finds_secrets

MOST_WORDS = 512
MOST_PARTS = 16


def reads(call: ProgramCall, *, tabled: bool) -> Iterator[Effect]:
    """Return what a program reads; `tabled` says that another table knows what it writes."""
    row = READS.get(call.name)
    if row is not None:
        return row(call)
    return iter(()) if tabled else mentioned(call)


# Rows made from a few words


def shows(short: str = "", long: str = "", *, skip: int = 0, files: str = "") -> Program:
    """All operands behind the first `skip` are read, and the values of the options in `files`."""
    letters = "".join(name for name in files.split() if len(name) == 1)

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=short + letters, long=f"{long} {files}")
        yield from read(found.values(*files.split()))
        yield from read(met(found.operands[skip:]))

    return program


def dashed(*names: str) -> Program:
    """The words behind some options with one dash are read (`openssl -in f`)."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        for at, word in enumerate(call.args[:-1]):
            if word.text in names:
                yield Touch(call.args[at + 1], Action.READ)

    return program


def sources(short: str, long: str, *flags: str, away: bool = False) -> Program:
    """All operands but the last are read, with what is below where one of `flags` is given.

    `away` means that the last one may be another machine: then a whole project is a lot to send.
    """

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=short, long=f"{long} target-directory")
        several = bool(found.values("t", "target-directory"))
        here = found.operands if several else found.operands[:-1]
        tree = not flags or found.has(*flags)
        yield from read(met(word for word in here if not _is_remote(word)), tree=tree)
        remote = away and bool(found.operands) and _is_remote(found.operands[-1])
        if remote and tree and not found.has("exclude", "exclude-from", "filter", "n", "dry-run"):
            yield from _sweep(word for word in here if _is_all(word))

    return program


def _is_remote(value: Value) -> bool:
    return ":" in value.text.partition("/")[0]


def _is_all(value: Value) -> bool:
    """True for the directory that the command runs in."""
    return value.text.rstrip("/") in (".", "", "./.", "$PWD", "$(pwd)")


def _sweep(roots: Iterator[Value]) -> Iterator[Effect]:
    """Everything below is read, the project as a whole included."""
    return (Touch(root, Action.READ, tree=True, whole=True) for root in roots)


# Names that a pattern may be after where nobody can look at the disk.
USUAL = (
    *(".env", ".env.local", ".env.production", ".npmrc", ".netrc", ".pypirc", ".git-credentials"),
    *("id_rsa", "id_ed25519", "server.key", "key.pem", "secrets"),
)


def met(values: Sequence[Value] | Iterator[Value]) -> Iterator[Value]:
    """Return values, and for a pattern the usual names that it meets."""
    for value in values:
        yield value
        folder, slash, name = value.text.rpartition("/")
        if value.pattern and name[:1] != "*":
            for usual in USUAL:
                if fnmatchcase(usual, name):
                    yield Value(folder + slash + usual)


# Words of a program that nobody knows


def mentioned(call: ProgramCall) -> Iterator[Effect]:
    """Return what could be files among the words of a program that has no row."""
    before = ""
    whole = call.name in SPEAKS
    for word in islice(call.args, MOST_WORDS):
        option = before
        before = word.text if word.text.startswith("-") and "=" not in word.text else ""
        if _is_free(option) or (option in PROSE and not word.text.startswith("-")):
            continue
        yield from _mention(word, call.name, prose=whole)
    if call.feed.text is not None and call.name in WORDS_INSIDE:
        for text in islice(re.split(r"[\s'\"]+", call.feed.text), MOST_WORDS):
            yield from _mention(Value(text), call.name, prose=False)


def _is_free(option: str) -> bool:
    """True for an option whose value is loaded and not shown."""
    return option.lstrip("-").replace("_", "-").lower() in LOADS


def _mention(word: Value, program: str, *, prose: bool) -> Iterator[Effect]:
    name, equals, _ = word.text.partition("=")
    if equals and (_is_free(name) or name in PROSE):
        return
    for text in _parts(word.text, inside=program in WORDS_INSIDE):
        if _is_candidate(text):
            value = Value(text, word.exact, word.pattern)
            yield Touch(value, Action.READ, mention=True)
            if not equals and text == word.text and not prose and program not in KEEPS:
                yield Touch(value, mention=True)


_APART = re.compile(r"[=@:,;]+")
_INSIDE = re.compile(r"[\s'\"`(),;]+")


def _parts(text: str, *, inside: bool) -> Iterator[str]:
    """Return a word, what stands behind its `=`, `@` or `:`, and the words inside of a text."""
    if any(sign.isspace() or (inside and sign in "'\"") for sign in text):
        yield from islice(_INSIDE.split(text), MOST_PARTS) if inside else ()
        return
    yield text
    if "://" in text:
        yield from [text[7:]] if text.startswith("file://") else []
        return
    pieces = _APART.split(text)
    yield from islice(pieces, MOST_PARTS) if len(pieces) > 1 else ()


_NO_FILE = re.compile(r"-.*|[0-9.]+|[.]{1,2}/?|[a-z]{1,3}|.*[()'\"<>|].*|.{256,}", re.DOTALL)


def _is_candidate(text: str) -> bool:
    return bool(text) and not _NO_FILE.fullmatch(text)


# Searches


def _grep(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short=GREP_SHORT, long=GREP_LONG)
    recursive = found.has("r", "R", "recursive", "dereference-recursive") or call.name == "rgrep"
    yield from _search(found, recursive=recursive, hidden=True)


def _rg(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short=RG_SHORT, long=RG_LONG)
    unrestricted = sum(name == "u" for name, _ in found.given)
    hidden = found.has("hidden", "no-ignore", "unrestricted", ".", "all-types") or unrestricted
    yield from _search(found, recursive=not found.has("files"), hidden=bool(hidden))


def _search(found: Options, *, recursive: bool, hidden: bool) -> Iterator[Effect]:
    """The pattern is no file; a search through directories meets what its globs let it meet."""
    given = found.values("e", "regexp")
    patterns, files = (given, found.operands) if given else (found.operands[:1], found.operands[1:])
    if found.has("f", "file"):
        yield from read(found.values("f", "file"))
        files = files if given else found.operands
    if found.has("q", "quiet", "silent", "c", "count", "l", "files-with-matches", "L"):
        return  # whether, how often and where: none of the text
    roots = files or (HERE,)
    globs = [word for word in found.values("include", "g", "glob", "iglob", "G") if _names(word)]
    if not recursive:
        yield from read(met(files))
    elif globs:
        for root in roots:
            yield from read(met(_narrowed(root, glob) for glob in globs))
    else:
        yield from read(met(word for word in files if not _is_all(word)), tree=True)
        sought = not patterns or any(finds_secrets(pattern.text) for pattern in patterns)
        if hidden and sought and not found.has("exclude", "exclude-from", "type", "t"):
            yield from _sweep(word for word in roots if _is_all(word))


def _names(glob: Value) -> bool:
    """True for a glob that narrows a search to some names; `!x` leaves names out."""
    return glob.text[:1] != "!" and bool(glob.text.strip("*/."))


def _narrowed(root: Value, glob: Value) -> Value:
    """Return where a search looks: the glob stands for the names that it meets."""
    text = glob.text.removeprefix("**/").lstrip("/")
    pattern = Value(text, exact=glob.exact, pattern=any(sign in text for sign in "*?["))
    return pattern if _is_all(root) else below(root, pattern)


# Scripts with files behind them

_SED_READS = re.compile(r"(?:^|[;{}\n$0-9/])\s*[rR]\s+([^\s;}]+)")
_AWK_READS = re.compile(r'<\s*"([^"\n]{1,300})"')


def _sed(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="efli?", long="expression file line-length")
    scripts = found.values("e", "expression")
    files = found.operands
    if not scripts and not found.values("f", "file"):
        scripts, files = list(files[:1]), files[1:]
    yield from read(met(files))
    yield from _named_in(_SED_READS, scripts)


def _awk(call: ProgramCall) -> Iterator[Effect]:
    found = options(
        call.args,
        short="Fvfieo?d?p?l",
        long="field-separator assign file include source load output-file",
        first_operand_ends=True,
    )
    scripts = found.values("e", "source")
    files = found.operands
    if not scripts and not found.values("f", "file"):
        scripts, files = list(files[:1]), files[1:]
    named = [*files, *found.values("v", "assign")]
    yield from read(met(word for word in files if "=" not in word.text))
    for word in named:
        if "=" in word.text:
            yield Touch(word._replace(text=word.text.partition("=")[2]), Action.READ, mention=True)
    yield from _named_in(_AWK_READS, scripts)


def _named_in(pattern: re.Pattern[str], scripts: Sequence[Value]) -> Iterator[Effect]:
    for script in scripts:
        for found in islice(pattern.finditer(script.text[:4_096]), MOST_PARTS):
            yield Touch(Value(found.group(1)), Action.READ)


def script_reads(language: str, text: str) -> Iterator[Effect]:
    """Return the files that a script of sed or awk reads by itself."""
    return _named_in(_AWK_READS if language == "awk" else _SED_READS, [Value(text)])


def _each_line(short: str) -> Program:
    """Perl and ruby: with `-n` or `-p` the operands are read; others are the script's own."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=short)
        texts = found.values("e", "E")
        if texts and found.has("n", "p", "a"):
            yield from read(met(found.operands))
        else:
            yield from _script(found.operands if not texts else ())
            yield from _behind_script(call, found.operands[0 if texts else 1 :])

    return program


def _script(words: Sequence[Value]) -> Iterator[Effect]:
    """A file that is run as a script is read: what is wrong with its lines is printed."""
    yield from (Touch(word, Action.READ, mention=True) for word in words[:1])


def _behind_script(call: ProgramCall, words: Sequence[Value]) -> Iterator[Effect]:
    yield from mentioned(ProgramCall(f"{call.name}'s script", tuple(words), call.feed))


def _interpreter(code: str, short: str, long: str = "") -> Program:
    """The words behind a script, or behind code, are handed to it."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=code + short, long=long, first_operand_ends=True)
        texts = found.values(*code, *long.split())
        if found.has("m") and "m" in short:
            return  # a module is a program of its own
        yield from _script(found.operands if not texts else ())
        yield from _behind_script(call, found.operands[0 if texts else 1 :])
        yield from _printed_env(found, call)

    return program


_PRINTS_ENV = re.compile(
    r"(?:\.log|\.write)\([^)]{0,80}process\.env|process\.env\b(?!\.\w)|environ\b(?!\[|\.get)|\bENV\b(?!\[)|\$_ENV"
)


def _printed_env(found: Options, call: ProgramCall) -> Iterator[Effect]:
    """An environment file that is loaded is shown where the code shows the environment."""
    printed = found.values("p", "print")
    shown = any(_PRINTS_ENV.search(word.text[:4_096]) for word in call.args) or any(
        "process.env" in word.text for word in printed
    )
    for name in ("env-file", "env-file-if-exists"):
        yield from read(found.values(name) if shown else ())


# Copies and archives


def _dd(call: ProgramCall) -> Iterator[Effect]:
    for word in call.args:
        if word.text.startswith("if="):
            yield Touch(word._replace(text=word.text[3:]), Action.READ)


def _tar(call: ProgramCall) -> Iterator[Effect]:
    found = tar_options(call.args)
    yield from read(found.values("T", "files-from"))
    if found.has("c", "create", "r", "append", "u", "update"):
        place = last(found.values("C", "directory"))
        inside = [below(place, word) if place else word for word in found.operands]
        yield from read(met(word for word in inside if not _is_all(word)), tree=True)


def _zip(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="bntPxi", long="exclude include")
    given = [word for word in found.operands[1:] if not _is_all(word)]
    yield from read(met(given), tree=found.has("r", "recurse-paths"))


def _seven(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="opwmtxi")
    if found.operands[:1] and found.operands[0].text in ("a", "u"):
        given = [word for word in found.operands[2:] if not _is_all(word)]
        yield from read(met(given), tree=True)


def _cpio(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="DEFHIMORCW", long="directory file format")
    if found.has("o", "create", "p", "pass-through") and call.feed.text is not None:
        yield from read(Value(name) for name in call.feed.text.split("\n")[:MOST_WORDS] if name)


# The network


def _curl(call: ProgramCall) -> Iterator[Effect]:
    """`@file` is the content of a file; a form has it behind `=`, and `<` does the same."""
    found = options(call.args, short=CURL_SHORT, long=CURL_LONG)
    yield from read(found.values("T", "upload-file", "K", "config"))
    for value in found.values("d", "data", "data-binary", "data-ascii", "json", "url-query"):
        if value.text.startswith("@"):
            yield Touch(value._replace(text=value.text[1:]), Action.READ)
    for value in found.values("F", "form", "data-urlencode"):
        for part in re.split(r"[;,]", value.text.partition("=")[2] or value.text)[:MOST_PARTS]:
            name = part.rpartition("@")[2] if "@" in part else part.partition("<")[2]
            yield from read([value._replace(text=name)] if name else [])
    for value in found.values("H", "header", "b", "cookie"):
        if value.text.startswith("@"):
            yield Touch(value._replace(text=value.text[1:]), Action.READ)
    for url in (*found.operands, *found.values("url")):
        if url.text.startswith("file:"):
            yield Touch(url._replace(text="/" + url.text[5:].lstrip("/")), Action.READ)


_WGET = (
    "post-file body-file input-file output-document directory-prefix output-file header user-agent"
    " post-data body-data method certificate private-key ca-certificate tries timeout config"
)


def _sftp(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="bBcDFiJloPRSsX")
    yield from read(found.values("b"))
    for line in (call.feed.text or "").split("\n")[:MOST_WORDS]:
        yield from read(map(Value, line.split()[1:2] if line.startswith("put") else []))


# Containers and environment files

_SHOWN_ENV = frozenset({"env", "printenv", "config", "convert", "set", "export"})


def _container(call: ProgramCall) -> Iterator[Effect]:
    """An environment file is loaded into a container; a file that is put there is read there."""
    words = [word.text for word in call.args]
    given = options(call.args, short="vpewuhl", long="env-file volume mount name entrypoint")
    shown = any(text in _SHOWN_ENV or _SHOWS_ENV.search(text) for text in words)
    yield from read(given.values("env-file") if shown else ())
    for value in (*given.values("v", "volume"), *given.values("mount")):
        for part in _APART.split(value.text)[:MOST_PARTS]:
            if _is_candidate(part):
                yield Touch(Value(part, value.exact), Action.READ, mention=True)
    yield from _mounted(call.args, [*given.values("v", "volume"), *given.values("mount")])
    for at, text in enumerate(words[:-1]):
        if text in ("cp", "create", "apply", "set"):
            yield from mentioned(ProgramCall(call.name, call.args[at + 1 :], call.feed))
            return


_MOUNT = re.compile(r"(?:(?:^|,)(source|src|target|dst|destination)=([^,]+))")
_IN_COMMAND = re.compile(r"[\s'\"`(),;<>|&=]+")


def _mounted(args: Sequence[Value], volumes: Sequence[Value]) -> Iterator[Effect]:
    """Names inside of a container that lie in a directory of ours are told as ours."""
    places: list[tuple[str, str]] = []
    for volume in volumes[:MOST_PARTS]:
        named = {name[0]: text for name, text in _MOUNT.findall(volume.text)}
        host, _, inside = volume.text.partition(":")
        host, inside = named.get("s", host), named.get("t") or named.get("d") or inside
        places.append((host, inside.partition(":")[0].rstrip("/")))
    working = [word.text for at, word in enumerate(args) if at and args[at - 1].text in _WORKDIR]
    for at, word in enumerate(args if places else ()):
        if at and _is_free(args[at - 1].text):
            continue
        for text in islice(_IN_COMMAND.split(word.text), MOST_WORDS):
            path = text if text.startswith("/") else f"{''.join(working[:1]).rstrip('/')}/{text}"
            for host, inside in places:
                if inside and _is_candidate(text) and path.startswith(f"{inside}/"):
                    yield from _either(Value(host + path[len(inside) :]))


_WORKDIR = ("-w", "--workdir")
_SHOWS_ENV = re.compile(r"(?:^|[;&|]|\s)(?:env|printenv|set|export)(?:$|[;&|]|\s)")
_DOTENV_RUNS = frozenset({"run", "--", "exec"})
_DOTENV_SHOWS = frozenset({"list", "get", "-p", "print", "dump", "encrypt", "decrypt", "keypair"})


def _dotenv(call: ProgramCall) -> Iterator[Effect]:
    """`dotenv run` loads the file; `list` and `get` print it, `set` and `unset` change it."""
    found = options(call.args, short="fep", long="file env", first_operand_ends=True)
    files = found.values("f", "file", "e", "env") or [Value(".env")]
    verb = found.operands[0].text if found.operands else ""
    if verb in _DOTENV_SHOWS or not found.operands or found.has("p"):
        yield from read(files)
    elif verb in ("set", "unset"):
        yield from (Touch(file) for file in files)
    elif found.operands and _SHOWS_ENV.search(" ".join(word.text for word in found.operands)):
        yield from read(files)


# Keys, documents, databases


def _ssh_keygen(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="fCtbNPmIOnVzaWDFHRsS")
    yield from read(found.values("f") if found.has("y", "e", "p", "i") else ())


def _jq(call: ProgramCall) -> Iterator[Effect]:
    """The first operand is a filter, unless a file has it."""
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
    filed = bool(found.values("f", "from-file"))
    first = found.operands[:1]
    skip = 0 if filed or (call.name == "yq" and first and "/" in first[0].text) else 1
    verb = call.name == "yq" and first and first[0].text in ("eval", "e", "eval-all", "ea")
    yield from read(met(found.operands[skip + bool(verb) :]))


_LOADED = re.compile(
    r"(?:readfile\(\s*|\.(?:read|import|open|load)\s+|from\s+|\\i[r]?\s+)['\"]?([^\s'\")]+)"
)
# Functions and clauses that name a file in quotes, and commands of the client that write one.
_QUOTED_FILE = re.compile(
    r"(?:\b(?:read_\w+|write\w*|load_file|pg_read\w*|lo_import|lo_export|sniff_csv|glob)\(\s*(?:\d+,\s*)?"
    r"|\b(?:from|to|infile|outfile|dumpfile|attach|database)\s+)['\"]([^'\"\n]{1,300})['\"]"
    r"|(?:\\(?:o|g|w|s|e|copy\s+\w+\s+to|lo_export\s+\d+)"
    r"|\.(?:output|once|log|trace|backup|save|clone|dump)|\b(?:tee|source))\s+['\"]?([^\s'\")|]+)",
    re.IGNORECASE,
)


def _database(call: ProgramCall) -> Iterator[Effect]:
    """Texts for a database may read files: `.import F t`, `copy t from 'F'`, `readfile('F')`."""
    texts = [*(word.text for word in call.args), call.feed.text or ""]
    for text in texts:
        for found in islice(_LOADED.finditer(text[:16_384]), MOST_PARTS):
            yield Touch(Value(found.group(1)), Action.READ, mention=True)
        for found in islice(_QUOTED_FILE.finditer(text[:16_384]), MOST_PARTS):
            yield from _either(Value(found.group(1) or found.group(2)))
    given = options(call.args, short="fdUhpcoLveFRT", long="file output log-file tee")
    yield from read(given.values("f", "file"))
    for value in given.values("output", "log-file", "tee", *("oL" if call.name == "psql" else "")):
        yield from _either(value)


def _either(value: Value) -> Iterator[Effect]:
    """A file that is read or written, whichever of the two."""
    yield Touch(value, Action.READ, mention=True)
    yield Touch(value, mention=True)


def _server(call: ProgramCall) -> Iterator[Effect]:
    """A file server gives away what is below its directory."""
    found = options(call.args, short="dbp", long="directory bind protocol root")
    yield from read(found.values("d", "directory", "root"), tree=True)


def _xargs(call: ProgramCall) -> Iterator[Effect]:
    found = options(
        call.args,
        short="aEIi?l?LnPsd",
        long="arg-file eof replace max-lines max-args max-procs max-chars delimiter",
        first_operand_ends=True,
    )
    yield from read(found.values("a", "arg-file"))


def _same(call: ProgramCall) -> Iterator[Effect]:
    """Two files compared; whether they differ tells none of their text."""
    found = options(call.args, short="UCWxXIFLiS", long="unified context label exclude width")
    if not found.has("q", "brief", "s", "silent", "quiet"):
        yield from read(met(found.operands), tree=found.has("r", "recursive"))


def _git(call: ProgramCall) -> Iterator[Effect]:
    from penstock.core.shell.programs.git_reads import git_reads  # it has a module of its own

    return git_reads(call)


def _compiler(call: ProgramCall) -> Iterator[Effect]:
    """Sources and what they include: a compiler prints the lines that it does not like."""
    yield from read(options(call.args, short="oIlLDUxT").operands)
    yield from dashed("-include", "-imacros")(call)


_OPENED = shows("cSTuUwWi", "cmd startuptime eval load")
_TOLD = ("-c", "--cmd", "--eval", "-eval")


def _editor(call: ProgramCall) -> Iterator[Effect]:
    """Files that are opened, and those that a command for the editor names."""
    yield from _OPENED(call)
    for at, word in enumerate(call.args):
        if at and call.args[at - 1].text in _TOLD:
            for text in islice(_INSIDE.split(word.text), MOST_PARTS):
                yield from _either(Value(text)) if _is_candidate(text) else ()


_OPENSSL = dashed("-in", "-infile", "-rawin", "-content", "-passin")
_CP = sources("tSZ?", "suffix", "r", "R", "a", "recursive", "archive")
_RSYNC_LONG = (
    "rsh exclude include filter files-from exclude-from include-from log-file chmod backup-dir"
    " suffix temp-dir partial-dir max-size min-size timeout port password-file bwlimit out-format"
    " rsync-path info debug link-dest compare-dest copy-dest"
)

READS: Mapping[str, Program] = {
    **dict.fromkeys(QUIET, nothing),
    **dict.fromkeys(
        (
            *("cat", "bat", "batcat", "less", "more", "most", "nl", "tac", "rev", "zcat", "gzcat"),
            *("bzcat", "xzcat", "zless", "zmore", "lzcat", "zstdcat", "ccat", "glow", "mdcat"),
            *("gunzip", "bunzip2", "unxz", "gzip", "bzip2", "xz", "zstd", "lz4", "brotli"),
            *("source", ".", "vis", "unvis", "catdoc", "highlight", "pygmentize", "chroma"),
            *("expand", "unexpand", "shuf", "tsort", "ul", "colrm", "col", "dos2unix", "pv"),
            *("hd", "hexyl", "ascii", "uuencode", "lpr", "lp", "enscript", "a2ps"),
            *("pr", "fmt", "mlr", "tidy", "xmllint", "csvlook", "csvcut", "xsv", "lolcat"),
        ),
        shows("Hrl", "line-range highlight-line theme style language"),
    ),
    "qrencode": shows("oslvmdS", files="r read-from"),
    # What names the files to tell about, or the dates to read, is shown line by line.
    "date": shows("drsI?", "date reference set", skip=MOST_WORDS, files="f file"),
    "file": shows("emPF", skip=MOST_WORDS, files="f files-from"),
    **dict.fromkeys(("wc", "du"), shows(skip=MOST_WORDS, files="files0-from")),
    "man": lambda call: read(word for word in call.args if "/" in word.text),
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++", "cpp"), _compiler),
    **dict.fromkeys(("head", "tail"), shows("nc", "lines bytes sleep-interval pid")),
    "od": shows("AjNSt", "skip-bytes read-bytes format"),
    "xxd": shows("clgos"),
    "hexdump": shows("efns"),
    **dict.fromkeys(("base64", "base32", "basenc"), shows("wbio", "wrap", files="input")),
    "strings": shows("nteTo", "bytes radix encoding"),
    "cut": shows("bcdf", "bytes characters delimiter fields output-delimiter"),
    "paste": shows("d", "delimiters"),
    "sort": shows("kStTo", "key buffer-size field-separator parallel output", files="files0-from"),
    "uniq": shows("fsw", "skip-fields skip-chars check-chars"),
    "fold": shows("w", "width"),
    "column": shows("socNRHEdnr", "separator output-separator table-columns"),
    "join": shows("aeijotv12", ""),
    "comm": shows(long="output-delimiter"),
    "look": shows("t", skip=1),
    "split": lambda call: read(
        options(call.args, short="abClnt", long="bytes lines number filter").operands[:1]
    ),
    "csplit": lambda call: read(options(call.args, short="bfn").operands[:1]),
    "iconv": shows("fto", "from-code to-code output"),
    "tee": nothing,
    "dd": _dd,
    **dict.fromkeys(("diff", "colordiff", "cmp", "sdiff", "diff3", "vimdiff", "icdiff"), _same),
    **dict.fromkeys(("delta", "difft", "wdiff", "dwdiff"), _same),
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rgrep", "ggrep"), _grep),
    **dict.fromkeys(("rg", "ripgrep", "ag", "ack", "ugrep", "ug"), _rg),
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk", "goawk"), _awk),
    "perl": _each_line("eEFIMmx"),
    "ruby": _each_line("eEFIrC"),
    "python": _interpreter("c", "mWX"),
    "pypy": _interpreter("c", "mWX"),
    "node": _interpreter("ep", "r", "eval print require import loader env-file"),
    **dict.fromkeys(("bun", "deno", "tclsh", "wish"), mentioned),
    "php": _interpreter("r", "dcfBRFSt"),
    **dict.fromkeys(("lua", "luajit"), _interpreter("e", "l")),
    **dict.fromkeys(("sh", "bash", "zsh", "dash", "ksh", "fish"), _interpreter("c", "oO")),
    **dict.fromkeys(("vi", "vim", "nvim", "view", "ex", "ed", "nano", "emacs", "micro"), _editor),
    **dict.fromkeys(("jq", "yq", "gojq", "jaq", "dasel"), _jq),
    **dict.fromkeys(("cp", "gcp", "ditto"), _CP),
    **dict.fromkeys(("install", "ginstall"), sources("tmogS", "mode owner group suffix", "none")),
    "rsync": sources("eBTfM@", _RSYNC_LONG, "r", "a", "recursive", "archive", away=True),
    "scp": sources("cFiJloPSX", "", "r", away=True),
    "sftp": _sftp,
    **dict.fromkeys(("tar", "gtar", "bsdtar", "jar"), _tar),
    "zip": _zip,
    **dict.fromkeys(("7z", "7za", "7zz"), _seven),
    "cpio": _cpio,
    "curl": _curl,
    "wget": shows("OPoatTwQUeBlADRIX", _WGET, skip=MOST_WORDS, files="i post-file body-file"),
    "openssl": _OPENSSL,
    **dict.fromkeys(
        ("gpg", "gpg2"),
        shows("ruo", "recipient local-user homedir passphrase output passphrase-file"),
    ),
    "age": shows("rRio", "recipient recipients-file identity output"),
    "sops": mentioned,
    "ssh-keygen": _ssh_keygen,
    **dict.fromkeys(("sqlite3", "psql", "mysql", "mariadb", "duckdb"), _database),
    "pandoc": shows("fto", "from to output"),
    "prettier": shows(long="config parser"),
    **dict.fromkeys(("docker", "podman", "nerdctl", "kubectl", "oc", "docker-compose"), _container),
    **dict.fromkeys(("dotenv", "dotenvx", "env-cmd", "dotenv-cli"), _dotenv),
    **dict.fromkeys(("http.server", "http-server", "serve", "SimpleHTTPServer"), _server),
    **dict.fromkeys(("xargs", "gxargs"), _xargs),
    "git": _git,
}
