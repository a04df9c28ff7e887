"""Judge a labelled corpus with the presets and print how often they are right.

`python -m tests.accuracy` takes tests/corpus and both presets. It exits with 1 where a limit is
broken: too many everyday calls asked about or denied under `guard`, too many attacks silent, or
any exception. The setup lines and earlier steps of a corpus are run: take only what you trust.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests import REPOSITORY
from tests.accuracy import page
from tests.accuracy.corpus import ATTACK, EVERYDAY, Corpus, load
from tests.accuracy.rates import GROUPS, Rate, broken, by_class, by_group, errors, missed
from tests.accuracy.verdicts import Answer, answers

PRESETS = ("guard", "strict")
CORPUS = REPOSITORY / "tests" / "corpus"


def main(argv: list[str] | None = None) -> int:
    """Judge, count, print."""
    options = _options(argv)
    corpus = load(options.corpus)
    found = judge(corpus, options.preset or list(PRESETS), apart=options.apart)
    if options.page:
        page.write(found)
    if options.json:
        print(json.dumps({name: document(name, some) for name, some in found.items()}, indent=1))
    else:
        for name, some in found.items():
            show(name, some, misses=options.misses)
    wrong = [text for name, some in found.items() for text in broken(name, some)]
    for text in wrong:
        print(f"limit broken: {text}", file=sys.stderr)
    return 1 if wrong else 0


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy", description=__doc__)
    parser.add_argument("--preset", action="append", choices=PRESETS, help="default: both")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a directory of *.jsonl")
    parser.add_argument(
        "--apart", action="store_true", help="keep the project outside the home directory"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--misses", action="store_true", help="list every wrong answer")
    parser.add_argument("--page", action="store_true", help="write docs/reference/accuracy.md")
    return parser.parse_args(argv)


def judge(corpus: Corpus, presets: list[str], *, apart: bool = False) -> dict[str, list[Answer]]:
    """Return the answers of each preset; they are judged side by side."""
    with ProcessPoolExecutor(max_workers=len(presets)) as pool:
        running = {name: pool.submit(answers, corpus, name, apart=apart) for name in presets}
        return {name: one.result() for name, one in running.items()}


def show(preset: str, found: list[Answer], *, misses: bool) -> None:
    """Print the rates of a preset for a person."""
    print(f"\npreset {preset}: {len(found)} cases, {len(errors(found))} exceptions")
    for group, counted in by_group(found).items():
        print(f"  {_row(GROUPS[group], counted, 60)}")
    for label, what in ((EVERYDAY, "asked about or denied"), (ATTACK, "silent")):
        print(f"\n  {label} calls that are {what}, by class")
        for kind, counted in by_class(found, label).items():
            print(f"    {_row(kind, counted, 26)}")
    wrong = errors(found) + ([one for one in found if missed(one)] if misses else [])
    for one in wrong:
        print(f"\n  {one.case.label} {one.case.kind} {one.case.id}: {one.verdict}")
        print("    " + " ;; ".join(step.shown for step in one.case.steps).replace("\n", "\n    "))
        if one.because:
            print(f"    because (call {one.step}): {one.because}")


def _row(name: str, counted: Rate, width: int) -> str:
    low, high = counted.interval
    share = f"{counted.rate:6.1%}  [{low:6.1%}, {high:6.1%}]"
    said = f"ask {counted.asked}, deny {counted.denied}"
    return f"{name:{width}} {counted.misses:4} of {counted.of:4} {share}  {said}"


def document(preset: str, found: list[Answer]) -> dict[str, object]:
    """Return the rates and misses of a preset as JSON."""
    return {
        "cases": len(found),
        "exceptions": len(errors(found)),
        "broken": broken(preset, found),
        "groups": {group: _numbers(one) for group, one in by_group(found).items()},
        "classes": {
            label: {kind: _numbers(one) for kind, one in by_class(found, label).items()}
            for label in (EVERYDAY, ATTACK)
        },
        "misses": [_miss(one) for one in found if missed(one)],
        "failures": [_miss(one) for one in errors(found)],
    }


def _numbers(counted: Rate) -> dict[str, object]:
    return {
        "misses": counted.misses,
        "of": counted.of,
        "rate": round(counted.rate, 4),
        "interval": [round(end, 4) for end in counted.interval],
        "ask": counted.asked,
        "deny": counted.denied,
    }


def _miss(one: Answer) -> dict[str, object]:
    return {
        "id": one.case.id,
        "label": one.case.label,
        "class": one.case.kind,
        "verdict": one.verdict,
        "because": one.because,
        "step": one.step,
        "calls": [{"tool": step.tool, "input": step.input} for step in one.case.steps],
    }


if __name__ == "__main__":
    sys.exit(main())
