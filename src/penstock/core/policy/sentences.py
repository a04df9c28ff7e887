"""What a rule says, in words: its verdict, its reason with the facts filled in, what to do instead.

Which rules speak is `decide`'s.
Always true: a sentence comes from a rules file and reaches nothing but the facts that it names.
"""

from __future__ import annotations

from penstock.core.model import Action, Reason, Request, Verdict
from penstock.core.policy.model import WARN_VERDICT, Layer
from penstock.core.policy.rule import Rule

EDIT_INSTEAD = "edit only the lines that change"


def effective(rule: Rule, layer: Layer) -> Verdict | None:
    """Return a rule's verdict; what a warning means is the layer's to say."""
    return WARN_VERDICT[layer.warn] if rule.warns else rule.verdict


def instead_of(rule: Rule) -> str:
    """Return what a rule says to do instead, with its own words or with ours."""
    return rule.instead or (EDIT_INSTEAD if rule.measures and rule.max_bytes is None else "")


def reason_of(rule: Rule, layer: Layer, request: Request) -> Reason:
    """Return what a rule has to say about a request."""
    return Reason(
        rule=rule.id,
        verdict=effective(rule, layer),
        text=filled(sentence(rule, layer), request),
        code=rule.code,
        where=str(rule.where),
    )


WHAT = {
    Action.READ: "reads",
    Action.WRITE: "writes",
    Action.CREATE: "new files",
    Action.DELETE: "deletions",
    Action.RUN: "commands",
}
IS_TREATED = {
    Verdict.ALLOW: "are allowed",
    Verdict.ASK: "need approval",
    Verdict.DENY: "are denied",
}


def treatment(action: Action, verdict: Verdict, where: str = "") -> str:
    """Return how an action is treated: `writes need approval`."""
    return f"{WHAT[action]}{where} {IS_TREATED[verdict]}"


DOES = {
    None: "notes",
    Verdict.ALLOW: "allows",
    Verdict.ASK: "requires approval for",
    Verdict.DENY: "denies",
}


def sentence(rule: Rule, layer: Layer) -> str:
    """Return what a rule says, with its own words or with ours, its facts still to be filled."""
    if rule.reason or (rule.warns and rule.note):
        return rule.reason or rule.note
    lost = ": {deleted} of {existing} lines removed" if rule.change_threshold else ""
    about = f" ({rule.description})" if rule.description else ""
    return f"rule `{rule.id}` {DOES[effective(rule, layer)]} `{{path}}`{lost}{about}"


def filled(text: str, request: Request) -> str:
    """Put the request's facts where a rule's sentence names them.

    Not with `str.format`: the sentence comes from a file and must not reach into objects.
    """
    if "{" not in text:
        return text
    change = request.change
    if change and change.unit == "bytes":
        text = text.replace("{existing} lines", "{existing} bytes")
    facts = {
        "{path}": spoken_name(request.target.shown if request.target else request.tool),
        "{action}": str(request.action),
        "{tool}": spoken_name(request.tool),
        "{deleted}": str(change.lines_deleted if change else 0),
        "{existing}": str(change.existing_lines if change else 0),
        "{percent}": f"{100 * change.change_ratio if change else 0:.0f}",
        "{size}": str(change.after_size if change else 0),
    }
    out, rest = "", text
    while "{" in rest:
        head, rest = rest.split("{", 1)
        name = "{" + rest.partition("}")[0] + "}"
        out += head + facts.get(name, "{")
        rest = rest[len(name) - 1 :] if name in facts else rest
    return out + rest


def spoken_name(text: str) -> str:
    """Return a name for a sentence; most are plain, and spare us an import."""
    if text.isascii() and text.isprintable() and not text.endswith(" "):
        return text
    from penstock.core.text.display import spoken

    return spoken(text)
