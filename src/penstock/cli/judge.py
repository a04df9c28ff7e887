"""`penstock judge`: the decision that would be made, and the rules behind it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace

import click

from penstock.cli import EXIT, OK
from penstock.cli.judge_document import document, notes_of
from penstock.cli.output import echo, json_option, print_json, workspace_option
from penstock.core.errors import InputError
from penstock.core.model import Change, Decision, Verdict
from penstock.core.strict_json import strict
from penstock.core.text.display import in_line, spoken
from penstock.gate import Call, Judgement


@click.command()
@click.option("--tool", default=None, help="The tool's name, as the agent calls it.")
@click.option("--input", "tool_input", default=None, help="The tool's input: a JSON object.")
@click.option("--cwd", default=None, help="The directory that relative paths start from.")
@click.option("--batch", is_flag=True, help="Judge each JSON line of the standard input.")
@click.option("--unattended", is_flag=True, help="Nobody can be asked: ask becomes deny.")
@click.option("--policy", "policy_file", default=None, help="Judge by this rules file instead.")
@workspace_option
@json_option
def command(
    tool: str | None,
    tool_input: str | None,
    cwd: str | None,
    batch: bool,
    unattended: bool,
    policy_file: str | None,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Say what the rules would answer to a tool call. Nothing is recorded.

    penstock judge --tool Write --input '{"file_path": ".env", "content": "x"}'

    With --batch each line of the standard input is a call, {"tool", "input"} with "cwd" and "id" if
    you like, and gets one line back: the document of --json with that id and "seen_by", the agents
    whose registered hook sees such a call. A line that cannot be judged gets {"error": ...}.
    """
    if batch:
        from penstock.cli.judge_batch import judge_lines

        if tool or tool_input or cwd:
            raise click.UsageError("With --batch each line names its own tool, input and cwd.")
        judge_lines(workspace=workspace, policy_file=policy_file, attended=not unattended)
        return OK
    if tool is None or tool_input is None:
        raise click.UsageError("Give --tool and --input, or --batch with lines to judge.")
    from penstock.app.workspace import judge_here

    call = Call(
        tool=tool,
        tool_input=parsed(tool_input),
        cwd=os.path.abspath(cwd) if cwd else "",
        home=os.path.expanduser("~"),
        temporary=os.environ.get("TMPDIR", ""),
        attended=not unattended,
    )
    judged = judge_here(call, workspace=workspace, policy_file=policy_file, now=time.time())
    judged = _by_all_rules(judged)
    if as_json:
        print_json(document(judged))
    else:
        show(judged)
    return EXIT[judged.decision.verdict]


def _by_all_rules(judged: Judgement) -> Judgement:
    """Return what the rules say, also those that only observe."""
    return replace(judged, decision=judged.would) if judged.would else judged


def parsed(text: str) -> dict[str, object]:
    """Return the input as an object; what is not one is told with what came instead."""
    try:
        found = strict(text)
    except ValueError as wrong:
        raise InputError(
            "bad-json",
            "the input is not JSON",
            because=str(wrong),
            hint="""--input '{"file_path": "src/app.py", "content": "..."}'""",
        ) from None
    if not isinstance(found, dict):
        raise InputError(
            "bad-json", f"the input must be a JSON object, not `{type(found).__name__}`"
        )
    return found


COLOUR = {Verdict.ALLOW: "green", Verdict.ASK: "yellow", Verdict.DENY: "red"}


def show(judged: Judgement) -> None:
    """Print the decision for a person."""
    decision = judged.decision
    verdict, because = decision.verdict, in_line(decision.because or _nothing_said(decision))
    echo(because, mark=str(verdict), colour=COLOUR[verdict], bold=True)
    for line in _details(judged):
        echo(f"  {line}")


def _details(judged: Judgement) -> Iterator[str]:
    """Yield what stands behind a decision, a line each."""
    decision = judged.decision
    if judged.would and decision.verdict is not Verdict.ALLOW:
        yield "observe mode: it is recorded, and not stopped"
    if decision.suggestion:
        yield f"instead: {in_line(decision.suggestion)}"
    for reason in decision.reasons:
        where = f" ({spoken(reason.where)})" if reason.where else ""
        yield f"rule {spoken(reason.rule)}: {reason.verdict or 'note'}{where}"
    for note in notes_of(decision):
        yield f"note: {in_line(note)}"
    for one in judged.prepared:
        if one.request.change is not None and one.request.target is not None:
            yield spoken(_measured(one.request.target.shown, one.request.change))
    yield f"policy {decision.revision}"
    if decision.degraded:
        yield f"degraded: {in_line(decision.degraded)}"


def _nothing_said(decision: Decision) -> str:
    if decision.granted:
        return "a rule allows this"
    return "no rule speaks of this, and the default allows it"


def _measured(path: str, change: Change) -> str:
    counts = f"-{change.lines_deleted} +{change.lines_added} of {change.existing_lines}"
    notes = f" ({'; '.join(change.notes)})" if change.notes else ""
    return f"{path}: {change.kind}, {counts} {change.unit}{notes}"
