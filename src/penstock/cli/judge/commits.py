"""`penstock judge --git` and `--staged`: what the rules say about commits.

Always true: standard output has the result in one format and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from penstock.cli.judge.document import change_facts, decision_facts
from penstock.cli.terminal.output import echo, print_json
from penstock.core.commits.annotations import workflow_commands
from penstock.core.commits.findings import CommitCheck, CommitFinding
from penstock.core.commits.sarif import sarif
from penstock.core.commits.sentences import SHORT, VERDICTS, sentence
from penstock.core.model import Verdict
from penstock.core.text.display import in_line, spoken
from penstock.core.text.quantities import change_counts, counted

COLOURS = {Verdict.ALLOW: "green", Verdict.ASK: "yellow", Verdict.DENY: "red"}


def print_text(check: CommitCheck) -> None:
    """Print a line for each file that somebody should look at, and the sum."""
    if check.degraded:
        echo(in_line(check.degraded), mark="warning", colour="yellow")
    for one in check.findings:
        if one.remarkable:
            verdict = one.decision.verdict
            counts = f" ({change_counts(one.change)})" if one.change else ""
            echo(
                f"{spoken(one.path)}{counts}: {sentence(one)}",
                mark=VERDICTS[verdict],
                colour=COLOURS[verdict],
                bold=True,
            )
    echo(_sum(check))


def _sum(check: CommitCheck) -> str:
    found = {one: len(check.with_verdict(one)) for one in Verdict}
    files = counted(len({one.path for one in check.findings}), "file")
    asked = found[Verdict.ASK]
    denied = f"{found[Verdict.DENY]:,} denied" if found[Verdict.DENY] else ""
    pending = f"{asked:,} {'needs' if asked == 1 else 'need'} approval" if asked else ""
    said = ", ".join(filter(None, (denied, pending))) or "all allowed"
    apart = (
        f"; {counted(check.elsewhere, 'file')} outside the project not checked"
        if check.elsewhere
        else ""
    )
    return f"{files} checked by the rules of {check.base[:SHORT] or 'the preset'}: {said}{apart}"


def document(check: CommitCheck) -> dict[str, object]:
    """Return the result as one JSON document."""
    return {
        "verdict": check.verdict,
        "base": check.base,
        "head": check.head or None,
        "revision": check.revision,
        "degraded": check.degraded or None,
        "files": len({one.path for one in check.findings}),
        "outside_project": check.elsewhere,
        "findings": [_finding(one) for one in check.findings],
    }


def _finding(one: CommitFinding) -> dict[str, object]:
    return {
        **decision_facts(one.decision),
        "path": one.path,
        "change": change_facts(one.change),
        "commit": one.commit or None,
    }


def _print_annotations(check: CommitCheck) -> None:
    for line in workflow_commands(check):
        echo(line)


def _print_sarif(check: CommitCheck) -> None:
    from penstock import __version__

    print_json(sarif(check, version=__version__))


FORMATS: Mapping[str, Callable[[CommitCheck], None]] = {
    "text": print_text,
    "json": lambda check: print_json(document(check)),
    "sarif": _print_sarif,
    "github": _print_annotations,
}
