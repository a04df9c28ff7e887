"""The fast path: one file tool, judged by its name and, for a write, by bounds on what it loses.

Asks the compiled policy that the engine left in the state directory. Whatever is not common,
not certain or not there is left to the engine by returning None.
Always true: nothing was recorded or kept when None comes back; an answer is on the record
before it is given; and nothing is imported but the kernel's calls and our own small modules.
"""

import marshal
import posix
import time

from penstock.core.audit.judgement import MOST_RULES, STATUS, is_wanted, judgement, plain_line
from penstock.core.diff.loss_bound import bound
from penstock.core.paths.spellings import spellings
from penstock.core.policy.fast_decide import DENY, FORMAT, Short, answer
from penstock.core.text.secret_signs import names_secret_file
from penstock.doors.hook.agents import agent_module
from penstock.doors.hook.messages import (
    AFTER,
    BEFORE,
    END,
    HookAnswer,
    HookCall,
    phrase,
    reply_of,
    text,
)
from penstock.doors.hook.wire import parse
from penstock.stores.audit.cold_append import ColdLog, append_cold
from penstock.stores.queue import before_images
from penstock.stores.system import places
from penstock.stores.system.places import (
    arrival,
    has_nested_rules,
    known_as,
    moved_settings,
    stamp,
    state_of,
    variable,
    workspace_above,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from penstock.doors.hook.messages import Reply

LONGEST_PATH, LONGEST_NAME = 4000, 255

NOT_KEPT = "Penstock could not save the previous content of {path}, so this can't be undone"

# Tools that write one whole file, or replace text in one: where the path and the texts stand.
WHOLE = {"Write": "content", "write_file": "content"}
EDITS = frozenset({"Edit"})
READS = frozenset({"Read", "read_file"})


class NotShortError(Exception):
    """Raised where only the engine can tell."""


class Cold:
    """How a process that ends at once reaches the policy, the record, places and variables."""

    __slots__ = ()

    read = staticmethod(before_images.read)
    known_as = staticmethod(places.known_as)
    moved_settings = staticmethod(places.moved_settings)
    state_home = staticmethod(places.state_home)
    state_of = staticmethod(places.state_of)
    workspace_above = staticmethod(places.workspace_above)

    def policy(self, state: str) -> "dict[str, Any]":
        """Return the compiled policy of a workspace. Raises NotShortError where it is stale."""
        return load(state)

    def variable(self, name: str) -> "str | None":
        """Return one of the agent's variables."""
        return variable(name)

    def append(self, root: str, state: str, body: bytes, policy: "dict[str, Any]") -> str:
        """Put one line on the chain and return its hash; a log that needs more is the engine's."""
        del root
        now = time.time()
        ts = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
        path, memory = f"{state}/audit.jsonl", f"{state}.head"
        log = ColdLog(path, memory, policy["rotate"], *policy["signing"])
        added = append_cold(log, body, ts, now)
        if added is None:
            raise NotShortError
        return added[2]


COLD = Cold()


def short_reply(agent: str, data: bytes, environ: "Any", by: Cold = COLD) -> "Reply | None":
    """Return an agent's own words for what it sent, recorded, or None."""
    module = agent_module(agent)
    try:
        call = module.read(parse(data), environ)
    except (ValueError, TypeError, AttributeError):
        return None
    answer = short_answer(call, by)
    return None if answer is None else reply_of(module, call, answer)


def short_answer(call: HookCall, by: Cold = COLD) -> "HookAnswer | None":
    """Return the answer to a call, recorded, or None."""
    try:
        if call.event == BEFORE:
            return _before(call, by)
        if call.event == AFTER:
            return _after(call, by)
        if call.event == END:  # only an isolated run has something to do then
            return HookAnswer()
    except Exception:  # noqa: BLE001 - whatever it is, the engine looks again and says it
        return None
    return None


# --- before ------------------------------------------------------------------------------------


def _before(call: HookCall, by: Cold) -> HookAnswer:
    given = _path(call)
    root, state = _root(call)
    policy = by.policy(state)
    shown, judged, tightening, outside = _spelled(by, given, root, call.cwd)
    if outside or any(has_nested_rules(root, one) for one in judged):
        raise NotShortError
    place = f"{root}/{judged[-1]}"
    reads = call.tool in READS
    there = None if reads else _there(place)
    if reads:
        action, said = "read", _judged_read(policy, place, judged, tightening)
    else:
        action, said = _judged(policy, call, judged, tightening, there)
    if said.verdict == DENY and policy.get("enforced") is not None:
        raise NotShortError  # some rules only observe; the engine knows which
    body = _event(policy, call, shown, said, action)
    if body:
        by.append(root, state, body, policy)
    if said.verdict == DENY:
        reason = phrase(said.reason, said.instead).replace("{path}", shown)
        return HookAnswer(DENY, reason)
    key = "" if reads else before_images.call_key(call.session, call.call_id)
    kept = not key or before_images.keep(state, key, 0, judged[-1], there)
    return HookAnswer(
        notes=tuple([note.replace("{path}", shown) for note in said.notes]),
        warnings=() if kept else (NOT_KEPT.replace("{path}", shown),),
    )


def _path(call: HookCall) -> str:
    """Return the path that a known tool names, if it is as plain as nearly all are."""
    if call.tool not in WHOLE and call.tool not in EDITS and call.tool not in READS:
        raise NotShortError
    given = text(call.tool_input.get("file_path"))
    plain = given.isascii() and given.isprintable() and given[:1] not in ("", "~")
    plain = plain and not given.endswith(" ")  # which a message spells out
    if not plain or len(given) > LONGEST_PATH:
        raise NotShortError
    if max([len(name) for name in given.split("/")]) > LONGEST_NAME:
        raise NotShortError
    return given


def _root(call: HookCall) -> "tuple[str, str]":
    """Return the workspace that a call's directory lies in, resolved, and its state."""
    root = workspace_above(resolved(call.root))
    state = state_of(root)
    if _may_have_news(state, call.agent):
        raise NotShortError
    return root, state


def _may_have_news(state: str, agent: str) -> bool:
    """Say whether something may have become of the agent's proposals since the last look."""
    found = before_images.read(f"{state}/tickets/{agent}.look")
    if found is None:
        return False
    stamps, until = marshal.loads(found[0])  # noqa: S302 - our own file, as below
    return time.time() >= until or any(stamp(one[0]) != one for one in stamps)


def _spelled(
    by: Cold, given: str, root: str, base: str
) -> "tuple[str, tuple[str, ...], tuple[str, ...], bool]":
    """Return what `spellings` says of a path."""

    def resolve(path: str) -> str:
        return root if path == root else resolved(path)  # the root is resolved already

    moved = moved_settings(by.variable, root, resolve)

    def others(place: str) -> "list[str]":
        return known_as(place, root, moved)

    return spellings(given, root=root, base=base, resolve=resolve, known_as=others)


def resolved(path: str) -> str:
    """Return where the kernel would arrive: the deepest part that exists, then the rest."""
    found = arrival(path)
    if found is None:  # the engine follows it name by name
        raise NotShortError
    return found


def load(state: str) -> "dict[str, Any]":
    """Return the compiled policy if it is of this version and its files have not changed."""
    fd = posix.open(f"{state}/hook.policy", before_images.READ)
    try:
        data = before_images.all_of(fd)
    finally:
        posix.close(fd)
    policy = marshal.loads(data)  # noqa: S302 - our own file, 0600, below a 0700 directory
    if policy["version"] != FORMAT or policy["folds"]:
        raise NotShortError
    require_fresh(policy)
    found: dict[str, Any] = policy
    return found


def require_fresh(policy: "dict[str, Any]") -> None:
    """Raise NotShortError where a file has changed that the policy was made from, or it is over."""
    valid = policy["valid"]
    if valid is not None and not valid[0] <= time.time() < valid[1]:
        raise NotShortError  # the organisation's bundle has expired; the engine knows what holds
    for path, size, changed, inode in policy["stamps"]:
        if stamp(path) != (path, size, changed, inode):
            raise NotShortError


def _there(place: str) -> "tuple[bytes, int] | None":
    """Return the file that would be written; None when nothing is there."""
    found = before_images.read(place)
    if found is not None and _has_other_names(place):  # these are judged, too
        raise NotShortError
    if found is None and _exists(place):  # a link, a directory, too large, not ours to read
        raise NotShortError
    return found


def _has_other_names(place: str) -> bool:
    """Say whether a file has hard links, or may be there in the other case as well."""
    above, _, name = place.rpartition("/")
    return posix.lstat(place).st_nlink > 1 or _exists(f"{above}/{name.swapcase()}")


def _exists(place: str) -> bool:
    try:
        posix.lstat(place)
    except FileNotFoundError:
        return False
    return True


def _judged(
    policy: "dict[str, Any]",
    call: HookCall,
    judged: "tuple[str, ...]",
    tightening: "tuple[str, ...]",
    there: "tuple[bytes, int] | None",
) -> "tuple[str, Short]":
    after = _result(call, there)
    if names_secret_file(after):  # code that would show one is the engine's to read
        raise NotShortError
    bounds = (0, 0.0) if there is None else bound(there[0], after)
    if bounds is None:
        raise NotShortError
    action = "create" if there is None else "write"
    lines, lost = bounds
    said = answer(
        policy, action, judged, tightening, most_lines=lines, most_lost=lost, size=len(after)
    )
    if said is None:
        raise NotShortError
    return action, said


def _judged_read(
    policy: "dict[str, Any]",
    place: str,
    judged: "tuple[str, ...]",
    tightening: "tuple[str, ...]",
) -> Short:
    """Judge a read by names alone; a file with other names has more of them than the path."""
    if _exists(place) and _has_other_names(place):
        raise NotShortError
    said = answer(policy, "read", judged, tightening, most_lines=0, most_lost=0.0, size=0)
    if said is None:
        raise NotShortError
    return said


def _result(call: HookCall, there: "tuple[bytes, int] | None") -> bytes:
    """Return what the file would hold; an edit that does not simply fit is the engine's."""
    given = call.tool_input
    if call.tool in WHOLE:
        content = given[WHOLE[call.tool]]
        if not isinstance(content, str):
            raise NotShortError
        return content.encode()
    old, new = given["old_string"].encode(), given["new_string"].encode()
    if there is None or not old or there[0].count(old) != 1:
        raise NotShortError
    return there[0].replace(old, new)


# --- after -------------------------------------------------------------------------------------


def _after(call: HookCall, by: Cold) -> HookAnswer:
    """Settle what one file tool changed; all else is the engine's."""
    if call.tool not in WHOLE and call.tool not in EDITS:
        raise NotShortError
    key = before_images.call_key(call.session, call.call_id)
    root, state = _root(call)
    kept = before_images.kept(state, key) if key else []
    policy = by.policy(state) if kept else {}
    for number, one in kept:
        found = _there(f"{root}/{one.path}")
        after = found[0] if found else None
        digest = before_images.digest_of(after)
        if digest == one.digest:
            before_images.forget(state, key, number)
            continue
        body = _line(observed(call, one, digest))
        line = by.append(root, state, body, policy)
        before_images.settle(state, key, number, after, line)
    return HookAnswer()


def observed(call: HookCall, one: before_images.BeforeImage, digest: str) -> "dict[str, object]":
    """Return the event of a write that the agent made by itself."""
    facts = {
        "op": "observed",
        "path": one.path,
        "status": "observed",
        **who(call),
        "before_hash": one.digest,
        "after_hash": digest,
    }
    return {name: value for name, value in facts.items() if value != before_images.NOTHING}


# --- the record --------------------------------------------------------------------------------


def who(call: HookCall) -> "dict[str, object]":
    """Return who asked, as an event tells it."""
    facts = {
        "agent": call.agent,
        "session": call.session,
        "tool_call_id": call.call_id,
        "subagent": call.subagent,
        "tool": call.tool,
    }
    return {name: value for name, value in facts.items() if value}


def _event(policy: "dict[str, Any]", call: HookCall, shown: str, said: Short, action: str) -> bytes:
    """Return the event of a judgement, nothing where `[audit] level` wants none."""
    if not is_wanted(policy["level"], said.verdict, said.rules):
        return b""
    event = judgement(
        shown,
        STATUS[said.verdict],
        who(call),
        action=action,
        rules=said.rules[:MOST_RULES],
        code=said.code,
        revision=policy["revision"],
    )
    return _line(event)


def _line(event: "dict[str, object]") -> bytes:
    """Return an event as it is written; only the engine knows how to hide what may be a secret."""
    line = plain_line(event)
    if line is None:
        raise NotShortError
    return line
