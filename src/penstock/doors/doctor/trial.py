"""Have a registered hook judge writes, and compare its answers with what the rules say.

Always true: the rules are asked first, so the two writes are ones of which the answer is known;
no answer, or one that the agent would not understand, is never taken for a good one.
"""

from __future__ import annotations

import os
import shlex
import statistics
import time
from collections.abc import Iterable, Iterator
from contextlib import nullcontext

from msgspec import Struct

from penstock.app.workspace import judge_here
from penstock.core.model import Verdict
from penstock.doors.doctor import probe
from penstock.doors.doctor.client_models import ClientVerdict
from penstock.doors.hook.main import CLOSED
from penstock.doors.setup.agent_files import BAD, OK, WARN, Finding
from penstock.doors.setup.inspect import INIT, command_of, event_of, http_of
from penstock.doors.setup.registrations import Registration
from penstock.doors.setup.scopes import hook_command
from penstock.gate.prepare import Call

SECRET, ALWAYS, FREE = ".env", "penstock.toml", "agent_sandbox/penstock-doctor.txt"
ROUNDS = 2
SLOW = 1.0  # seconds; clients wait several times as long
BEFORE = ("pre", "before", "penstock.")


class TrialResult(Struct, frozen=True, kw_only=True):
    """A hook that was asked: how it answered, and how long it took at first and then."""

    agent: str
    file: str
    runs: str
    sound: bool
    refused: str = ""
    first_ms: float = 0.0
    then_ms: float = 0.0


def to_ask(found: Iterable[Registration]) -> Iterator[Registration]:
    """Yield one registration for each command or address that is asked before a write."""
    seen: set[tuple[str, str]] = set()
    for one in found:
        if event_of(one).lower().startswith(BEFORE) and (one.agent, one.runs) not in seen:
            seen.add((one.agent, one.runs))
            yield one


def ask_hook(root: str, one: Registration) -> tuple[TrialResult, list[Finding]]:
    """Ask a hook a few times; return how it did, and what is to be said about that."""
    secret = SECRET if verdict_on(root, SECRET) is Verdict.DENY else ALWAYS
    free = verdict_on(root, FREE) is Verdict.ALLOW
    with probe.state_apart() as apart:
        denied = [_heard(root, one, secret, apart)]
        rounds = 0 if denied[0].fault else ROUNDS
        with probe.warm(apart) if _this_one(one) else nullcontext(apart) as environ:
            denied += [_heard(root, one, secret, environ) for _ in range(rounds)]
            passed = [_heard(root, one, FREE, environ) for _ in range(rounds if free else 0)]
    wrong = [*_wrongly_passed(denied, secret), *_wrongly_refused(passed)]
    usual = statistics.median(heard.seconds for heard in (*denied[1:], *passed) or denied)
    asked = TrialResult(
        agent=one.agent,
        file=one.file,
        runs=one.runs,
        sound=not wrong,
        refused=denied[0].reason,
        first_ms=round(denied[0].seconds * 1000, 1),
        then_ms=round(usual * 1000, 1),
    )
    return asked, [*(wrong or [_works(asked)]), *_slow(usual), *_loose(secret)]


def _this_one(one: Registration) -> bool:
    """Say whether a registration runs this very installation, whose engine can be kept warm."""
    ours = hook_command(one.agent)
    return command_of(one).removesuffix(f" {CLOSED}") == ours


def _heard(root: str, one: Registration, path: str, environ: dict[str, str]) -> ClientVerdict:
    hook = http_of(one)
    if not hook:
        return probe.run(one.agent, _started(root, one), root, path, environ)
    headers = hook.get("headers")
    given = headers if isinstance(headers, dict) else {}
    return probe.ask(one.runs, {str(key): str(value) for key, value in given.items()}, root, path)


def _started(root: str, one: Registration) -> str:
    """Return what the agent starts: the command, or the file of ours that has it in it."""
    script = one.runs.startswith("exec ")
    return shlex.quote(os.path.join(root, one.file)) if script else command_of(one)


def _wrongly_passed(denied: Iterable[ClientVerdict], path: str) -> Iterator[Finding]:
    for heard in denied:
        if heard.fault or not heard.refused:
            why = f"does not work: {heard.fault}" if heard.fault else f"lets `{path}` be written"
            yield Finding(name="denies", status=BAD, what=f"the hook {why}", hint=INIT)
            return


def _wrongly_refused(passed: Iterable[ClientVerdict]) -> Iterator[Finding]:
    for heard in passed:
        if heard.fault or heard.refused:
            what = f"the hook blocks what the rules allow: {heard.fault or heard.reason}"
            yield Finding(name="passes", status=BAD, what=what, hint="run `penstock check`")
            return


def _works(asked: TrialResult) -> Finding:
    times = f"{asked.then_ms:.0f} ms, first call {asked.first_ms:.0f} ms"
    what = f"hook works: one test write blocked, one allowed ({times})"
    return Finding(name="works", status=OK, what=what)


def _slow(seconds: float) -> Iterator[Finding]:
    if seconds > SLOW:
        yield Finding(
            name="slow",
            status=WARN,
            what=f"an answer takes {seconds * 1000:.0f} ms; agents write when a hook times out",
            hint="check the load of this machine",
        )


def _loose(secret: str) -> Iterator[Finding]:
    if secret != SECRET:
        yield Finding(name="env", status=WARN, what=f"the rules let agents write `{SECRET}`")


def verdict_on(root: str, path: str) -> Verdict:
    """Ask the rules themselves, with nobody there to be asked."""
    tool_input = {"file_path": os.path.join(root, path), "content": "probe\n"}
    call = Call(tool="Write", tool_input=tool_input, cwd=root, attended=False)
    return judge_here(call, workspace=root, now=time.time()).decision.verdict
