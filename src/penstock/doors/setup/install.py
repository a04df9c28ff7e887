"""What `init` does to a project and `uninstall` takes back, as a plan and then as writes.

Rules file, ignore line and registrations are one plan. What a file becomes is `registrations`'s.
Always true: a plan changes nothing; carrying it out is all or nothing; a rules file that is
there is never touched; from an agent's shell a registration is only ever added.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from penstock.app import Workspace
from penstock.app.places import user_rules
from penstock.core.digest import digest
from penstock.core.errors import RefusedError
from penstock.core.loopback import PORT
from penstock.core.model import Verdict
from penstock.core.paths.relpath import RelPath
from penstock.doors.hook.agents import agent_module
from penstock.doors.setup import install_record, json_splice, registrations
from penstock.doors.setup.agent_files import place_of
from penstock.doors.setup.entries import OURS, Entry, places, value_at, without_entries
from penstock.doors.setup.registrations import BROKER_LOG, IGNORE, RULES, SANDBOX, PlanStep
from penstock.doors.setup.scopes import (
    GLOBAL,
    LOCAL,
    LOCAL_FILES,
    SHARED,
    file_in,
    home_files,
    hook_command,
    project_files,
    shared_command,
)
from penstock.ports import Files

TEMPLATE = """\
# What agents may read, write and run in this project. See what is in force with
# `penstock check`, and try a call with `penstock judge --tool Write --input '{{...}}'`.
# An editor completes and checks this file once `penstock check --schema` is kept beside it
# as penstock.schema.json and the first line here says: #:schema ./penstock.schema.json
version = 1
preset = "{preset}"
# A rule of the preset that does not fit here is switched off by its id:
# disable = ["lock-files"]

