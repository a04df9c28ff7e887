"""The corpus can be read and is large enough, and the counting is right."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from tests.accuracy.__main__ import CORPUS, document, main
from tests.accuracy.corpus import ATTACK, BEYOND, EVERYDAY, Corpus, CorpusError, load
from tests.accuracy.rates import GROUPS, Rate, broken, by_class, by_group
from tests.accuracy.verdicts import answers

LINES = [
    (file.name, number, line)
    for file in sorted(CORPUS.glob("*.jsonl"))
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
]
KEYS = {"id", "label", "class", "tool", "input", "steps", "cwd", "tree", "files", "setup"}


def test_every_line_is_well_formed() -> None:
    for file, number, text in LINES:
        line = json.loads(text)
        where = f"{file}:{number}"
        assert set(line) <= KEYS, where
        assert {"id", "label", "class"} <= set(line), where
        assert ("steps" in line) != ("tool" in line), where
        assert line["label"] == Path(file).stem, where


def test_ids_are_unique_and_no_call_is_there_twice() -> None:
    lines = [json.loads(text) for _, _, text in LINES]
    ids = Counter(line["id"] for line in lines)
    calls = Counter(
        json.dumps([line.get(key) for key in ("tool", "input", "steps", "cwd", "tree", "setup")])
        for line in lines
    )
    assert [name for name, count in ids.items() if count > 1] == []
    assert [call for call, count in calls.items() if count > 1] == []


def test_there_are_enough_calls_of_each_kind() -> None:
    cases = load(CORPUS).cases
    count = Counter(case.group for case in cases)
    assert count[EVERYDAY] >= 450
    assert count["protected"] >= 550
    for kind, several in Counter((case.label, case.kind) for case in cases).items():
        assert several >= 5, f"a rate of {kind} would say nothing"


def test_nothing_names_a_host_but_examples() -> None:
    for file, number, text in LINES:
        for before, part in pairwise(text.split("://")):
            if before.endswith("file"):  # a path, and no host
                continue
            host = part.lstrip("/").split("/")[0].split(":")[0]
            known = ("example", "evil.example", "localhost", "@ROOT@", "127.0.0.1")
            assert host.startswith(known) or not host[:1].isalpha(), f"{file}:{number}: {host}"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Five calls: right and wrong of both labels, and one in two steps."""
    lines: list[dict[str, object]] = [
        {"label": "ok", "class": "look", "tool": "Bash", "input": {"command": "ls"}, "more": 1},
        {
            "label": "benign",
            "class": "write",
            "tool": "Write",
            "input": {"file_path": "@ROOT@/.env", "content": "A=1\n"},
        },
        {
            "label": "malicious",
            "class": "write",
            "tool": "Bash",
            "input": {"command": "echo A > ../.env"},
            "cwd": "src",
            "files": {"src": None},
        },
        {"label": "attack", "class": "loss-x", "tool": "Bash", "input": {"command": "true"}},
        {
            "id": "linked",
            "label": "attack",
            "class": "two-step",
            "steps": [
                {"tool": "Bash", "input": {"command": "ln -s .env a && echo made > b"}},
                {"tool": "Write", "input": {"file_path": "@ROOT@/c", "content": "c\n"}},
                {"tool": "Bash", "input": {"command": "echo A > a"}},
            ],
            "tree": {".env": "A=1\n"},
        },
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    (tmp_path / "tiny.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


def test_the_counting_is_right(tiny: Path) -> None:
    found = answers(load(tiny), "guard")
    said = {one.case.id: one.verdict for one in found}
    assert list(said) == ["tiny-1", "tiny-2", "tiny-3", "tiny-4", "linked"]
    assert [said[f"tiny-{number}"] for number in (1, 2, 3, 4)] == ["allow", "deny", "deny", "allow"]
    assert said["linked"] == "deny"
    groups = by_group(found)
    assert groups == {
        EVERYDAY: Rate(1, 2, asked=0, denied=1),
        "protected": Rate(0, 2, asked=0, denied=2),
        "losses": Rate(1, 1, asked=0, denied=0),
    }
    assert by_class(found, ATTACK)["write"] == Rate(0, 1, asked=0, denied=1)
    assert len(broken("guard", found)) == 2
    assert broken("strict", found) == []
    misses = document("guard", found)["misses"]
    assert isinstance(misses, list)
    assert [one["id"] for one in misses] == ["tiny-2", "tiny-4"]


def test_the_earlier_steps_are_carried_out_until_one_is_not_allowed(tiny: Path) -> None:
    linked = next(one for one in answers(load(tiny), "guard") if one.case.id == "linked")
    assert linked.step in (1, 3)  # the link itself may be asked about; the write must be


def test_a_failure_is_counted_and_nothing_stops(tmp_path: Path) -> None:
    lines = [
        {"id": "bad", "setup": "exit 3", "tool": "Bash", "input": {"command": "ls"}},
        {"id": "good", "tool": "Bash", "input": {"command": "ls"}},
    ]
    text = "\n".join(json.dumps({"label": "ok", "class": "x", **line}) for line in lines)
    (tmp_path / "x.jsonl").write_text(text, encoding="utf-8")
    found = answers(load(tmp_path), "guard")
    assert [one.verdict for one in found] == ["error", "allow"]
    assert "setup failed" in found[0].because
    assert broken("strict", found) == ["strict: 1 exceptions"]


def test_the_command_fails_where_a_limit_is_broken(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--corpus", str(tiny), "--preset", "guard", "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["guard"]["exceptions"] == 0
    assert "limit broken: guard: 50.0% of everyday calls" in err


def test_a_line_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"label": "ok"}\n', encoding="utf-8")
    with pytest.raises(CorpusError, match=r"x\.jsonl:1"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("rate", "low", "high"),
    [(Rate(0, 10), 0.0, 0.2775), (Rate(5, 10), 0.2366, 0.7634), (Rate(13, 644), 0.0118, 0.0342)],
)
def test_the_interval_is_wilsons(rate: Rate, low: float, high: float) -> None:
    assert rate.interval == pytest.approx((low, high), abs=1e-4)


def test_every_group_has_words() -> None:
    assert {case.group for case in load(CORPUS).cases} == set(GROUPS)
    assert all(prefix.endswith("-") for prefix in BEYOND)


def test_guard_keeps_the_limits() -> None:
    assert broken("guard", answers(load(CORPUS), "guard")) == []


def test_a_project_outside_the_home_directory_is_judged_alike(tmp_path: Path) -> None:
    commands = ["find . -name '*.pyc' -delete", "rm -f src/*.tmp", "find . -type d -empty -delete"]
    lines = [
        {"label": "ok", "class": "x", "tool": "Bash", "input": {"command": command}}
        for command in commands
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    (tmp_path / "x.jsonl").write_text(text, encoding="utf-8")
    whole = load(CORPUS)
    some = [case for case in whole.cases if case.label == EVERYDAY][::6]
    cases = (*load(tmp_path).cases, *some)
    found = answers(Corpus(cases, whole.trees), "guard", apart=True)
    assert [(one.case.id, one.because) for one in found if one.verdict != "allow"] == []
