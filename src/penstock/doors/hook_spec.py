"""The hook spec's own door: a Write or Edit call on stdin, its answer on stdout.

`hooks/write-control.sh` of the Claude Code plugin runs this with nothing installed. It says
what that spec says, to the letter: protected paths are denied, warned ones are allowed with a
sentence, all others pass without a word. The wiser hook is the one that `penstock init`
registers. Matching and normalising are the core's.
Always true: the exit code is 0, stdout has one JSON answer or nothing, an answer comes within
seconds whatever stdin does, and hardly anything is imported, because every write of an agent
waits for this.
"""

import _signal  # type: ignore[import-not-found]  # `signal` would bring `enum` with it
import posix
import sys

from penstock.core.known_names import (
    DEFAULT_LISTS,
    KEPT,
    OWN_FILES,
    PROTECTED_REASON,
    STATE,
    STEERS,
    WARNED_NOTE,
)
from penstock.core.match import matches
from penstock.core.quickjson import DuplicateKeyError, parse, quoted
from penstock.core.spelling import fold, spellings

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType
    from typing import Any

# The spec names Write and Edit. The other two write files too, if somebody registers them.
TOOLS = {
    "Write": "file_path",
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path",
}
SECONDS = 3  # far below any client's own limit, after which it would write without an answer
PIECE = 1 << 20
MOST_BYTES = 64 << 20
MOST_POLICY_BYTES = 8 << 20
LONGEST_PATH = 4096  # as Linux has it
MOST_LINKS = 40
MOST_LOOKS = 64
OUTSIDE = ("none", "ask", "deny")
PARANOID_REASON = "Production path: {path} cannot be modified in paranoid mode"


class LateError(Exception):
    """The time is up."""


class HostileError(Exception):
    """Nobody sends this by accident, so it is denied and not let through as a fault."""


def main(policy: str) -> None:
    """Answer one call and leave with 0; `policy` is the path of `write-policies.json`."""
    try:
        _set_alarm()
        said = answer(_stdin(), policy_of(policy), _environ())
        _print(1, said)
    except BaseException as fault:  # noqa: BLE001 - whatever it is, the spec lets the write go on
        complain(f"{type(fault).__name__}: {fault}; the write goes on")
    posix._exit(0)


def answer(data: bytes, policy: "Mapping[str, Any]", environ: "Mapping[str, str]") -> str:
    """Return the line that answers a call, or nothing for what passes without a word."""
    try:
        call = _call(data)
        path = _path_of(call)
        return judge(path, policy, _roots(call, environ)) if path else ""
    except HostileError as hostile:
        return _said("deny", f"Refused: {hostile}")


# --- the call --------------------------------------------------------------------------


def _call(data: bytes) -> "Any":
    """Return what stdin holds; None when that is no JSON, which passes by the spec."""
    if len(data) > MOST_BYTES:
        raise HostileError("the call is larger than any file that an agent writes")
    # Bytes that are no UTF-8 matter in the path only, and there they are seen again.
    text = data.decode("utf-8", "surrogateescape").lstrip("\ufeff")
    try:
        return parse(text)
    except DuplicateKeyError:
        raise HostileError("the call has a key twice, so it can be read in two ways") from None
    except RecursionError:
        raise HostileError("the call is nested too deeply to be read") from None
    except ValueError as wrong:
        complain(f"stdin is not JSON ({wrong}); the write goes on")
    return None


def _path_of(call: "Any") -> str:
    """Return the path that a call is about, or nothing."""
    if not isinstance(call, dict):
        return ""
    tool, given = call.get("tool_name", "Write"), call.get("tool_input")
    if not isinstance(tool, str) or tool not in TOOLS or not isinstance(given, dict):
        return ""
    path = given.get(TOOLS[tool])
    if not isinstance(path, str):
        return ""
    if "\0" in path:
        raise HostileError("the path has a NUL in it")
    if len(path) > LONGEST_PATH:
        raise HostileError("the path is longer than the system takes")
    if any("\ud800" <= sign <= "\udfff" for sign in path):
        raise HostileError("the path is not valid Unicode")
    return path


