"""`penstock broker-cli`: a person's front end; an agent's program runs behind the broker.

The nine steps of the broker spec, numbered where they are done. What the agent asks goes to the
broker as the agent's; what the person decides goes there as the person's.
Always true: nothing is applied without a key pressed for exactly what was shown (or a setting
that says so, and the audit log says that); the end of input and Ctrl-C reject.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from penstock.cli import COULD_NOT, OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.output import console, echo, tell, workspace_option
from penstock.core.errors import InputError
from penstock.core.proposals.short_id import short
from penstock.core.text.quantities import duration

if TYPE_CHECKING:
    from penstock.doors.broker.service import Broker

QUESTION = "[A]pprove / [R]eject / [E]xplain"
TRIES = 10
GRACE = 5.0
Result = dict[str, Any]


@click.command(cls=PlainCommand, examples=("penstock broker-cli -- python my_agent.py",))
@click.option("--config", metavar="FILE", help="Settings (default: config.yaml in the project).")
@workspace_option
@click.argument("program", nargs=-1, required=True, metavar="-- COMMAND...")
def command(config: str | None, workspace: str | None, program: tuple[str, ...]) -> int:
    """Run COMMAND as an agent behind the file broker, and approve its writes here.

    COMMAND writes tool requests to stdout and reads results from stdin, one JSON object per line.
    Each write is shown as a diff: `a` approves, `r REASON` rejects, `e` explains.
    """
    from penstock.app import open_workspace
    from penstock.cli.terminal.proof import front_end
    from penstock.doors.broker.service import Broker, Role

    proof = front_end(open_workspace(workspace))
    broker = Broker(workspace, config, role=Role.FRONT_END, proof=proof)
    if broker.auto_apply:
        broker.proof = replace(proof, kind="auto-apply")
    agent = _started(program)
    try:
        _Front(broker, agent).run()
    finally:
        code = _ended(agent)
    return OK if code == 0 else COULD_NOT


def _started(program: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start the agent in a session of its own: it must not be able to type at our terminal."""
    try:
        return subprocess.Popen(  # noqa: S603 - the person's own command
            program,
            env={**os.environ, "PENSTOCK_AGENT": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as fault:
        because = (fault.strerror or str(fault)).lower()
        raise InputError(
            "cannot-start",
            f"`{program[0]}` can't be started",
            because=because,
            hint="check the name and PATH",
        ) from None


def _ended(agent: subprocess.Popen[bytes]) -> int:
    """Let the agent end by itself for a while; then end it with all that it started."""
    with suppress(OSError):
        _pipe(agent.stdin).close()
    try:
        return agent.wait(timeout=GRACE)
    except subprocess.TimeoutExpired:
        with suppress(OSError):
            os.killpg(agent.pid, signal.SIGKILL)
        return agent.wait()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


class _Front(Struct):
    """One agent's conversation with the broker, and the person in between."""

    broker: Broker
    agent: subprocess.Popen[bytes]
    asks: bool = True

    def run(self) -> None:
        """Pass requests on until the agent has no more."""
        from penstock.doors.broker.wire import encode, lines

        threading.Thread(target=self._talk, daemon=True).start()
        out = _pipe(self.agent.stdout).fileno()
        for line in lines(lambda size: os.read(out, size), most=self.broker.longest_line):
            if isinstance(line, bytes) and not line.strip():
                continue
            try:
                _pipe(self.agent.stdin).write(encode(self._answered(line)))
                _pipe(self.agent.stdin).flush()
            except BrokenPipeError:
                return

    def _talk(self) -> None:
        """Show what the agent says besides; it cannot steer the terminal or pretend to be us."""
        for line in _pipe(self.agent.stderr):
            tell("agent: " + line.decode("utf-8", "replace").rstrip("\r\n"))

    def _answered(self, line: bytes | InputError) -> Result:
        from penstock.doors.broker.wire import parse

        try:
            if isinstance(line, InputError):
                raise line
            # (1) The agent sends a request, (2) and (3) the broker answers with a proposal.
            found: Result = self.broker.execute_tool(parse(line), by_agent=True)
        except InputError as problem:
            return self.broker.refuse_line(problem)
        # (4) A write that waits is what a person is asked about.
        if found["details"]["status"] != "hitl_required":
            return found
        settled = self._settled(found)
        _say(settled)
        return settled

    def _settled(self, found: Result) -> Result:
        """(6) and (7): the person decides, and the broker hears of it as the person's request."""
        hitl, path = found["details"]["hitl"], found["details"]["op"]["path"]
        self._show(found)
        reason = None if self.broker.auto_apply else self._reason_against(found)
        request = {"type": "tool_request", "path": path, "hitl_id": hitl["hitl_id"]}
        if reason is None:
            return self.broker.execute_tool({**request, "tool_name": "apply_proposal"})
        said = {"tool_name": "reject_proposal", "reason": reason}
        return self.broker.execute_tool({**request, **said})

    def _show(self, found: Result) -> None:
        """(5) Show which change it is, what is dangerous about it, and the diff."""
        details = found["details"]
        hitl = details["hitl"]
        left = duration(hitl["ttl_seconds"])
        tell(f"\n{hitl['summary']}  ({short(hitl['hitl_id'])}, expires in {left})")
        for warning in details.get("warnings", ()):
            tell(f"  warning: {warning}")
        _diff(str(hitl["diff_preview"]))

    def _reason_against(self, found: Result) -> str | None:
        """Ask until there is an answer: None approves, a text is why not."""
        for _ in range(TRIES):
            try:
                words = _typed().split(None, 1)
            except (EOFError, KeyboardInterrupt):
                tell("rejected: no answer")
                return "the person left without an answer"
            word, rest = (words[0].lower() if words else ""), (words[1] if len(words) > 1 else "")
            if word in ("a", "approve"):
                return None
            if word in ("r", "reject"):
                return rest.strip() or "rejected without a reason"
            if word in ("e", "explain"):
                self._explain(found)
            else:
                tell("type a to approve, r to reject (a reason may follow), e to explain")
        return "no clear answer"

    def _explain(self, found: Result) -> None:
        """Say why it needs approval, and show all of what the preview cut."""
        from penstock.core.text.quantities import change_counts

        details = found["details"]
        for one in self.broker.proposals_of(details["hitl"]["hitl_id"]):
            change, decision = one.change, one.decision
            tell(f"  {one.path}: {short(one.id)}")
            tell(f"    {change_counts(change)}")
            tell(f"    reason: {decision.because or 'every write needs approval here'}")
            tell(f"    rules: {', '.join(r.rule for r in decision.reasons) or 'none'}")
            tell(f"    file now: {one.base or 'does not exist'}")
            tell(f"    would be: {one.content or 'deleted'}")
            left = one.expires_in(self.broker.gate.now())
            tell(f"    expires in {duration(left)}")
            record = self.broker.hitl_record(one.id)
            if record is not None:
                from penstock.core.text.display import visible_diff

                _diff(visible_diff(str(record["diff"]).encode("utf-8", "surrogateescape")))


def _typed() -> str:
    """Ask, and return the line that was typed. Raises EOFError at the end of input."""
    sys.stderr.write(f"{QUESTION}: ")
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.strip()


def _diff(text: str) -> None:
    """Print a diff in which everything is visible."""
    from penstock.cli.terminal.render import DIFF_COLOUR, write

    shown = text.removesuffix("\n").split("\n")
    write(console(stderr=True), ((line, DIFF_COLOUR.get(line[:1], "")) for line in shown))


def _say(found: Mapping[str, Any]) -> None:
    """(8) and (9): what the broker made of it, under the name of the agent's own call."""
    echo(f"{found['tool_name']}: {found['output']}")
