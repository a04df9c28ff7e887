"""Have the real judge answer every case of a corpus under one preset.

Each case is judged on a disk as the case describes it, by the code of `penstock judge`, with a
person near. Of several steps the allowed ones are carried out, and the first that is not allowed
is the answer. Always true: no failure stops the run; it is an answer of its own, `ERROR`.
"""

from __future__ import annotations

import os
import shutil
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from penstock.app.workspace import open_judge
from penstock.gate import Call
from penstock.gate.judge import Judgement
from tests.accuracy.corpus import Case, Corpus, Step, Tree
from tests.accuracy.place import Place, Places, places

Judge = Callable[[Call], Judgement]
ERROR = "error"
ALLOW = "allow"


@dataclass(frozen=True)
class Answer:
    """What the gate said to a case; `step` is the call (from 1) that it said it to."""

    case: Case
    verdict: str
    because: str = ""
    step: int = 1
    seconds: float = 0.0


def answers(corpus: Corpus, preset: str, *, apart: bool = False) -> list[Answer]:
    """Return the answer to each case, in the order of the corpus."""
    here = dict(os.environ)
    try:
        with places(preset, corpus.trees, apart=apart) as made:
            found = {id(a.case): a for a in _all(corpus, made)}
    finally:
        os.environ.clear()
        os.environ.update(here)
    return [found[id(case)] for case in corpus.cases]


def _all(corpus: Corpus, made: Places) -> Iterator[Answer]:
    shared: dict[Tree, list[Case]] = defaultdict(list)
    for case in corpus.cases:
        if len(case.steps) > 1:
            yield from _together(case.tree, [case], made)
        else:
            shared[case.tree].append(case)
    for tree, cases in shared.items():
        yield from _together(tree, cases, made)


def _together(tree: Tree, cases: list[Case], made: Places) -> Iterator[Answer]:
    try:
        place = made.make(tree)
    except Exception as wrong:
        yield from (Answer(case, ERROR, f"{type(wrong).__name__}: {wrong}") for case in cases)
        return
    os.environ.clear()
    os.environ.update(place.environ)
    yield from _answers(cases, place)
    shutil.rmtree(place.top, ignore_errors=True)


def _answers(cases: list[Case], place: Place) -> Iterator[Answer]:
    """Yield the answers in one place; its rules are read once, as `judge --batch` does."""
    try:
        judge = _opened(place)
    except Exception:
        yield from (Answer(case, ERROR, traceback.format_exc(limit=-3).strip()) for case in cases)
        return
    yield from (_answer(case, place, judge) for case in cases)


def _opened(place: Place) -> Judge:
    judge = open_judge(os.path.realpath(place.root), policy_file=None)
    return lambda call: judge(call, time.time(), None)


def _answer(case: Case, place: Place, judge: Judge) -> Answer:
    begun = time.perf_counter()
    for number, step in enumerate(case.steps, 1):
        try:
            verdict, because = _judge(step, place, judge)
            if verdict == ALLOW and number < len(case.steps):
                place.carry_out(step)
                judge = _opened(place)  # a step may have changed the rules
        except Exception:
            verdict, because = ERROR, traceback.format_exc(limit=-3).strip()
        if verdict != ALLOW:
            break
    return Answer(case, verdict, because, number, time.perf_counter() - begun)


def _judge(step: Step, place: Place, judge: Judge) -> tuple[str, str]:
    call = Call(
        tool=step.tool,
        tool_input=place.filled(step.input),
        cwd=place.cwd(step),
        home=str(place.home),
    )
    decision = judge(call).decision
    return str(decision.verdict), decision.because or "; ".join(decision.notes)
