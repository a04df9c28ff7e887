"""The steps that the base install has: the hook, the broker, the rules, the audit log.

Always true: what is printed is what the integration answered and what the disk holds; a step that a
busy machine cannot show in time is skipped, and says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from penstock.cli.demo import agents
from penstock.cli.demo.project import DISCOUNTS_HEAD, LIMITS, DemoProject, discount
from penstock.core.errors import StaleError, StoreError
from penstock.core.merge.strategies import Strategy
from penstock.core.text.quantities import counted, entries

if TYPE_CHECKING:
    from penstock.cli.demo.stage import Stage
    from penstock.core.proposals.model import Proposal, Receipt

SHORTENED = '''"""Sales tax by country."""

RATES = {"at": 20, "de": 19, "fr": 20}


def tax(net, code):
    return net * RATES[code] / 100
'''
Step: TypeAlias = "Callable[[Stage, DemoProject], None]"
RUNS = ("pytest tests/test_tax.py", "pytest tests/test_orders.py", "pytest tests/test_client.py")


def begin(stage: Stage) -> None:
    """Say what this is."""
    stage.title(
        "Penstock: review and control what AI coding agents change on disk",
        "Scripted agents work on real files in a temporary project. It takes about a minute and "
        "leaves nothing behind.",
    )


def play(step: Step, stage: Stage, here: DemoProject) -> None:
    """Show one step; the tour goes on without one that takes too long."""
    try:
        step(stage, here)
    except agents.TooSlowError:
        stage.say("Skipped: this machine is too busy to show this step.")


def end(stage: Stage) -> None:
    """Say what comes next."""
    stage.out.print()
    stage.types("penstock init")
    stage.say("Run this in your own project to protect it.")


def secret(stage: Stage, here: DemoProject) -> None:
    """Have a secret denied at the hook."""
    stage.step("Secrets are protected", "Claude Code wants to write .env. Its hook asks Penstock.")
    edit = {"file_path": f"{here.root}/.env", "content": "KEY=1"}
    answer = agents.answer(here.root, "Write", edit, verdict="deny")
    stage.outcome("DENIED", answer.reason)


def shell(stage: Stage, here: DemoProject) -> None:
    """Have the same denied in the shell."""
    stage.step("The shell is no way around", "It tries the same with a shell command.")
    command = "echo KEY=1 | tee -a .env"
    stage.types(command)
    answer = agents.answer(here.root, "Bash", {"command": command}, verdict="deny")
    stage.outcome("DENIED", answer.reason)


def warning(stage: Stage, here: DemoProject) -> None:
    """Have a write pass with a warning."""
    path = "src/client/api.py"
    stage.step("Some writes only get a warning", f"It edits {path}, which is generated.")
    before = here.read(path)
    after = before.replace(b"'/orders'", b"'/v2/orders'")
    edit = {"file_path": f"{here.root}/{path}", "content": after.decode()}
    answer = agents.answer(here.root, "Write", edit, verdict="allow")
    here.write(path, after)
    stage.diff(before, after, path=path)
    stage.outcome("WARNED", f"written; the agent reads: {answer.note}")


def rewrite(stage: Stage, here: DemoProject) -> None:
    """Have a rewrite of a large file held, in a session where nobody can be asked."""
    path = "src/tax.py"
    lines = counted(here.lines(path), "line")
    new = counted(SHORTENED.count("\n"), "line")
    stage.step(
        "Large rewrites need your approval",
        f"In a non-interactive session, it replaces {path} ({lines}) with {new}.",
    )
    edit = {"file_path": f"{here.root}/{path}", "content": SHORTENED}
    stage.diff(here.read(path), SHORTENED.encode(), path=path)
    *_, pending = agents.until(bool, lambda: _held(here, path, edit))
    stage.outcome("PENDING", f"{_removed(pending)}; saved as pending change {_short(pending)}")
    stage.say(
        f"The file still has {counted(here.lines(path), 'line')}. The agent receives the id and "
        "can continue with other work."
    )


def merge(stage: Stage, here: DemoProject) -> None:
    """Have a pending change approved with a strategy."""
    path = "src/discounts.py"
    stage.step(
        "You decide how a change is merged",
        "Another agent, behind the broker, sends src/discounts.py with a new function only.",
    )
    content = DISCOUNTS_HEAD + discount("loyalty", 0.95)
    proposal = _propose(here, path, content, call="call-2")
    stage.outcome("PENDING", f"as sent: {_removed(proposal)}")
    stage.types(f"penstock approve {_short(proposal)} --strategy extend")
    made = here.gate.with_strategy(proposal.id, Strategy.EXTEND)
    before, after = here.gate.contents(made)
    stage.diff(before, after, path=path)
    _apply(here, made)
    stage.outcome(
        "APPLIED", f"`loyalty` was added, everything else kept: {counted(here.lines(path), 'line')}"
    )


def rebase(stage: Stage, here: DemoProject) -> None:
    """Have a pending change go out of date, and rebased."""
    path = "config/shop.toml"
    stage.step(
        "Your own edits are never overwritten",
        f"An agent proposes a change to {path}. Meanwhile you save the same file.",
    )
    wanted = LIMITS.replace("max_items = 50", "max_items = 500")
    proposal = _propose(here, path, wanted, call="call-3")
    here.write(path, LIMITS.replace("days = 3", "days = 2"))
    stage.types(f"penstock approve {_short(proposal)}")
    here.gate.answer(proposal.id, approve=True, proof=here.you)
    try:
        here.gate.apply(proposal.id)
    except StaleError as stale:
        stage.outcome("OUT OF DATE", f"nothing was written: {stale.message}")
    stage.types(f"penstock rebase {_short(proposal)}")
    made = here.gate.rebase(proposal.id)
    before, after = here.gate.contents(made)
    stage.diff(before, after, path=path)
    stage.outcome("REBASED", "the agent's change now starts from the file as you saved it")
    _apply(here, made)
    stage.outcome("APPLIED", f"{path} has both changes")


def undo(stage: Stage, here: DemoProject) -> None:
    """Have the last write reverted."""
    stage.step("Every write can be undone", "You change your mind about the last one.")
    stage.types("penstock undo --last 1")
    receipts = here.gate.undoable(last=1)
    (made,) = here.gate.undo(receipts)
    before, after = here.gate.contents(made)
    stage.diff(before, after, path=made.path)
    _apply(here, made)
    stage.outcome("UNDONE", f"{made.path} is as you saved it")


def learn(stage: Stage, here: DemoProject) -> None:
    """Have a rule suggested from past decisions, applied, and rolled back."""
    stage.step(
        "Rules are learned from your decisions",
        "This project asks before commands run. You were asked about the same one three times.",
    )
    for run in RUNS:
        answer = _run(here, run)
    stage.outcome("ASKED", f"{RUNS[-1]}: {answer.reason}")
    stage.types("penstock rules suggest")
    found, *_ = agents.until(bool, lambda: agents.suggest() or _ask_again(here))
    before = here.read("penstock.toml")
    rollback = _apply_rule(here, found["operation"])
    stage.say("You apply the first suggestion:")
    stage.diff(before, here.read("penstock.toml"), path="penstock.toml")
    stage.outcome("LEARNED", _effect(here, "allow"))
    stage.types('decision_reviewer apply --json \'{"type": "rollback", ...}\'')
    agents.roll_back(rollback)
    stage.outcome("ROLLED BACK", _effect(here, "ask"))


def isolated(stage: Stage, here: DemoProject) -> None:
    """Have a program write what no hook sees, in an isolated run."""
    from penstock.app import open_workspace
    from penstock.doors.run.launch import run_command
    from penstock.gate.doors import Door

    path = "src/discounts.py"
    stage.step(
        "Any program can be run isolated",
        f"A script that no hook sees writes .env and {path}. On Linux both stay in a layer first.",
    )
    stage.types("penstock run -- sh script.sh")
    script = f"echo KEY=1 > .env; echo '# checked' >> {path}"
    before = here.read(path)
    own = open_workspace(here.root, door=Door.COMMAND)
    try:
        done = run_command(own, ("sh", "-c", script), say=lambda _: None).result
    except StoreError as fault:
        stage.say(f"This machine can't isolate a run: {fault.because}")
        return
    stage.outcome("DENIED", f"{done.blocked[0].path}: {done.blocked[0].note}")
    stage.diff(before, here.read(path), path=path)
    stage.outcome("APPLIED", f"{', '.join(done.applied)}, after the rules saw the change")


def audit(stage: Stage, here: DemoProject) -> None:
    """Have the audit log verified, then tampered with and caught."""
    stage.step(
        "The audit log is tamper-evident",
        "Each of these steps is an entry in a signed hash chain.",
    )
    stage.types("penstock audit verify")
    report = agents.verify(here.root)
    stage.outcome("VERIFIED", f"{entries(report['count'])}, nothing was changed")
    stage.say("Now somebody edits the log, so that the write to .env looks allowed.")
    log = here.workspace.record.path
    before = _read(log)
    _write(log, before.replace(b'"status":"denied"', b'"status":"allowed"', 1))
    stage.types("penstock audit verify")
    problem = agents.verify(here.root)["problems"][0]
    _write(log, before)
    stage.outcome("CAUGHT", f"line {problem['line']}: {problem['message']}")


STEPS: tuple[Step, ...] = (
    secret,
    shell,
    warning,
    rewrite,
    merge,
    rebase,
    undo,
    learn,
    isolated,
    audit,
)


def _propose(here: DemoProject, path: str, content: str, *, call: str) -> Proposal:
    """Send a write to the broker as an agent does, and return what is pending then."""
    request = {
        "type": "tool_request",
        "tool_name": "write_file",
        "tool_call_id": call,
        "path": path,
        "content": content,
    }
    here.broker.execute_tool(request)
    found = here.gate.find(path=path)
    return next(one for one in found if one.actor.tool_call_id == call)


def _apply(here: DemoProject, proposal: Proposal) -> tuple[Receipt, ...]:
    """Approve exactly this, and write it."""
    here.gate.answer(proposal.id, approve=True, proof=here.you)
    return here.gate.apply(proposal.id)


def _apply_rule(here: DemoProject, operation: dict[str, object]) -> str:
    """Apply an edit of the rules in your name, and return the command that rolls it back."""
    from penstock.doors.reviewer.quick import made

    answer = made(operation, prove=lambda *_: here.you, commit=False)
    info = answer["rollback_info"]
    return str(info["rollback_command"]) if isinstance(info, dict) else ""


def _held(here: DemoProject, path: str, edit: dict[str, str]) -> tuple[Proposal, ...]:
    """Have the hook judge an edit, and return what is pending for the file then."""
    agents.hook(here.root, "Write", edit)
    return here.gate.find(path=path)


def _run(here: DemoProject, command: str, verdict: str = "ask") -> agents.DemoAnswer:
    """Ask the hook about a command in a session with a person."""
    return agents.answer(here.root, "Bash", {"command": command}, verdict=verdict, person=True)


def _ask_again(here: DemoProject) -> list[dict[str, Any]]:
    """Ask about each command once more: a late answer may not be in the audit log."""
    for run in RUNS:
        _run(here, run)
    return []


def _effect(here: DemoProject, verdict: str) -> str:
    """Return what the hook says now to a command like those that were asked about."""
    command = "pytest tests/test_stock.py"
    answer = _run(here, command, verdict)
    words = {"allow": "is now allowed", "ask": "needs approval again"}
    return f"`{command}` {words[answer.verdict]}"


def _removed(proposal: Proposal) -> str:
    change = proposal.change
    return f"{change.lines_deleted} of {counted(change.existing_lines, 'line')} removed"


def _short(proposal: Proposal) -> str:
    return proposal.id.removeprefix("hitl-")[:8]


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
