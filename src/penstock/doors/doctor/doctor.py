"""Prove that the hooks of a project work, or say why they do not.

Looks at the rules, the state, what an approval needs, each registration and every way in which
hooks can be off, then has each registered hook judge one write that must be refused and one that
must pass.
Always true: nothing of the project changes, and `sound` means that nothing is known to be
wrong.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from importlib.util import find_spec
from typing import cast

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.app import Workspace
from penstock.app.bundle.status import bundle_status, bundle_summary
from penstock.app.isolated_runs import probe
from penstock.app.places import stamp
from penstock.app.rules.nested_rules import nested_files
from penstock.app.ship import turns
from penstock.app.whereabouts import whereabouts
from penstock.core.errors import PenstockError, of_system
from penstock.core.policy.compile import load
from penstock.core.text.quantities import entries
from penstock.doors.doctor.approvals import approvals
from penstock.doors.doctor.trial import TrialResult, ask_hook, to_ask
from penstock.doors.doctor.ways_off import ways_off
from penstock.doors.setup import registrations
from penstock.doors.setup.agent_files import BAD, NOTE, OK, WARN, Finding, SettingsPlace
from penstock.doors.setup.inspect import compared, looked_at

CHECK = "penstock check"
COMPILED = "hook.policy"
LARGEST = 64 * 1024 * 1024
PROBE = ".penstock-tried"
PROBED = b"." * 65536  # a full disk still takes an empty file
STRICT = "LANGGRAPH_STRICT_MSGPACK"


class DoctorReport(Struct, frozen=True, kw_only=True):
    """Everything that was looked at."""

    findings: tuple[Finding, ...]
    hooks: tuple[TrialResult, ...] = field(default=())

    @property
    def sound(self) -> bool:
        """True when nothing is known to be wrong."""
        return all(one.status != BAD for one in self.findings)


def examine(here: Workspace, place: SettingsPlace) -> DoctorReport:
    """Look at a project and ask its hooks."""
    found = registrations.find_everywhere(place)
    compiled = _compiled_rules(here)  # before the rules are read: that makes them anew
    findings = [*_rules(here), *_forged(here, compiled), *_state(here)]
    findings += [*_checkout(here), *approvals(here), *_checkpoints(), *_isolation(here)]
    findings += [*_cosigned(here), *_sinks(here), *_bundle()]
    if not found:
        none = "no hook is registered here"
        findings.append(Finding(name="registered", status=BAD, what=none, hint="penstock init"))
    for agent in dict.fromkeys(one.agent for one in found):
        mine = [one for one in found if one.agent == agent]
        told = [*looked_at(agent, mine), *compared(mine, place), *ways_off(agent, place)]
        findings += [_named(agent, finding) for finding in told]
    hooks: list[TrialResult] = []
    for one in to_ask(found):
        asked, told = ask_hook(here.root, one)
        hooks.append(asked)
        findings += [_named(one.agent, finding) for finding in told]
    return DoctorReport(findings=tuple(findings), hooks=tuple(hooks))


def _named(agent: str, finding: Finding) -> Finding:
    return replace(finding, name=f"{agent}-{finding.name}")


# Rules and state


def _rules(here: Workspace) -> Iterator[Finding]:
    policy = here.policy()
    if policy.degraded:
        yield Finding(
            name="rules",
            status=BAD,
            what=policy.degraded,
            hint=CHECK,
        )
    else:
        files = ", ".join(os.path.basename(path) for path in policy.files) or "the preset `guard`"
        yield Finding(name="rules", status=OK, what=f"the rules can be read ({files})")
    if policy.enforced is not None:
        what = "observe mode: nothing is blocked except removing Penstock"
        yield Finding(name="observe", status=WARN, what=what, hint="penstock init --enforce")


def _checkout(here: Workspace) -> Iterator[Finding]:
    """Say of a worktree or a submodule which rules hold there, and where its log is."""
    kind, what = whereabouts(here.root)
    if kind:
        yield Finding(name=kind, status=NOTE, what=f"this is {what}")
    nested, _ = nested_files(here.root)
    if nested:
        yield Finding(name="nested-rules", status=NOTE, what=f"rules below: {', '.join(nested)}")


def _sinks(here: Workspace) -> Iterator[Finding]:
    """Say how far each sink has the audit log, and what went wrong at the last try."""
    if not any(here.policy().ship.values()):
        return
    try:
        rows = [one.status() for one in turns(here)]
    except PenstockError as fault:
        yield Finding(name="sinks", status=WARN, what=fault.message, hint=fault.hint)
        return
    for row in rows:
        behind = f"{entries(row.lag)} behind" if row.lag else "up to date"
        what = f"{row.sink} is {behind}{f': {row.error}' if row.error else ''}"
        status = WARN if row.error or row.lag else OK
        hint = "penstock ship --once" if status == WARN else ""
        yield Finding(name="sink", status=status, what=what, hint=hint)


def _cosigned(here: Workspace) -> Iterator[Finding]:
    """Say how many witnesses that others run have cosigned the audit log."""
    try:
        found = here.record.quorum()
    except PenstockError as fault:
        yield Finding(name="witnesses", status=WARN, what=fault.message, hint=fault.hint)
        return
    if found:
        status, hint = (OK, "") if found.reached else (WARN, "penstock audit checkpoint")
        what = f"audit log {found.text()}"
        yield Finding(name="witnesses", status=status, what=what, hint=hint)


def _bundle() -> Iterator[Finding]:
    """Say which policy bundle is in force, and what went wrong at the last try to fetch one."""
    found = bundle_status(time.time())
    if found is None:
        return
    wrong = f": {found['error']}" if found["error"] else ""
    status = BAD if found["stale"] else WARN if found["error"] else OK
    hint = "" if status == OK else "penstock bundle fetch"
    what = f"{bundle_summary(found)}{wrong}"
    yield Finding(name="bundle", status=status, what=what, hint=hint)


def _compiled_rules(here: Workspace) -> dict[str, object] | None:
    """Return the compiled rules that hooks go by as they are now, None where they would not."""
    try:
        found = load(here.read_state(COMPILED, limit=LARGEST) or b"")
        return (
            found if found and all(stamp(one[0]) == tuple(one) for one in _stamps(found)) else None
        )
    except (OSError, TypeError, LookupError):
        return None


def _stamps(compiled: dict[str, object]) -> list[tuple[str, int, int, int]]:
    return cast("list[tuple[str, int, int, int]]", compiled["stamps"])


def _forged(here: Workspace, compiled: dict[str, object] | None) -> Iterator[Finding]:
    """The compiled rules are in use and not what the rules say: nobody but Penstock writes them."""
    if compiled is None or here.policy().degraded or compiled == _compiled_rules(here):
        return
    yield Finding(
        name="hook-policy",
        status=BAD,
        what=f"`{COMPILED}` in `{here.state}` did not match the rules and was rebuilt",
        hint="check recent decisions with `penstock log`; a Penstock upgrade can also cause this",
    )


def _state(here: Workspace) -> Iterator[Finding]:
    try:
        here.write_state(PROBE, PROBED)
        here.drop_state(PROBE)
    except PenstockError as fault:
        yield Finding(
            name="state",
            status=BAD,
            what=f"`{here.state}` (state) is not writable: {fault.because or fault.message}",
            hint=fault.hint or "fix its permissions",
        )
    else:
        yield Finding(
            name="state", status=OK, what=f"the state directory `{here.state}` is writable"
        )
    yield from _compiled(here)


def _compiled(here: Workspace) -> Iterator[Finding]:
    """The compiled rules are out of date: until they are made again, the fast path is not used."""
    compiled = _modified(os.path.join(here.state, COMPILED))
    rules = max((_modified(path) for path in here.policy().files), default=0.0)
    if compiled and compiled < rules:
        yield Finding(
            name="hook-policy",
            status=NOTE,
            what="the compiled rules are out of date; the next call rebuilds them",
        )


def _checkpoints() -> Iterator[Finding]:
    """Where LangGraph is installed: whether a checkpoint can make it load any class."""
    if find_spec("langgraph") is None:
        return
    strict = os.environ.get(STRICT, "").lower() in ("1", "true", "yes")
    what = "LangGraph rebuilds only known classes from checkpoints"
    hint = f"set {STRICT}=true where graphs run; Penstock itself stores only JSON there"
    loose = "LangGraph loads any class that a checkpoint names"
    yield Finding(
        name="checkpoints",
        status=OK if strict else NOTE,
        what=what if strict else loose,
        hint="" if strict else hint,
    )


def _isolation(here: Workspace) -> Iterator[Finding]:
    """Whether `penstock run` can isolate a command on this machine, by isolating one."""
    name = "isolated runs"
    try:
        found = probe(here)
    except (PenstockError, OSError) as fault:  # a finding about the state says more
        wrong = fault if isinstance(fault, PenstockError) else of_system(fault)
        yield Finding(name=name, status=NOTE, what=wrong.message, hint=wrong.hint)
        return
    guard = f"Landlock {found.landlock}" if found.landlock else "no Landlock"
    if found.problem:
        weaker = f"`penstock run` uses the weaker copy mode here ({guard})"
        what = weaker if found.copies else f"`penstock run` is not possible here ({guard})"
        because = f"{what}: {found.problem}"
        yield Finding(name=name, status=NOTE, what=because, hint=found.hint)
        return
    yield Finding(name=name, status=OK, what=f"`penstock run` works here (overlay, {guard})")
    if not found.scoped:
        what = "a run can reach abstract Unix sockets of other programs: it takes Landlock 6"
        yield Finding(name="isolated runs", status=NOTE, what=what, hint="use Linux 6.12 or later")


def _modified(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
