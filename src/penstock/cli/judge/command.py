"""`penstock judge`: the decision that would be made, and the rules behind it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import click

from penstock.cli import EXIT, OK
from penstock.cli.judge.call import (
    Question,
    WithCommand,
    check,
    question,
    remarks,
    words_after,
)
from penstock.cli.judge.document import document, notes_of
from penstock.cli.terminal.output import echo, json_option, print_json, workspace_option
from penstock.core.model import Change, Decision, Verdict
from penstock.core.text.display import in_line, spoken
from penstock.gate import Call, Judgement


@click.command(
    cls=WithCommand,
    examples=(
        "penstock judge -- git push --force",
        "penstock judge write .env",
        """penstock judge --tool Write --input '{"file_path": "a.py", "content": "x"}'""",
        "penstock judge --tool Bash --input @call.json",
        "penstock judge --batch < calls.jsonl",
        "penstock judge --git origin/main..HEAD",
    ),
)
@click.argument("words", nargs=-1, metavar="[write|edit|read PATH | -- COMMAND...]")
@click.option("--tool", default=None, metavar="NAME", help="Name of the tool, as agents call it.")
@click.option(
    "--input",
    "tool_input",
    default=None,
    metavar="JSON|@FILE|-",
    help="Input of the tool: JSON, a file, or standard input.",
)
@click.option("--cwd", default=None, metavar="DIR", help="Directory of the call (default: here).")
@click.option(
    "--git",
    "revisions",
    default=None,
    metavar="BASE..HEAD",
    help="Judge the files that these commits change, by the rules at BASE.",
)
@click.option("--staged", is_flag=True, help="Judge the files that are staged for a commit.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default=None,
    help="How to print the result of --git and --staged (default: text).",
)
@click.option(
    "--fail-on",
    type=click.Choice(["ask", "deny"]),
    default=None,
    help="With --git and --staged: exit 0 if nothing is denied, or only if nothing needs "
    "approval either (default: ask).",
)
@click.option("--batch", is_flag=True, help="Judge each JSON line of standard input.")
@click.option(
    "--unattended",
    "non_interactive",
    is_flag=True,
    help="As in a non-interactive session: what needs approval is denied.",
)
@click.option(
    "--policy", "policy_file", default=None, metavar="FILE", help="Use this rules file instead."
)
@workspace_option
@json_option
def command(
    words: tuple[str, ...],
    tool: str | None,
    tool_input: str | None,
    cwd: str | None,
    revisions: str | None,
    staged: bool,
    output_format: str | None,
    fail_on: str | None,
    batch: bool,
    non_interactive: bool,
    policy_file: str | None,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Test what the rules say about a tool call. Nothing is run, written or logged.

    Give a command after `--`, or `write`, `edit` or `read` with a path, or any tool with --tool and
    --input. Quote a command line with shell operators: penstock judge -- 'make && make install'.

    With --batch each line of standard input is a call, {"tool", "input"} with optional "cwd" and
    "id". Each gets one line of JSON with the same id; a line that can't be judged gets
    {"error": ...}.

    With --git or --staged the files of commits are judged, for checks in CI and for a pre-commit
    hook. Commits cannot loosen the rules that they are judged by.

    Exit code: 0 allowed, 2 denied, 3 needs approval.
    """
    of_commits = staged or revisions is not None
    if (output_format or fail_on) and not of_commits:
        raise click.UsageError("`--format` and `--fail-on` belong to `--git` and `--staged`")
    if of_commits:
        if staged and revisions is not None:
            raise click.UsageError("`--git` and `--staged` exclude each other")
        if words or words_after() is not None or tool or tool_input or cwd or batch or policy_file:
            raise click.UsageError("with `--git` and `--staged` the files come from git")
        shape = "json" if as_json else output_format or "text"
        return _of_commits(workspace, revisions, shape=shape, fail_on=fail_on or "ask")
    if batch:
        from penstock.cli.judge.batch import judge_lines

        if words or words_after() is not None or tool or tool_input or cwd:
            raise click.UsageError(
                "with `--batch` the calls come from standard input, one per line"
            )
        judge_lines(workspace=workspace, policy_file=policy_file, attended=not non_interactive)
        return OK
    from penstock.app.workspace import open_judge, workspace_root
    from penstock.doors.setup.agent_files import place_of
    from penstock.doors.setup.inspect import sight

    asked = question(words, tool, tool_input)
    root = workspace_root(workspace)
    call = Call(
        tool=asked.tool,
        tool_input=asked.tool_input,
        cwd=os.path.abspath(cwd) if cwd else _here(root),
        home=os.path.expanduser("~"),
        temporary=os.environ.get("TMPDIR", ""),
        attended=not non_interactive,
    )
    judged = open_judge(root, policy_file=policy_file)(call, time.time(), None).by_all_rules
    check(asked, judged)
    sees = sight(place_of(root))
    seen_by = [*dict.fromkeys(agent for name in asked.names for agent in sees(name))]
    if as_json:
        print_json(document(judged, seen_by=seen_by, remarks=remarks(asked)))
    else:
        show(judged, [*remarks(asked), *_unseen(asked, seen_by)])
    return EXIT[judged.decision.verdict]


