"""What `init` does to a project and `uninstall` takes back, as a plan and then as writes.

Rules file, ignore line and registrations are one plan. What a file becomes is `registrations`'s.
Always true: a plan changes nothing; carrying it out is all or nothing; a rules file that is
there is never touched; from an agent's shell a registration is only ever added.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from penstock.app import Workspace
from penstock.core.digest import digest
from penstock.core.errors import RefusedError
from penstock.core.loopback import PORT
from penstock.core.model import Verdict
from penstock.core.paths.relpath import RelPath
from penstock.doors.hook.agents import agent_module
from penstock.doors.setup import install_record, json_splice, registrations
from penstock.doors.setup.entries import OURS, Entry, places, value_at, without_entries
from penstock.doors.setup.registrations import SANDBOX, PlanStep

RULES = "penstock.toml"
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """What is to be registered."""

    agents: tuple[str, ...]
    preset: str = "guard"
    http: bool = False
    port: int = PORT
    local: bool = False


def plan(here: Workspace, wish: Wish, *, token: str = "") -> list[PlanStep]:
    """Return what `init` would do, file by file."""
    steps = []
    if here.files.kind(RelPath(text=RULES)) is None:
        text = TEMPLATE.format(preset=wish.preset)
        steps.append(PlanStep(path=RULES, before=None, after=text.encode()))
    entries: list[Entry] = [{"file": ".gitignore", "line": SANDBOX}]
    strict = is_strict(here, wish)
    for agent in wish.agents:
        entries += _entries(agent, wish, strict=strict, token=token, root=here.root)
    return steps + registrations.plan_adding(here.files, entries)


def is_strict(here: Workspace, wish: Wish) -> bool:
    """Say whether a hook that fails is to block: as the rules that will be in force say."""
    if here.files.kind(RelPath(text=RULES)) is None and wish.preset == "strict":
        return True
    return here.policy().on_error.get("hook") is Verdict.DENY


def _entries(agent: str, wish: Wish, *, strict: bool, token: str, root: str) -> Iterable[Entry]:
    module = agent_module(agent)
    command = registrations.hook_command(agent, closed=strict)
    if agent != "claude":
        return list(module.registration(command, strict=strict))
    found = module.registration(command, strict=strict)
    if wish.http:
        url = f"http://127.0.0.1:{wish.port}/hook/claude"
        found = module.http_registration(command, url, token, root)
    file = ".claude/settings.local.json" if wish.local else ".claude/settings.json"
    return [{**entry, "file": file} for entry in found]


def only_adds(steps: Sequence[PlanStep]) -> None:
    """Raise RefusedError for a plan that would change a registration that is there."""
    for step in steps:
        if step.changes and step.before is not None and _changes_ours(step, step.before):
            raise RefusedError(
                "inside-agent",
                f"the registration in `{step.path}` cannot be changed from an agent's shell",
                because="from there hooks are only ever added",
                hint="open a terminal of your own and run the command there",
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
    """Remember how each file was, record what is done, then write all of them."""
    todo = [step for step in steps if step.changes and step.after is not None]
    memory = install_record.load(here)
    for step in todo:
        known = memory.get(step.path)
        content, made = _without_us(step), registrations.missing_above(here.files, step.path)
        if known is not None and step.before is not None and digest(step.before) == known.after:
            content, made = known.content, known.made
        after = digest(step.after or b"")
        memory[step.path] = install_record.FileBefore(content=content, after=after, made=made)
    install_record.save(here, memory)
    with _recorded(here, "hooks_registered", todo):
        registrations.carry_out(here.files, steps)


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
                path=step.path,
                status=status,
                base_hash="" if step.before is None else digest(step.before),
                content_hash="" if step.after is None else digest(step.after),
            )


def plan_back(here: Workspace) -> list[PlanStep]:
    """Return what `uninstall` would do."""
    return registrations.plan_removing(here.files, install_record.load(here))


def carry_back(here: Workspace, steps: Sequence[PlanStep]) -> list[str]:
    """Take everything back; return the directories that went as well."""
    memory = install_record.load(here)
    with _recorded(here, "hooks_removed", steps):
        registrations.carry_out(here.files, steps)
    made = [path for before in memory.values() for path in before.made]
    gone = registrations.remove_empty(here.root, made)
    install_record.save(here, {})
    return gone


def described(steps: Sequence[PlanStep], done: Mapping[str, str]) -> list[dict[str, object]]:
    """Return a plan as data: each file, what happens to it, and its diff."""
    from penstock.core.diff.hunks import unified

    found: list[dict[str, object]] = []
    for step in steps:
        word = "unchanged"
        if step.changes:
            word = "create" if step.before is None else "remove" if step.after is None else "change"
        diff = unified(step.before, step.after, path=step.path) if step.changes else b""
        shown = diff.decode("utf-8", "backslashreplace")
        row: dict[str, object] = {"path": step.path, "status": done.get(word, word), "diff": shown}
        found.append({**row, "why": step.why} if step.why else row)
    return found
