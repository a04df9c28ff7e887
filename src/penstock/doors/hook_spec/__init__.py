"""The hook spec's own door: a Write or Edit call on stdin, its answer on stdout.

`hooks/write-control.sh` of the Claude Code plugin runs this with nothing installed. It says
what that spec says, to the letter: protected paths are denied, warned ones are allowed with a
sentence, all others pass without a word. The wiser hook is the one that `penstock init`
registers. Matching and normalising are the core's.
Enter by `main`, which the plugin's script calls.
Imported by: `hooks/write-control.sh`, under any Python from 3.9 on.
Always true: the exit code is 0, stdout has one JSON answer or nothing, an answer comes within
seconds whatever stdin does, and hardly anything is imported, because every write of an agent
waits for this.
"""

from penstock.core.paths.globs import matches
from penstock.core.paths.spellings import beneath, fold, joined, normal, spellings
from penstock.core.policy.protected_names import (
    DEFAULT_LISTS,
    KEPT,
    OWN_FILES,
    PROTECTED_REASON,
    STATE,
    STEERS,
    WARNED_NOTE,
)
from penstock.core.strict_json import DuplicateKeyError, parse, quoted
from penstock.doors.hook_spec.system import (
    LONGEST_PATH,
    Links,
    complain,
    contents,
    folds_case,
    leave,
    print_to,
    set_alarm,
    stdin,
    variable,
    working_directory,
)

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

# The spec names Write and Edit. The other two write files too, if somebody registers them.
TOOLS = {
    "Write": "file_path",
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path",
}
POLICY = "hooks/config/write-policies.json"
# Where the plugin lies in the project itself, somebody works on it, and the lists decide.
PLUGIN_FILES = ("hooks/**", "src/penstock/**", ".claude-plugin/**")
MOST_BYTES = 64 << 20
MOST_POLICY_BYTES = 8 << 20
LONGEST_PATTERN = 4096
OUTSIDE = ("none", "ask", "deny")
PARANOID_REASON = "Production path: {path} cannot be modified in paranoid mode"


class HostileError(Exception):
    """Nobody sends this by accident, so it is denied and not let through as a fault."""


def main(plugin: str) -> None:
    """Answer one call and leave with 0; `plugin` is the directory that holds `hooks/`."""
    try:
        set_alarm()
        data, policy = stdin(most=MOST_BYTES), policy_of(f"{plugin}/{POLICY}")
        policy["plugin"] = joined(plugin, working_directory())
        print_to(1, answer(data, policy, project=variable("CLAUDE_PROJECT_DIR")))
    except BaseException as fault:  # noqa: BLE001 - whatever it is, the spec lets the write go on
        complain(f"{type(fault).__name__}: {fault}; the write goes on")
    leave()


def answer(data: bytes, policy: "Mapping[str, Any]", *, project: str = "") -> str:
    """Return the line that answers a call, or nothing for what passes without a word."""
    try:
        call = _call(data)
        path = _path_of(call)
        return judge(path, policy, _roots(call, project)) if path else ""
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


def _roots(call: "Mapping[str, Any]", project: str) -> "tuple[str, str]":
    """Return the project's directory and the one that the agent is in."""
    here = _directory(call.get("cwd")) or working_directory()
    return (_directory(project) or here, here)


def _directory(name: "Any") -> str:
    """Return a directory's name if it can be one, absolute and not too long, or nothing."""
    if not isinstance(name, str) or not name.startswith("/") or "\0" in name:
        return ""
    return name if len(name) <= LONGEST_PATH else ""


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
    if outside and _meet(PLUGIN_FILES, _below(policy["plugin"], forms, resolve)):
        return _said("deny", STEERS.replace("{path}", shown))
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


def _below(folder: str, forms: "Sequence[str]", resolve: "Callable[[str], str]") -> "list[str]":
    """Return those forms that lie in a folder, relative to it."""
    tops = {normal(folder), normal(resolve(folder))}
    return [found for form in forms for top in tops for found in (beneath(form, top),) if found]


def _is_warned(form: str, policy: "Mapping[str, Any]") -> bool:
    return _meet(policy["warned"], (form,)) and not _meet(policy["suppress"], (form,))


def _meet(globs: "Sequence[str]", forms: "Sequence[str]") -> bool:
    return any(matches(glob, form) for form in forms for glob in globs)


def _meet_folded(globs: "Sequence[str]", forms: "Sequence[str]", root: str) -> bool:
    """Say whether a disk that takes `A` for `a` would take this for a protected name."""
    other = [folded for form in forms for folded in (fold(form),) if folded != form]
    return bool(other) and _meet([fold(glob) for glob in globs], other) and folds_case(root)


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
    lists["plugin"] = ""
    return lists


def _document(file: str) -> "dict[str, Any]":
    try:
        data = contents(file, most=MOST_POLICY_BYTES)
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
    globs = tuple(glob for glob in found if _usable(glob))
    if found and not globs:  # whoever wants none writes `[]`
        complain(f"`{name}` has no usable pattern; its default is in force")
        return default
    if len(globs) < len(found):
        complain(f"`{name}` has a pattern that is no text or can meet nothing; it is skipped")
    return globs


def _usable(glob: "Any") -> bool:
    """Say whether a pattern can meet a path of a project at all (`glob_fault` in `core/rules`)."""
    return (
        isinstance(glob, str)
        and bool(glob.strip("./ "))
        and not glob.startswith("~/")
        and ".." not in glob.split("/")
        and len(glob) <= LONGEST_PATTERN
        and all(" " <= sign != "\x7f" for sign in glob)
    )


# --- the answer -----------------------------------------------------------------------


def _said(decision: str, reason: str, *, context: str = "") -> str:
    """Return an answer in Claude Code's words. `context` is what the model gets to read."""
    parts = ['"hookEventName":"PreToolUse"']
    if decision:
        parts.append(f'"permissionDecision":"{decision}"')
        parts.append(f'"permissionDecisionReason":{quoted(reason)}')
    if context:
        parts.append(f'"additionalContext":{quoted(context)}')
    return '{"hookSpecificOutput":{' + ",".join(parts) + "}}\n"