def _roots(call: "Mapping[str, Any]", environ: "Mapping[str, str]") -> "tuple[str, str]":
    """Return the project's directory and the one that the agent is in."""
    cwd = call.get("cwd")
    here = cwd if isinstance(cwd, str) and cwd.startswith("/") and "\0" not in cwd else _getcwd()
    named = environ.get("CLAUDE_PROJECT_DIR", "")
    return (named if named.startswith("/") else here, here)


def _getcwd() -> str:
    try:
        return posix.getcwd()
    except OSError:  # it was removed; the path is then matched as it is
        return "/"


# --- the judgement ---------------------------------------------------------------------


def judge(path: str, policy: "Mapping[str, Any]", roots: "tuple[str, str]") -> str:
    """Return the answer for one path."""
    root, here = roots
    resolve = Links().resolve
    shown, judged, tightening, outside = spellings(path, root=root, resolve=resolve)
    inside = [form for form in judged if not form.startswith("/")]
    forms = [*judged, *(form for form in tightening if form.startswith("/"))]
    if here != root and not path.startswith("/"):
        # The client hangs a relative path from the directory that the agent is in.
        forms += spellings(path, root=root, base=here, resolve=resolve)[1]
    if inside and shown not in inside:  # a link from outside that leads into the project
        shown, outside = inside[-1], False
    for globs, reason in (
        (policy["protected"], PROTECTED_REASON),
        (OWN_FILES, STEERS),
        (STATE, KEPT),
    ):
        if _meet(globs, forms) or _meet_folded(globs, forms, root):
            return _said("deny", reason.replace("{path}", shown))
    if outside and policy["outside_project"] != "none":
        return _said(policy["outside_project"], f"`{shown}` is outside the project")
    if any(_is_warned(form, policy) for form in inside):
        if policy["paranoid"]:
            return _said("deny", PARANOID_REASON.replace("{path}", shown))
        note = WARNED_NOTE.replace("{path}", shown)
        # `allow` also spares the person's own prompt. That is for production paths, and not
        # for a link that leads out of the project.
        return _said("" if outside else "allow", note, context=note)
    return ""


def _is_warned(form: str, policy: "Mapping[str, Any]") -> bool:
    return _meet(policy["warned"], (form,)) and not _meet(policy["suppress"], (form,))


def _meet(globs: "Sequence[str]", forms: "Sequence[str]") -> bool:
    return any(matches(glob, form) for form in forms for glob in globs)


def _meet_folded(globs: "Sequence[str]", forms: "Sequence[str]", root: str) -> bool:
    """Say whether a disk that takes `A` for `a` would take this for a protected name."""
    other = [folded for form in forms for folded in (fold(form),) if folded != form]
    return bool(other) and _meet([fold(glob) for glob in globs], other) and folds_case(root)


def folds_case(root: str) -> bool:
    """Look for a name that is the same file in the other case; nothing is written."""
    try:
        names = posix.listdir(root)
    except OSError:
        return False
    for name in names[:MOST_LOOKS]:
        if name.swapcase() != name and name.swapcase() not in names:
            return _same(f"{root}/{name}", f"{root}/{name.swapcase()}")
    above, _, name = root.rstrip("/").rpartition("/")
    return name.swapcase() != name and _same(root, f"{above}/{name.swapcase()}")


def _same(one: str, other: str) -> bool:
    try:
        return posix.lstat(one)[1:3] == posix.lstat(other)[1:3]  # inode and device
    except OSError:
        return False


