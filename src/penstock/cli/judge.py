"""`penstock judge`: the decision that would be made, and the rules behind it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import click

from penstock.cli import EXIT
from penstock.cli.output import echo, json_option, print_json, workspace_option
from penstock.core.errors import InputError
from penstock.core.model import Change, Decision, Verdict
from penstock.core.strict_json import strict
from penstock.core.text.display import in_line, spoken
from penstock.gate import Call, Judgement


@click.command()
@click.option("--tool", required=True, help="The tool's name, as the agent calls it.")
@click.option("--input", "tool_input", required=True, help="The tool's input: a JSON object.")
@click.option("--cwd", default=None, help="The directory that relative paths start from.")
@click.option("--unattended", is_flag=True, help="Nobody can be asked: ask becomes deny.")
@click.option("--policy", "policy_file", default=None, help="Judge by this rules file instead.")
@workspace_option
@json_option
def command(
    tool: str,
    tool_input: str,
    cwd: str | None,
    unattended: bool,
    policy_file: str | None,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Say what the rules would answer to a tool call. Nothing is recorded.

    penstock judge --tool Write --input '{"file_path": ".env", "content": "x"}'
    """
    from penstock.app.workspace import judge_here

    call = Call(
        tool=tool,
        tool_input=parsed(tool_input),
        cwd=os.path.abspath(cwd) if cwd else "",
        home=os.path.expanduser("~"),
        attended=not unattended,
    )
    judged = judge_here(call, workspace=workspace, policy_file=policy_file, now=time.time())
    if as_json:
        print_json(document(judged))
    else:
        show(judged)
    return EXIT[judged.decision.verdict]


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


def document(judged: Judgement) -> dict[str, object]:
    """Return the decision as one JSON document."""
    decision = judged.decision
    return {
        **_facts(decision),
        "revision": decision.revision,
        "degraded": decision.degraded or None,
        "parts": [
            {**_facts(part), "change": _change(one.request.change)}
            for part, one in zip(decision.parts or (decision,), judged.prepared, strict=False)
        ],
    }


def _facts(decision: Decision) -> dict[str, object]:
    return {
        "verdict": decision.verdict,
        "granted": decision.granted,
        "action": decision.action,
        "path": decision.path,
        "code": decision.code,
        "because": decision.because,
        "instead": decision.suggestion,
        "notes": list(decision.notes),
        "rules": [
            {"id": r.rule, "verdict": r.verdict, "reason": r.text, "where": r.where}
            for r in decision.reasons
        ],
    }


def _change(change: Change | None) -> dict[str, object] | None:
    if change is None:
        return None
    return {
        "kind": change.kind,
        "existing_lines": change.existing_lines,
        "lines_deleted": change.lines_deleted,
        "lines_added": change.lines_added,
        "change_ratio": change.change_ratio,
        "exact": change.exact,
        "unit": change.unit,
        "notes": list(change.notes),
    }


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
    if decision.suggestion:
        yield f"instead: {in_line(decision.suggestion)}"
    for reason in decision.reasons:
        where = f" ({spoken(reason.where)})" if reason.where else ""
        yield f"rule {spoken(reason.rule)}: {reason.verdict or 'note'}{where}"
    for note in decision.notes:
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
