"""Charts as SVG, drawn on the server: bars over time, bars by name, bars by step.

What is counted is `statistics`'s work; colours are classes in the style sheet, so that a strict
content policy and the dark theme both hold.
Always true: every chart has a title, a description in words and the numbers as a table; names
of agents and rules go through escaping `format`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from markupsafe import Markup
from msgspec import Struct

from penstock.core.model import Verdict
from penstock.core.text.display import spoken

WIDTH, HEIGHT = 480, 200
LEFT, RIGHT, TOP, BOTTOM = 36, 8, 10, 24
ROW, LABEL = 26, 150
LONGEST_LABEL = 22
ORDER = (Verdict.ALLOW, Verdict.ASK, Verdict.DENY)
WORDS = {Verdict.ALLOW: "allowed", Verdict.ASK: "asked", Verdict.DENY: "denied"}

Stacked = Sequence[tuple[str, Counter[Verdict]]]
Single = Sequence[tuple[str, int]]
Answered = Sequence[tuple[str, Counter[str]]]


class Chart(Struct, frozen=True, kw_only=True):
    """A drawing, what it is called, what it says in words, and its numbers."""

    name: str
    title: str
    words: str
    svg: Markup
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    legend: bool = False


def over_time(title: str, days: Stacked) -> Chart:
    """Return one bar a day, made of the verdicts."""
    most = _round_up(max((count.total() for _, count in days), default=0))
    body = Markup("").join([*_grid(most), *_columns(days, most), *_dates(days)])
    return _stacked("over-time", title, days, body, HEIGHT, "day", _time_words(days))


def by_name(name: str, title: str, counts: Stacked, *, of: str) -> Chart:
    """Return one bar a name, made of the verdicts."""
    most = max((count.total() for _, count in counts), default=0)
    body = Markup("").join(
        part for at, (who, count) in enumerate(counts) for part in _named_row(at, who, count, most)
    )
    height = max(len(counts), 1) * ROW + 4
    return _stacked(name, title, counts, body, height, of, _name_words(counts, of))


def by_step(name: str, title: str, steps: Single, *, of: str, words: str) -> Chart:
    """Return one bar a step."""
    most = max((count for _, count in steps), default=0)
    body = Markup("").join(
        part for at, (step, count) in enumerate(steps) for part in _step_row(at, step, count, most)
    )
    return Chart(
        name=name,
        title=title,
        words=words,
        svg=_svg(name, title, words, body, len(steps) * ROW + 4),
        head=(of, "answers"),
        rows=tuple((step, f"{count:,}") for step, count in steps),
    )


def acceptance(name: str, title: str, counts: Answered, *, of: str) -> Chart:
    """Return one bar a name: how much of what people answered they approved."""
    body = Markup("").join(
        part for at, (who, count) in enumerate(counts) for part in _accepted_row(at, who, count)
    )
    said = [f"{spoken(who)}: {_accepted(count)}" for who, count in counts[:5]]
    words = "; ".join(said) + "." if said else "No answers yet."
    return Chart(
        name=name,
        title=title,
        words=words,
        svg=_svg(name, title, words, body, max(len(counts), 1) * ROW + 4),
        head=(of, "approved", "rejected", "accepted"),
        rows=tuple(
            (spoken(who), f"{count['approved']:,}", f"{count['rejected']:,}", _percent(count))
            for who, count in counts
        ),
    )


def _percent(count: Counter[str]) -> str:
    return f"{100 * count['approved'] // max(count.total(), 1)} %"


def _accepted(count: Counter[str]) -> str:
    return f"{count['approved']:,} of {count.total():,} approved ({_percent(count)})"


def _stacked(
    name: str, title: str, counts: Stacked, body: Markup, height: int, of: str, words: str
) -> Chart:
    return Chart(
        name=name,
        title=title,
        words=words,
        svg=_svg(name, title, words, body, height),
        head=(of, *(WORDS[verdict] for verdict in ORDER)),
        rows=tuple(
            (spoken(who), *(f"{count[verdict]:,}" for verdict in ORDER)) for who, count in counts
        ),
        legend=True,
    )


def _svg(name: str, title: str, words: str, body: Markup, height: int) -> Markup:
    return Markup(
        '<svg class="chart" role="img" viewBox="0 0 {width} {height}"'
        ' aria-labelledby="{name}-title {name}-desc">'
        '<title id="{name}-title">{title}</title><desc id="{name}-desc">{words}</desc>{body}</svg>'
    ).format(name=name, title=title, words=words, body=body, width=WIDTH, height=height)


# -- bars that stand ---------------------------------------------------------------------------


def _grid(most: int) -> Iterator[Markup]:
    """Yield lines across with their numbers: the bottom, the middle and the top."""
    for part in sorted({0, most // 2, most}):
        y = _y(part, most)
        yield Markup('<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
            LEFT, WIDTH - RIGHT, y, y
        )
        yield _label(LEFT - 6, y + 4, f"{part:,}", anchor="end")


def _y(count: float, most: int) -> float:
    room = HEIGHT - TOP - BOTTOM
    return round(HEIGHT - BOTTOM - room * count / max(most, 1), 1)


def _columns(days: Stacked, most: int) -> Iterator[Markup]:
    step = (WIDTH - LEFT - RIGHT) / max(len(days), 1)
    for at, (day, count) in enumerate(days):
        below = 0
        for verdict in ORDER:
            if count[verdict]:
                top = _y(below + count[verdict], most)
                yield _bar(
                    verdict,
                    f"{day}: {count[verdict]:,} {WORDS[verdict]}",
                    x=LEFT + at * step + step * 0.12,
                    y=top,
                    width=step * 0.76,
                    height=_y(below, most) - top,
                )
            below += count[verdict]


def _dates(days: Stacked) -> Iterator[Markup]:
    """Yield the first, the middle and the last day under the bars."""
    step = (WIDTH - LEFT - RIGHT) / max(len(days), 1)
    places = sorted({0, len(days) // 2, len(days) - 1}) if days else []
    for at in places:
        anchor = "start" if at == 0 else "end" if at == len(days) - 1 else "middle"
        x = LEFT + at * step + {"start": 0.0, "middle": step / 2, "end": step}[anchor]
        yield _label(x, HEIGHT - 6, days[at][0][5:], anchor=anchor)


# -- bars that lie -----------------------------------------------------------------------------


def _named_row(at: int, who: str, count: Counter[Verdict], most: int) -> Iterator[Markup]:
    yield _name(at, who)
    x = float(LABEL)
    for verdict in ORDER:
        if count[verdict]:
            width = _length(count[verdict], most)
            told = f"{who}: {count[verdict]:,} {WORDS[verdict]}"
            yield _bar(verdict, told, x=x, y=at * ROW + 5, width=width, height=16)
            x += width
    yield _label(x + 6, at * ROW + 17, f"{count.total():,}")


def _step_row(at: int, step: str, count: int, most: int) -> Iterator[Markup]:
    yield _name(at, step)
    width = _length(count, most)
    if count:
        yield _bar("plain", f"{step}: {count:,}", x=LABEL, y=at * ROW + 5, width=width, height=16)
    yield _label(LABEL + width + 6, at * ROW + 17, f"{count:,}")


def _accepted_row(at: int, who: str, count: Counter[str]) -> Iterator[Markup]:
    yield _name(at, who)
    x, y, total = float(LABEL), at * ROW + 5, max(count.total(), 1)
    for word, verdict in (("approved", Verdict.ALLOW), ("rejected", Verdict.DENY)):
        if count[word]:
            width = _length(count[word], total)
            told = f"{who}: {count[word]:,} {word}"
            yield _bar(verdict, told, x=x, y=y, width=width, height=16)
            x += width
    yield _label(x + 6, at * ROW + 17, _percent(count))


def _length(count: int, most: int) -> float:
    return (WIDTH - LABEL - 56) * count / max(most, 1)


def _name(at: int, who: str) -> Markup:
    shown = spoken(who)
    short = shown if len(shown) <= LONGEST_LABEL else shown[: LONGEST_LABEL - 1] + "\u2026"
    return _label(LABEL - 8, at * ROW + 17, short, anchor="end", name="name")


# -- pieces ------------------------------------------------------------------------------------


def _bar(kind: str, told: str, *, x: float, y: float, width: float, height: float) -> Markup:
    return Markup(
        '<rect class="bar v-{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="2">'
        "<title>{}</title></rect>"
    ).format(kind, x, y, max(width, 1.0), max(height, 1.0), spoken(told))


def _label(x: float, y: float, words: str, *, anchor: str = "start", name: str = "axis") -> Markup:
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(
        name, x, y, anchor, spoken(words)
    )


def _round_up(most: int) -> int:
    """Return the next number that reads well at the top of an axis."""
    if most <= 4:
        return max(most, 1)
    size: int = 10 ** (len(str(most)) - 1)
    steps = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20)
    return next(top for step in steps if (top := step * size // 2) >= most)


# -- in words ----------------------------------------------------------------------------------


def _time_words(days: Stacked) -> str:
    total = sum((count for _, count in days), Counter[Verdict]())
    if not total.total():
        return f"No decisions in {len(days)} days."
    busiest = max(days, key=lambda day: day[1].total())
    return (
        f"{len(days)} days: {_said(total)}. Most on {spoken(busiest[0])}: {busiest[1].total():,}."
    )


def _name_words(counts: Stacked, of: str) -> str:
    if not counts:
        return f"No {of} yet."
    parts = [f"{spoken(who)}: {_said(count)}" for who, count in counts[:5]]
    return "; ".join(parts) + "."


def _said(count: Counter[Verdict]) -> str:
    return ", ".join(f"{count[verdict]:,} {WORDS[verdict]}" for verdict in ORDER)