# A rule of your own; the strictest rule that matches wins, whatever the order:
#
# [[deny]]
# id = "migrations"
# paths = ["db/migrations/**"]
# reason = "{{path}} has been applied and cannot change"
# instead = "write a new migration"
#
# [[ask]]
# id = "deployment"
# paths = ["deploy/**"]
"""


OBSERVE = """\
# Decide and record, and stop nothing yet: see `penstock report`; `penstock init --enforce` ends it.
observe = true
"""


class Wish(Struct, frozen=True, kw_only=True):
    """What is to be registered, and for whom; `preset` "" is `guard` where there are no rules."""

    agents: tuple[str, ...]
    preset: str = ""
    http: bool = False
    port: int = PORT
    scope: str = LOCAL
    observe: bool = False


def plan(here: Workspace, wish: Wish, *, token: str = "") -> list[PlanStep]:
    """Return what `init` would do, file by file; what is in the home comes first.

    An agent has one registration of one person: where it moves, it is taken out elsewhere. What
    protects others (a team's file, and the one for every project) stays until somebody says so.
    """
    if wish.scope == GLOBAL:
        return [*_plan_at_home(here, wish), *_moved(here, wish.agents)]
    covered = at_home(here, wish) if wish.scope == LOCAL else ()
    agents = [agent for agent in wish.agents if agent not in covered]
    entries = [entry for agent in agents for entry in _entries(agent, wish, here=here, token=token)]
    steps = [*_rules(here, wish), *_ignored(here, wish, entries)]
    steps += registrations.plan_adding(here.files, entries)
    kept = {str(entry["file"]) for entry in entries}
    return [*steps, *_taken_out(here, [*agents, *covered], kept)]


def at_home(here: Workspace, wish: Wish) -> tuple[str, ...]:
    """Return the agents of a wish whose hook is registered for every project already."""
    found = registrations.find_everywhere(place_of(here.root))
    agents = {one.agent for one in found if one.scope == GLOBAL}
    return tuple(agent for agent in wish.agents if agent in agents)


def _rules(here: Workspace, wish: Wish) -> list[PlanStep]:
    if here.files.kind(RelPath(text=RULES)) is not None:
        return []
    text = TEMPLATE.format(preset=wish.preset or "guard")
    if wish.observe:
        text = text.replace("version = 1\n", f"{OBSERVE}version = 1\n", 1)
    return [PlanStep(path=RULES, before=None, after=text.encode())]


def _plan_at_home(here: Workspace, wish: Wish) -> list[PlanStep]:
    """Register in the home, and write the user's rules where a preset is named.

    Without one there are none: a project without rules goes by `guard` all the same, and what a
    user's rules say could not be loosened by any project.
    """
    entries = [entry for agent in wish.agents for entry in _entries(agent, wish, here=here)]
    steps = registrations.plan_adding(_home_files(here), entries)
    rules = os.path.realpath(user_rules())
    if wish.preset and not os.path.lexists(rules):
        text = TEMPLATE.format(preset=wish.preset)
        steps.insert(0, PlanStep(path=rules[1:], before=None, after=text.encode()))
    return [replace(step, at_home=True) for step in steps]


def _moved(here: Workspace, agents: Sequence[str]) -> list[PlanStep]:
    """Take out what is registered in this project for this person alone."""
    found = [one for one in registrations.find(here.root) if one.scope == LOCAL]
    files = {one.file for one in found if one.agent in agents}
    return registrations.plan_removing(here.files, install_record.load(here.state), sorted(files))


def _taken_out(here: Workspace, agents: Sequence[str], kept: Container[str]) -> list[PlanStep]:
    """Take out what these agents have registered in other files of the project."""
    found = [one for one in registrations.find(here.root) if one.agent in agents]
    files = sorted({one.file for one in found if one.file not in kept})
    return registrations.plan_removing(here.files, install_record.load(here.state), files)


def _ignored(here: Workspace, wish: Wish, entries: Sequence[Entry]) -> list[PlanStep]:
    """Keep out of the repository what is one person's: a file of their own, or one that is new.

    A file that is committed stays as it is for git; `init` then says what is in it.
    """
    lines: list[Entry] = [{"file": IGNORE, "line": line} for line in (SANDBOX, BROKER_LOG)]
    for file in dict.fromkeys(str(entry["file"]) for entry in entries):
        own = file in LOCAL_FILES.values() or here.files.kind(RelPath(text=file)) is None
        if wish.scope == SHARED:
            lines.append({"file": IGNORE, "line": file, "gone": True})
        elif own:
            lines.append({"file": IGNORE, "line": file})
    return registrations.plan_adding(here.files, lines)


def is_strict(here: Workspace, wish: Wish) -> bool:
    """Say whether a hook that fails is to block: as the rules that will be in force say."""
    if here.files.kind(RelPath(text=RULES)) is None and wish.preset == "strict":
        return not wish.observe
    return here.policy().in_force.on_error.get("hook") is Verdict.DENY


def _entries(agent: str, wish: Wish, *, here: Workspace, token: str = "") -> list[Entry]:
    module, strict = agent_module(agent), is_strict(here, wish)
    started = shared_command if wish.scope == SHARED else hook_command
    command = started(agent, closed=strict)
    found = module.registration(command, strict=strict)
    if wish.http and agent == "claude":
        url = f"http://127.0.0.1:{wish.port}/hook/claude"
        found = module.http_registration(command, url, token, here.root)
    place = place_of(here.root)
    return [
        {**entry, "file": file_in(wish.scope, agent, entry["file"], place).removeprefix("/")}
        for entry in found
    ]


def only_adds(steps: Sequence[PlanStep]) -> None:
    """Raise RefusedError for a plan that would change a registration that is there."""
    for step in steps:
        if step.changes and step.before is not None and _changes_ours(step, step.before):
            raise RefusedError(
                "inside-agent",
                f"the registration in `{step.shown}` can't be changed from an agent's shell",
                because="an agent's shell can only add hooks",
                hint="run the command in your own terminal",
            )


def _changes_ours(step: PlanStep, before: bytes) -> bool:
    if not step.path.endswith(".json"):
        return OURS.encode() in before[:1000]
    after = _ours(step.after or b"{}", step.path)
    return any(value not in after for value in _ours(before, step.path))


def _ours(data: bytes, path: str) -> list[object]:
    document = json_splice.read(data, path)[1]
    return [value_at(document, place) for place in places(document)]


def carry_out(here: Workspace, steps: Sequence[PlanStep]) -> None:
    """Remember how each file was, record what is done, then write all of them.

    The home's come first: what moves there is registered before it is taken out elsewhere.
    """
    for at_home, files, state in _sites(here):
        todo = [step for step in steps if step.changes and step.at_home is at_home]
        if not todo:
            continue
        memory = install_record.load(state)
        for step in todo:
            known = memory.get(step.path)
            memory[step.path] = _remembered(files, step, known, here.root if at_home else "")
        install_record.save(state, memory)
        with _recorded(here, "hooks_registered", todo):
            registrations.carry_out(files, todo)


def _sites(here: Workspace) -> tuple[tuple[bool, Files, str], ...]:
    """Return where files are written and what remembers them: the home, then the project."""
    return (True, _home_files(here), os.path.dirname(here.state)), (False, here.files, here.state)


def _home_files(here: Workspace) -> Files:
    return here.rule_files.files


def _remembered(
    files: Files, step: PlanStep, known: install_record.FileBefore | None, by: str
) -> install_record.FileBefore:
    """Return what is remembered of a file that is about to change."""
    content, made = _without_us(step), registrations.missing_above(files, step.path)
    if known is not None:
        made = tuple(dict.fromkeys((*known.made, *made)))
        if step.before is not None and digest(step.before) == known.after:
            content = known.content
    after = digest(step.after or b"")
    return install_record.FileBefore(content=content, after=after, made=made, by=by)


def _without_us(step: PlanStep) -> bytes | None:
    """Return a file as it is to be given back one day: without an older entry of ours."""
    if step.before is None or not step.path.endswith(".json"):
        ours = step.before is not None and OURS.encode() in step.before[:1000]
        return None if ours else step.before
    return without_entries(step.before, step.path)


@contextmanager
def _recorded(here: Workspace, op: str, steps: Sequence[PlanStep]) -> Iterator[None]:
    """Leave a line for each file before and after: when the gate was put up or down is known."""
    _record(here, op, steps, "applying")
    yield
    _record(here, op, steps, "done")


def _record(here: Workspace, op: str, steps: Sequence[PlanStep], status: str) -> None:
    for step in steps:
        if step.changes:
            here.gate.record(
                op,
                path=step.shown,
                status=status,
                base_hash="" if step.before is None else digest(step.before),
                content_hash="" if step.after is None else digest(step.after),
            )


def plan_back(here: Workspace, *, everywhere: bool = False) -> list[PlanStep]:
    """Return what `uninstall` would do; `everywhere` takes the user's registrations out, too.

    Without it those go that `init --global` made in this very project.
    """
    steps: list[PlanStep] = []
    for at_home, files, state in _sites(here):
        memory = install_record.load(state)
        if not at_home:
            paths = [*memory, *project_files()]
        elif everywhere:
            paths = [*memory, *(path[1:] for path in home_files(place_of(here.root)))]
        else:
            paths = [path for path, known in memory.items() if known.by == here.root]
        found = registrations.plan_removing(files, memory, paths)
        steps += [replace(step, at_home=at_home) for step in found]
    return steps


def carry_back(
    here: Workspace, steps: Sequence[PlanStep], *, everywhere: bool = False
) -> list[str]:
    """Take everything back; return the directories that went as well."""
    gone: list[str] = []
    for at_home, files, state in _sites(here):
        memory = install_record.load(state)
        todo = [step for step in steps if step.at_home is at_home]
        with _recorded(here, "hooks_removed", todo):
            registrations.carry_out(files, todo)
        back = {
            path: known
            for path, known in memory.items()
            if not at_home or everywhere or known.by == here.root
        }
        made = [path for before in back.values() for path in before.made]
        top = "/" if at_home else ""
        gone += [top + path for path in registrations.remove_empty(files.root, made)]
        install_record.save(
            state, {path: known for path, known in memory.items() if path not in back}
        )
    return gone


def described(steps: Sequence[PlanStep], done: Mapping[str, str]) -> list[dict[str, object]]:
    """Return a plan as data: each file, what happens to it, and its diff."""
    from penstock.core.diff.hunks import unified

    found: list[dict[str, object]] = []
    for step in steps:
        word = "unchanged"
        if step.changes:
            word = "create" if step.before is None else "remove" if step.after is None else "change"
        diff = unified(step.before, step.after, path=step.shown) if step.changes else b""
        shown = diff.decode("utf-8", "backslashreplace")
        row: dict[str, object] = {"path": step.shown, "status": done.get(word, word), "diff": shown}
        found.append({**row, "why": step.why} if step.why else row)
    return found
