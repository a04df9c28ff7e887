"""Any bytes as a log of decisions: told as parsing finds them, clusters and rules that hold."""

from __future__ import annotations

from penstock.core.learning.clusters import clusters, command_regex
from penstock.core.learning.past_decision import Past
from penstock.core.learning.risk import never
from penstock.core.policy.regexes import check, search
from penstock.core.policy.samples import pattern_samples
from penstock.stores.decisions.lines import kind_of, seen, told_by

# Random bytes are seldom lines; pieces of them, in any order, sometimes are.
PIECES = (
    *("\n", "{", "}", "[", "]", ",", ":", ", ", ": ", '"', "\\", "x", "é", "0", "true"),
    *('{"timestamp":"2025-12-06T19:38:56Z","session_id":"s","tool_name":"Bash","tool_input":{',),
    *('"command":"', '"decision":"', "deny", "allow", "passthrough", '"decision_source":"', "llm"),
    *('"rule_metadata":{"rule_id":"r"}', '"review_flags":{"needs_review":true}', '"cwd":"/p"}'),
    *('{"ts":"2025-12-06T19:38:56Z","seq":1,"op":"', "tool_call", "rejected", '"path":"a"'),
    *('"status":"denied"', '"session":"s"', '"tool":"Bash"', '"rules":["a"]', '"command":"npm i"}'),
    *("npm install ", "rm -rf ", "../", "/etc/", "$(", "`", ";", "|", ">", "--force", " -q", "::"),
)
MOST = 4000


def one(data: bytes) -> None:
    """Read the bytes as lines, then as lines of pieces, then as commands and a pattern."""
    _read(data[:MOST])
    text = "".join(PIECES[byte % len(PIECES)] for byte in data[:200])
    _read(text.encode("utf-8", "surrogatepass"))
    _learn(text)
    _learn(data.decode("utf-8", "replace")[:500])


def _read(data: bytes) -> None:
    for line in data.split(b"\n"):
        past = told_by(line)
        told = past is not None and past.decision
        assert seen(line) == ((past.ts, kind_of(past), past.session) if past and told else None)


def _learn(text: str) -> None:
    calls = [Past(tool="Bash", tool_input={"command": line}) for line in text.split("\n") if line]
    for cluster in clusters(calls):
        never(cluster)
        if cluster.kind != "command":
            continue
        regex = command_regex(cluster)
        assert check(regex) is None
        for call in cluster.calls:
            assert search(regex, call)
            assert not search(regex, f"{call}\nrm -rf ~")
            assert not search(regex, f"{call}; rm -rf ~")
    if check(text) is None:
        assert all(search(text, sample) for sample in pattern_samples(text))