def _of_commits(workspace: str | None, revisions: str | None, *, shape: str, fail_on: str) -> int:
    """Judge commits, or the index where there are no revisions; return the exit code."""
    from penstock.app.rules.commit_check import check_commits
    from penstock.app.workspace import workspace_root
    from penstock.cli.judge.commits import FORMATS

    check = check_commits(workspace_root(workspace), revisions)
    FORMATS[shape](check)
    passes = fail_on == "deny" and check.verdict is Verdict.ASK
    return OK if passes else EXIT[check.verdict]


def _here(root: str) -> str:
    """Return the current directory, or the workspace where that is another."""
    here = os.path.realpath(os.getcwd())
    return here if f"{here}/".startswith(f"{root.rstrip('/')}/") else root


def _unseen(asked: Question, seen_by: list[str]) -> list[str]:
    if seen_by:
        return []
    return [f"no registered hook sees `{asked.tool}` calls; see `penstock doctor`"]


COLOUR = {Verdict.ALLOW: "green", Verdict.ASK: "yellow", Verdict.DENY: "red"}


def show(judged: Judgement, remarks: list[str]) -> None:
    """Print the decision for a person."""
    decision = judged.decision
    verdict, because = decision.verdict, in_line(decision.because or _nothing_said(decision))
    echo(because, mark=str(verdict), colour=COLOUR[verdict], bold=True)
    for line in _details(judged, remarks):
        echo(f"  {line}")


def _details(judged: Judgement, remarks: list[str]) -> Iterator[str]:
    """Yield what stands behind a decision, a line each."""
    decision = judged.decision
    if judged.would and decision.verdict is not Verdict.ALLOW:
        yield "observe mode: this is logged, not blocked"
    if decision.suggestion:
        yield f"instead: {in_line(decision.suggestion)}"
    for reason in decision.reasons:
        where = f" ({spoken(reason.where)})" if reason.where else ""
        yield f"rule {spoken(reason.rule)}: {reason.verdict or 'note'}{where}"
    for note in (*notes_of(decision), *remarks):
        yield f"note: {in_line(note)}"
    for one in judged.prepared:
        if one.request.change is not None and one.request.target is not None:
            yield spoken(_measured(one.request.target.shown, one.request.change))
    yield f"policy {decision.revision}"
    if decision.degraded:
        yield in_line(decision.degraded)


def _nothing_said(decision: Decision) -> str:
    if decision.granted:
        return "allowed by a rule"
    return "no rule matches (default: allow)"


def _measured(path: str, change: Change) -> str:
    from penstock.core.text.quantities import change_counts

    notes = f" ({'; '.join(change.notes)})" if change.notes else ""
    return f"{path}: {change_counts(change)}{notes}"
