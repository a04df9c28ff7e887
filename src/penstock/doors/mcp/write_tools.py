"""`write_file`, `edit_file`, `apply_patch`: a change becomes a proposal, and maybe more.

What the rules allow outright was answered by them, so the gate applies it at once; what they
ask about waits for a person; what they deny is refused and nothing is stored. How that is told
is `outcome_text`'s.
Always true: nothing is written here but by `gate.apply`, and that is called only for what the
policy itself approved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from penstock.core.digest import digest
from penstock.core.errors import InputError, StaleError
from penstock.core.file_mode import FileMode
from penstock.core.model import Action, Decision
from penstock.core.patch.apply import FilePatch, apply_all, modes_of, parse_patch
from penstock.core.paths.relpath import RelPath
from penstock.core.proposals.intent import REGIONS, WHY, AgentIntent, intent, without
from penstock.core.proposals.model import Proposal, State
from penstock.core.text import quantities
from penstock.core.text.display import spoken
from penstock.core.tools.intents import intents, resulting
from penstock.doors.mcp.outcome_text import applied, unchanged, waiting
from penstock.doors.mcp.tool_call import ToolAnswer, ToolCall, denied, refuse, text_of
from penstock.gate import Item

MOST_WAITING = 1000
LARGEST = 64 * 1024 * 1024  # a file is read whole to be changed, and kept whole to be undone


def write_file(asked: ToolCall, arguments: Mapping[str, object]) -> ToolAnswer:
    """Propose the whole content of a file."""
    return _change(asked, arguments, _edited)


def edit_file(asked: ToolCall, arguments: Mapping[str, object]) -> ToolAnswer:
    """Propose a file with some of its texts replaced."""
    return _change(asked, arguments, _edited)


def apply_patch(asked: ToolCall, arguments: Mapping[str, object]) -> ToolAnswer:
    """Propose what a patch makes of its files; several files are one set."""
    return _change(asked, arguments, _patched)


def _change(asked: ToolCall, arguments: Mapping[str, object], contents: Contents) -> ToolAnswer:
    """Judge, measure, propose; apply what the policy approved.

    The agent's words about it are taken out first: nothing that judges sees them.
    """
    words = intent(arguments.get(WHY), arguments.get(REGIONS), path=text_of(arguments, "path"))
    arguments = without(arguments)
    places = places_of(asked, arguments)
    _look(asked, arguments, places)
    decision = asked.judge(arguments, attended=True).decision
    if denied(decision):
        raise refuse(decision)
    before = BaseContents(asked)
    _require_read(arguments, places, before)
    after, modes = contents(arguments, places, before), _modes(arguments, places)
    items = [
        Item(path=path, content=content, expect=before.digest(path), mode=modes.get(path))
        for path, content in after.items()
        if content != before(path) or path in modes
    ]
    if not items:
        return unchanged(list(after), decision)
    return settled(asked, _proposed(asked, items, decision, words))


class BaseContents:
    """What each file held when this call first looked at it."""

    def __init__(self, asked: ToolCall) -> None:
        self.asked = asked
        self._held: dict[str, bytes | None] = {}

    def __call__(self, path: str) -> bytes | None:
        """Return it, None for no file."""
        if path not in self._held:
            self._held[path] = self.asked.gate.current(path)
        return self._held[path]

    def digest(self, path: str) -> str | None:
        """Return the digest of it, None for no file."""
        return _digest(self(path))


# What is asked for


Places = dict[str, str]  # every name as the call spells it, and the file that it leads to
After = dict[str, bytes | None]  # what each file is to hold, None for a file that goes
Contents = Callable[[Mapping[str, object], Places, BaseContents], After]


def places_of(asked: ToolCall, arguments: Mapping[str, object]) -> Places:
    """Return every file that a call names. One that cannot be reached ends the call."""
    return {name: asked.reach(name).text for name in _names(arguments)}


def _names(arguments: Mapping[str, object]) -> list[str]:
    if "patch" not in arguments:
        return [text_of(arguments, "path")]
    found: list[str] = []
    for patch in parse_patch(text_of(arguments, "patch")):
        found += [patch.path, *([patch.moved_to] if patch.moved_to else [])]
    return found


def _look(asked: ToolCall, arguments: Mapping[str, object], places: Places) -> None:
    """Refuse what is denied by its name, or too large, before anything is read.

    A link can be turned round after it was followed, so the file that it led to is judged by
    itself: that an edit does not fit tells something about the file.
    """
    gone, files = _removed(arguments), asked.here.files
    for name, path in places.items():
        there = files.kind(RelPath(text=path)) is not None
        action = Action.WRITE if there else Action.CREATE
        asked.refuse_denied(path, Action.DELETE if name in gone else action)
        if there:
            _require_small(asked, path)


def _require_small(asked: ToolCall, path: str) -> None:
    with asked.here.files.source(RelPath(text=path)) as source:
        size = source.size
    if size > LARGEST:
        raise InputError(
            "too-large",
            f"`{path}` is too large to change ({quantities.size(size)})",
            because=f"the limit is {quantities.size(LARGEST)}",
            hint="ask the user to change it",
        )


def _require_read(arguments: Mapping[str, object], places: Places, before: BaseContents) -> None:
    """Where the agent says which content it read, that content must still be there."""
    known = text_of(arguments, "base_digest")
    if not known:
        return
    (path,) = places.values()
    now = before.digest(path) or ""
    if known != now:
        raise StaleError(
            "base-changed",
            f"`{path}` has changed since it was read",
            because=f"it was {spoken(known[:80])} and is {now or 'absent'} now",
            hint="read it again and change the current content",
        )


def _removed(arguments: Mapping[str, object]) -> set[str]:
    if "patch" not in arguments:
        return set()
    patches = parse_patch(text_of(arguments, "patch"))
    return {one.path for one in patches if one.moved_to or one.action is Action.DELETE}


def _edited(arguments: Mapping[str, object], places: Places, before: BaseContents) -> After:
    asked = before.asked
    (path,) = places.values()
    found = intents(asked.tool, arguments, cwd=asked.here.files.root)
    edits = [intent for intent in found if intent.edit is not None]
    if len(edits) != 1:
        why = next((intent.unclear for intent in found if intent.unclear), "it has no content")
        raise InputError("bad-tool-input", "the call is not valid", because=why)
    return {path: resulting(edits[0], before(path))}


def _patched(arguments: Mapping[str, object], places: Places, before: BaseContents) -> After:
    return apply_all(_patches(arguments, places), before)


def _modes(arguments: Mapping[str, object], places: Places) -> Mapping[str, FileMode]:
    """Return the files that a patch gives another mode."""
    return modes_of(_patches(arguments, places)) if "patch" in arguments else {}


def _patches(arguments: Mapping[str, object], places: Places) -> list[FilePatch]:
    return [_settled(one, places) for one in parse_patch(text_of(arguments, "patch"))]


def _settled(patch: FilePatch, places: Places) -> FilePatch:
    moved = places[patch.moved_to] if patch.moved_to else None
    return replace(patch, path=places[patch.path], moved_to=moved)


# What becomes of it


def _proposed(
    asked: ToolCall, items: Sequence[Item], decision: Decision, words: AgentIntent
) -> tuple[Proposal, ...]:
    """Propose it, unless exactly this waits already: asking twice asks once."""
    already = _waiting_already(asked, items)
    if already:
        return already
    tell = asked.progress
    with asked.gate.measuring(lambda done, total: tell(done, total, "measuring the change")):
        return asked.gate.propose(items, actor=asked.actor, judged=decision, intent=words)


def _waiting_already(asked: ToolCall, items: Sequence[Item]) -> tuple[Proposal, ...]:
    gate, now = asked.gate, asked.gate.now()
    states = (State.WAITING, State.APPROVED)
    wanted = {item.path: (item.expect, _digest(item.content), item.mode) for item in items}
    for one in gate.find(states=states, path=items[0].path, limit=MOST_WAITING):
        group = gate.of_set(one.set_id) or (one,)
        open_now = all(each.state in states and not each.expired(now) for each in group)
        waits = any(each.state is State.WAITING for each in group)
        same = {each.path: (each.base, each.content, each.mode) for each in group} == wanted
        if open_now and waits and same:
            return group
    return ()


def _digest(content: bytes | None) -> str | None:
    return None if content is None else digest(content)


def settled(asked: ToolCall, made: tuple[Proposal, ...]) -> ToolAnswer:
    """Apply what the policy approved as a whole; tell what waits; refuse what is denied."""
    refused = next((one for one in made if one.state is State.DENIED), None)
    if refused is not None:
        raise refuse(refused.decision)
    if all(one.state is State.APPROVED and _by_policy(one) for one in made):
        receipts = asked.gate.apply(made[0].set_id or made[0].id)
        return applied(made, receipts)
    return waiting(asked, made)


def _by_policy(one: Proposal) -> bool:
    return one.answer is not None and one.answer.proof == "policy"
