"""Answer a call that cannot be judged: by the names in it, and then by `on_error`.

For when the engine is late, broken or cannot be loaded. Whatever a call names is held against the
compiled policy, or the built-in list where there is none; nothing is measured but a bound on what
one file would lose, and no command is understood: a name that stands in it counts.
Always true: a name that a rule denies or asks about is never let through here; what is let through
says so; and nothing is imported but the small modules of the fast path.
"""

import marshal

from penstock.core.audit.event import compose
from penstock.core.diff.loss_bound import bound
from penstock.core.paths.glob_index import compile_globs
from penstock.core.paths.globs import matches
from penstock.core.paths.spellings import spellings
from penstock.core.policy.fast_decide import DENIES, FORMAT, STRICT, hits, keeps
from penstock.core.policy.protected_names import (
    ENV_FILES,
    GIT,
    HOOK_REGISTRATIONS,
    INSTALLED,
    KEYS,
    LOCK_FILES,
    NOT_ENV_FILES,
    NOT_KEYS,
    OWN_FILES,
    PUBLIC_KEYS,
    STATE,
    STORES,
)
from penstock.doors.hook.fast_path import (
    COLD,
    EDITS,
    WHOLE,
    NotShortError,
    resolved,
    who,
)
from penstock.doors.hook.messages import ALLOW, ASK, BEFORE, DENY, HookAnswer, HookCall, phrase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    Record = Callable[[Mapping[str, object]], object]
    Get = Callable[[str], str | None]

CHECK = "run `penstock doctor`"  # to the person
DOCTOR = f"ask the user to {CHECK}"  # to the agent
NOT_RECORDED = "this is not in the audit log: the log can't be written"
# What a tool carries as content is not what it names.
CONTENT = frozenset(
    {"content", "contents", "new_string", "old_string", "new_str", "old_str", "new_source", "text"}
    | {"file_text", "insert_text", "description", "prompt", "instruction"}
)
PATCH = "*** Begin Patch"
HEADS = ("*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:", "+++ ", "--- ")
BETWEEN = str.maketrans(dict.fromkeys(";|&<>(){}=,:$`\n\r\t", " "))
QUOTES = str.maketrans(dict.fromkeys("'\"", " "))
UNQUOTED = str.maketrans(dict.fromkeys("'\"\\"))
SIGNS = "*?["
TRIED = (".env", ".env.local", "penstock.toml", ".npmrc", ".netrc", "id_rsa")
MOST_WORDS = 2000
MOST_DEPTH = 8
MOST_UNREAD = 1 << 20
LONGEST = 4096
ROTATE_AT = 10 << 20
UNSIGNED = (1 << 62, float("inf"))  # entries and seconds after which a checkpoint is due: never
ACTIONS = ("write", "create", "delete", "read")
# As the preset `guard` has it, for a project whose rules nobody has read yet.
LOSSES = [(100, 0.5)]


def unjudged(
    call: HookCall, why: str, *, on_error: str = "", get: "Get" = COLD.variable
) -> HookAnswer:
    """Return the answer to a call that could not be judged.

    `on_error` is what the rules say of such calls, where that is known.
    """
    if call.event != BEFORE:
        return HookAnswer(warnings=(f"{why}; {CHECK}",))
    root, state = _place(call)
    policy = compiled(state)
    by_name = _refused(call, policy or built_in(), root, why, get)
    return by_name or _by_on_error(call, why, on_error or (policy or {}).get("on_error", ""))


def recorded(
    answer: HookAnswer, call: HookCall, *, code: str = "unjudged", record: "Record | None" = None
) -> HookAnswer:
    """Record that a call was not judged, and return its answer; that says so where it is not.

    `record` raises where an event cannot be stored; then it is tried as the fast path does it.
    """
    status = "error" if answer.verdict == ALLOW else "denied"
    event = {"op": "hook_failed", "path": "", "status": status, "code": code, **who(call)}
    for one in (record, lambda event: _record_cold(_place(call)[1], event)):
        try:
            if one is not None:
                one(event)
                return answer
        except Exception:  # noqa: BLE001, S112 - the answer is what matters, and that it is said
            continue
    answer.warnings = (*answer.warnings, NOT_RECORDED)
    return answer


