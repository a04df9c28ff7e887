"""A check of commits as SARIF 2.1.0, which code scanners and editors read.

Always true: a denial is an error, what needs approval a warning, a note a note; every result
names a rule of the list, and a path is an URI below the project.
"""

from __future__ import annotations

from urllib.parse import quote

from penstock.core.commits.findings import CommitCheck, CommitFinding
from penstock.core.commits.sentences import sentence
from penstock.core.digest import digest
from penstock.core.model import Verdict

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Verdict.DENY: "error", Verdict.ASK: "warning", Verdict.ALLOW: "note"}
ROOT = "PROJECT"


def sarif(check: CommitCheck, *, version: str) -> dict[str, object]:
    """Return the document."""
    shown = [one for one in check.findings if one.remarkable]
    rules = sorted({one.rule for one in shown})
    driver = {
        "name": "Penstock",
        "semanticVersion": version,
        "rules": [{"id": rule, "shortDescription": {"text": f"rule {rule}"}} for rule in rules],
    }
    problem = {"level": "warning", "message": {"text": check.degraded}}
    notices = [problem] if check.degraded else []
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True, "toolConfigurationNotifications": notices}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, rules.index(one.rule)) for one in shown],
        "properties": {"base": check.base, "head": check.head, "policy": check.revision},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(one: CommitFinding, index: int) -> dict[str, object]:
    place = {
        "artifactLocation": {
            "uri": quote(one.path.encode("utf-8", "surrogateescape")),
            "uriBaseId": ROOT,
        },
        "region": {"startLine": 1},
    }
    known = digest(f"{one.rule}\0{one.path}".encode("utf-8", "surrogateescape"))
    return {
        "ruleId": one.rule,
        "ruleIndex": index,
        "level": LEVELS[one.decision.verdict],
        "message": {"text": sentence(one)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"penstock/v1": known},
    }