class Links:
    """Where paths lead on this disk; each place is looked at once."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}
        self._hangs = False

    def resolve(self, path: str) -> str:
        """Return a path with every link followed, or as it is where that fails."""
        done, rest, followed = "", path.split("/")[::-1], 0
        while rest:
            name = rest.pop()
            if name in ("", "."):
                continue
            if name == "..":
                done = done.rpartition("/")[0]
                continue
            target = self._target(f"{done}/{name}")
            if not target:
                done = f"{done}/{name}"
                continue
            followed += 1
            if followed > MOST_LINKS or len(done) > LONGEST_PATH:
                return path
            done = "" if target.startswith("/") else done
            rest += target.split("/")[::-1]
        return done or "/"

    def _target(self, place: str) -> str:
        """Return where a link points, nothing for what is no link or cannot be looked at."""
        if place not in self._seen:
            self._seen[place] = "" if self._hangs else self._read(place)
        return self._seen[place]

    def _read(self, place: str) -> str:
        try:
            return posix.readlink(place)
        except LateError:
            self._hangs = True  # a disk that does not answer is not asked again
        except (OSError, ValueError):
            pass
        return ""


# --- the policy ------------------------------------------------------------------------


def policy_of(file: str) -> "dict[str, Any]":
    """Return the lists in force: the file's, and the spec's own for what it does not have."""
    document = _document(file)
    lists: dict[str, Any] = {
        name: _globs(document, name, default) for name, default in DEFAULT_LISTS.items()
    }
    lists["suppress"] = _globs(document, "suppress", ())
    # A word that is not understood is taken as the stricter one.
    lists["paranoid"] = document.get("paranoid", False) is not False
    outside = document.get("outside_project", "none")
    lists["outside_project"] = outside if outside in OUTSIDE else "deny"
    return lists


def _document(file: str) -> "dict[str, Any]":
    try:
        data = _file(file)
    except OSError:
        return {}  # there is none, and the spec has lists for that
    try:
        document = parse(data.decode("utf-8").lstrip("\ufeff"), dict)
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict):
        return document
    complain(f"{file} is no JSON object; the default lists are in force")
    return {}


def _globs(
    document: "Mapping[str, Any]", name: str, default: "tuple[str, ...]"
) -> "tuple[str, ...]":
    found = document.get(name, list(default))
    if not isinstance(found, list):
        complain(f"`{name}` is no list; its default is in force")
        return default
    globs = tuple(glob for glob in found if isinstance(glob, str) and glob.strip("./"))
    if len(globs) < len(found):
        complain(f"`{name}` has a pattern that is no text or empty; it is skipped")
    return globs


# --- the system ------------------------------------------------------------------------


def _set_alarm() -> None:
    """Let nothing take longer than the limit; a blocked signal would wait for ever."""

    def late(_number: int, _frame: "FrameType | None") -> None:
        raise LateError("the time is up")

    _signal.signal(_signal.SIGALRM, late)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [_signal.SIGALRM])
    _signal.alarm(SECONDS)


def _stdin() -> bytes:
    """Return what comes until the end, or what came when it is too much or too late."""
    got = bytearray()
    try:
        while len(got) <= MOST_BYTES:
            try:
                piece = posix.read(0, PIECE)
            except BlockingIOError:
                posix.set_blocking(0, True)
                continue
            if not piece:
                break
            got += piece
    except LateError:
        complain("stdin did not end in time; what came is judged")
    _signal.alarm(SECONDS)
    return bytes(got)


def _file(path: str) -> bytes:
    """Return a file's bytes; a pipe in its place is not waited for."""
    opened = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    got = bytearray()
    while len(got) <= MOST_POLICY_BYTES:
        piece = posix.read(opened, PIECE)
        if not piece:
            return bytes(got)
        got += piece
    return b""


def _environ() -> "dict[str, str]":
    name = "CLAUDE_PROJECT_DIR"
    value = posix.environ.get(name.encode(), b"")
    return {name: value.decode("utf-8", "surrogateescape")}


def _said(decision: str, reason: str, *, context: str = "") -> str:
    """Return an answer in Claude Code's words. `context` is what the model gets to read."""
    parts = ['"hookEventName":"PreToolUse"']
    if decision:
        parts.append(f'"permissionDecision":"{decision}"')
        parts.append(f'"permissionDecisionReason":{quoted(reason)}')
    if context:
        parts.append(f'"additionalContext":{quoted(context)}')
    return '{"hookSpecificOutput":{' + ",".join(parts) + "}}\n"


def complain(what: str) -> None:
    """Tell a fault on stderr, where a client's log may keep it."""
    line = "".join(sign if " " <= sign <= "~" else "?" for sign in what[:400])
    try:
        _print(2, f"penstock write-control: {line}\n")
    except OSError:
        return  # nobody listens


def _print(descriptor: int, text: str) -> None:
    left = text.encode("ascii")
    while left:
        left = left[posix.write(descriptor, left) :]


if __name__ == "__main__":
    main(sys.argv[1])