def unread(agent: str, data: bytes, root: str) -> HookCall:
    """Return a call that could not be read: its words are all that is known of it."""
    words = data[:MOST_UNREAD].decode("utf-8", "replace")
    return HookCall(agent, BEFORE, root=root, tool_input={"unread": words})


def _by_on_error(call: HookCall, why: str, on_error: str) -> HookAnswer:
    if on_error in ("", ALLOW):
        said = f'{why}; it was allowed without a check ([on_error] hook = "allow"); {CHECK}'
        return HookAnswer(warnings=(said,))
    verdict = ASK if on_error == ASK and call.attended else DENY
    because = f"{why}, and this project's rules deny calls that can't be checked"
    return HookAnswer(verdict, phrase(because, f"retry, or {DOCTOR}"))


def _refused(
    call: HookCall, policy: "dict[str, Any]", root: str, why: str, get: "Get"
) -> "HookAnswer | None":
    """Return the refusal of a call that names what a rule names, or would lose too much."""
    try:
        actions = ("write", "create") if call.tool in WHOLE or call.tool in EDITS else ACTIONS
        moved = COLD.moved_settings(get, root, _resolved)
        for word in names(call):
            rule = _rule(policy, word, root, call.cwd, actions, moved)
            if rule is not None:
                verdict = DENY if rule[DENIES] or not call.attended else ASK
                instead = f"do not use that file, or retry; if this repeats, {DOCTOR}"
                because = f"{why}, and it names the protected file `{word}`"
                return HookAnswer(verdict, phrase(because, instead))
        lost = _lost(call, policy, root)
    except TooManyNamesError:
        because = f"{why}, and it is too long to check"
        return HookAnswer(DENY, phrase(because, "split it into shorter calls"))
    if not lost:
        return None
    because = f"{why}, and it may replace most of `{lost}`"
    return HookAnswer(DENY, phrase(because, "edit only the lines that change, or retry"))


# --- what a call names ---------------------------------------------------------------------------


class TooManyNamesError(Exception):
    """Raised for a call that names more than can be looked at."""


def names(call: HookCall) -> "Iterator[str]":
    """Yield every word of a call that may be a path, once."""
    seen: set[str] = set()
    for text in _texts(call.tool_input, MOST_DEPTH):
        for word in _words(text):
            if word not in seen:
                seen.add(word)
                yield word
            if len(seen) > MOST_WORDS:
                raise TooManyNamesError


def _texts(value: object, depth: int) -> "Iterator[str]":
    if isinstance(value, str):
        yield value
    if depth == 0:
        return
    if isinstance(value, dict):
        for key, one in value.items():
            if key not in CONTENT:
                yield from _texts(one, depth - 1)
    if isinstance(value, list):
        for one in value:
            yield from _texts(one, depth - 1)


def _words(text: str) -> "Iterator[str]":
    """Yield what may be a path in a text: all of it, and each word, quoted or pieced together."""
    if PATCH in text or text.startswith(("--- ", "diff ")):
        for line in text.splitlines():
            for head in HEADS:
                if line.startswith(head):
                    name = line[len(head) :].strip()
                    yield name
                    yield name.partition("/")[2] or name  # `a/` and `b/` of a diff
        return
    if len(text) <= LONGEST:
        yield text
    parted = text.translate(BETWEEN)
    for one in (parted.translate(QUOTES), parted.translate(UNQUOTED)):
        yield from one.split()


def _rule(
    policy: "dict[str, Any]",
    word: str,
    root: str,
    cwd: str,
    actions: "tuple[str, ...]",
    moved: "list[tuple[str, str]]",
) -> "tuple[Any, ...] | None":
    """Return the rule that may refuse what a word names."""
    if len(word) > LONGEST or "\0" in word:
        return None
    given = f"{COLD.variable('HOME')}{word[1:]}" if word.startswith("~/") else word
    folder, _, last = given.rpartition("/")
    ones = [given]
    if any(sign in last for sign in SIGNS) and len(last.strip("*?[].")) > 1:
        ones = [f"{folder}/{name}".lstrip("/") for name in TRIED if matches(last, name)]
    for one in ones:
        _, judged, tightening, _ = spellings(
            one,
            root=root,
            base=cwd,
            resolve=_resolved,
            known_as=lambda place: COLD.known_as(place, root, moved),
            folds=bool(policy.get("folds")),
        )
        found = _may_refuse(policy, actions, judged, tightening)
        if found is not None:
            return found
    return None


def _resolved(path: str) -> str:
    try:
        return resolved(path)
    except (NotShortError, OSError, ValueError):
        return path


def _lost(call: HookCall, policy: "dict[str, Any]", root: str) -> str:
    """Return the file that one tool call might lose most of, "" for none."""
    content = call.tool_input.get(WHOLE.get(call.tool, ""))
    path = call.tool_input.get("file_path")
    if not isinstance(content, str) or not isinstance(path, str):
        return ""
    place = path if path.startswith("/") else f"{call.cwd or root}/{path}"
    there = COLD.read(place)
    if there is None:
        return ""
    lines, lost = bound(there[0], content.encode("utf-8", "surrogatepass")) or (1 << 30, 1.0)
    kept = all(keeps(layer["losses"], lines, lost) for layer in policy["layers"])
    return "" if kept else path


# --- what it is held against ---------------------------------------------------------------------


def _may_refuse(
    policy: "dict[str, Any]",
    actions: "Sequence[str]",
    judged: "Sequence[str]",
    tightening: "Sequence[str]",
) -> "tuple[Any, ...] | None":
    """Return a rule that might refuse a path or ask about it, whatever else it looks at."""
    heard = [
        rule
        for layer in policy["layers"]
        for action in actions
        for rule in hits(layer, action, judged, tightening)
        if rule[STRICT]
    ]
    return max(heard, key=lambda rule: bool(rule[DENIES]), default=None)


def _place(call: HookCall) -> "tuple[str, str]":
    root = COLD.workspace_above(_resolved(call.root or "/"))
    return root, COLD.state_of(root)


def compiled(state: str) -> "dict[str, Any] | None":
    """Return the compiled policy, even one that is out of date: it is what was last in force."""
    found = COLD.read(f"{state}/hook.policy")
    try:
        policy: dict[str, Any] = marshal.loads(found[0]) if found else {}  # noqa: S302 - our own
        if policy.get("enforced") is not None:  # what only observes refuses nothing
            policy["layers"] = policy["enforced"]
        return policy if policy.get("version") == FORMAT else None
    except Exception:  # noqa: BLE001 - torn or forged: then the built-in list
        return None


def built_in() -> "dict[str, Any]":
    """Return the built-in list in the form of a compiled policy."""
    own = (
        *OWN_FILES,
        *HOOK_REGISTRATIONS,
        *STATE,
        f"**{COLD.state_home()}",
        f"**{COLD.state_home()}/**",
    )
    written = ACTIONS[:-1]
    lists = (
        (own, ACTIONS, ()),
        (ENV_FILES, ACTIONS, NOT_ENV_FILES),
        (STORES, ACTIONS, PUBLIC_KEYS),
        (KEYS, ACTIONS, NOT_KEYS),
        (GIT, written, INSTALLED),
        ((*INSTALLED, *LOCK_FILES), written, ()),
    )
    numbered = [(glob, at) for at, (globs, _, _) in enumerate(lists) for glob in globs]
    layer = {
        "index": compile_globs(numbered),
        "rules": [_denial(actions, but) for _, actions, but in lists],
        "losses": LOSSES,
    }
    return {"layers": [layer]}


def _denial(actions: "tuple[str, ...]", but: "tuple[str, ...]") -> "tuple[Any, ...]":
    """Return a compiled rule of the built-in list."""
    except_for = compile_globs([(glob, 0) for glob in but]) if but else None
    words = ("built-in", "path-denied", "", "", "")
    return (True, True, True, False, list(actions), *words, except_for)


def _record_cold(state: str, event: "Mapping[str, object]") -> None:
    """Put one line on the chain, also where a checkpoint is due: the next writer signs."""
    rotate_at = (compiled(state) or {}).get("rotate", ROTATE_AT)
    COLD.append("", state, compose(event), {"rotate": rotate_at, "signing": UNSIGNED})
