"""Read one value of a rules file into the type that the policy wants.

One small function per kind of field. Which fields there are is `fields`' table.
Always true: what comes out fits the field; anything else is a `WrongValueError` that says
what was expected, and no value makes a reader fail in another way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from penstock.core.notify.settings import MOST_TARGETS, quiet_hours, target_fault
from penstock.core.paths.globs import tidy
from penstock.core.rules.fields import MOST, Field, FieldKind
from penstock.core.rules.problems import did_you_mean, shown
from penstock.core.text.late_regex import late_regex

CONTROL = late_regex("[\\x00-\\x1f\\x7f]")
MAX_TEXT = 20_000
MAX_ITEMS = 20_000


class ValueFault(Struct, frozen=True):
    """What a value should have been; `at` is the element of a list that is meant."""

    what: str
    hint: str = ""
    at: int | None = None


class WrongValueError(Exception):
    """A value that a field cannot hold, with everything that is wrong with it."""

    def __init__(self, what: str, hint: str = "", *, all_of: Sequence[ValueFault] = ()) -> None:
        super().__init__(what)
        self.all_of = all_of or (ValueFault(what, hint),)


def _read_text(one: Field, value: object) -> str:
    if not isinstance(value, str):
        raise WrongValueError(f"must be text in quotes, not {shown(value)}")
    if len(value) > MAX_TEXT:
        raise WrongValueError(f"is longer than {MAX_TEXT} characters", "shorten it")
    if not value and one.name in ("tool", "subagent_type", "code"):
        raise WrongValueError("is empty", "leave it out, or write a name")
    return value


def _read_id(one: Field, value: object) -> str:
    text = _read_text(one, value)
    if not text or len(text) > 200 or not text.isprintable() or "`" in text:
        raise WrongValueError(f"{shown(text)} is no id", "use letters, digits, `-`, `_` and `.`")
    return text


def _read_regex(one: Field, value: object) -> str:
    text = _read_text(one, value)
    if not text:
        raise WrongValueError("is empty and would match everything", "leave it out")
    return text


def _read_texts(one: Field, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        raise WrongValueError("must be a list", f'write `{one.name} = ["{value[:60]}"]`')
    if not isinstance(value, list):
        raise WrongValueError(f"must be a list of texts, not {shown(value)}")
    if len(value) > MAX_ITEMS:
        raise WrongValueError(f"has more than {MAX_ITEMS} elements", "split the rule")
    _raise_all(
        ValueFault(f"contains {shown(item)}, which is not a string", "quote it", at)
        for at, item in enumerate(value)
        if not isinstance(item, str)
    )
    return tuple(value)


def _raise_all(faults: Iterable[ValueFault]) -> None:
    found = tuple(faults)
    if found:
        raise WrongValueError(found[0].what, all_of=found)


def _read_globs(one: Field, value: object) -> tuple[str, ...]:
    globs = _read_texts(one, value)
    if not globs:
        raise WrongValueError(
            "is an empty list, which matches nothing", "add a glob or leave it out"
        )
    _raise_all(
        ValueFault(f"holds {shown(glob)}, {fault[0]}", fault[1], at)
        for at, glob in enumerate(globs)
        if (fault := glob_fault(glob)) is not None
    )
    return globs


def glob_fault(glob: str) -> tuple[str, str] | None:
    """Return what is wrong with a glob and what to do, or None."""
    if not tidy(glob).strip():
        return "which matches nothing", "write a path such as `src/**`"
    if glob.startswith("~/"):
        return "but `~` is not expanded in globs", f"write `**/{glob[2:]}`"
    if ".." in glob and ".." in glob.split("/"):
        return "which leaves the project", "write the path without `..`"
    if len(glob) > 4096:
        return "which is longer than any path", "shorten it"
    if CONTROL.search(glob):
        return "which has a control character", "remove it"
    return None


def _read_word(one: Field, value: object) -> str:
    if value not in one.words or not isinstance(value, str):
        known = ", ".join(f"`{word}`" for word in one.words)
        guess = did_you_mean(value, one.words) if isinstance(value, str) else ""
        hint = guess if guess.endswith("?") else ""  # the words themselves are in the message
        raise WrongValueError(f"is {shown(value)}, but must be one of {known}", hint)
    return value


def _read_words(one: Field, value: object) -> tuple[str, ...]:
    words = _read_texts(one, value)
    if not words:
        raise WrongValueError("is an empty list, which means nothing", "leave it out")
    _raise_all(
        ValueFault(f"holds {shown(word)}, which is not known", did_you_mean(word, one.words), at)
        for at, word in enumerate(words)
        if word not in one.words
    )
    return words


def _read_flag(_: Field, value: object) -> bool:
    if not isinstance(value, bool):
        raise WrongValueError(f"must be true or false, not {shown(value)}", "without quotes")
    return value


def _read_count(one: Field, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongValueError(f"must be a whole number, not {shown(value)}")
    if not one.least <= value <= one.most:
        raise WrongValueError(f"is {value}, but must be {_range(one)}")
    return value


def _range(one: Field) -> str:
    if one.least == one.most:
        return str(one.least)
    return f"at least {one.least}" if one.most == MOST else f"from {one.least} to {one.most}"


def _read_float(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise WrongValueError(f"must be a number, not {shown(value)}")
    return float(min(max(value, -MOST), MOST))


def _read_number(one: Field, value: object) -> float:
    number = _read_float(value)
    if not one.least <= number <= one.most:
        raise WrongValueError(f"is {shown(value)}, but must be {_range(one)}")
    return number


def _read_ratio(_: Field, value: object) -> float:
    number = _read_float(value)
    if not 0 < number <= 1:
        raise WrongValueError(
            f"is {shown(value)}, but must be above 0 and at most 1", "write 0.5 for half"
        )
    return number


def _read_moment(_: Field, value: object) -> float:
    from datetime import UTC, date, datetime  # few rules have an end

    try:
        when = datetime.fromisoformat(value) if isinstance(value, str) else value
        if isinstance(when, date) and not isinstance(when, datetime):
            when = datetime(when.year, when.month, when.day, tzinfo=UTC)
        if isinstance(when, datetime):
            return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        pass
    raise WrongValueError(f"is {shown(value)}, which is not a date", "write 2030-01-31T12:00:00Z")


def _read_url(one: Field, value: object) -> str:
    text = _read_text(one, value)
    if not text.startswith(("http://", "https://")):
        raise WrongValueError(f"is {shown(text)}", "must start with http:// or https://")
    return text


def _read_targets(one: Field, value: object) -> tuple[str, ...]:
    """A target holds a secret: whatever is wrong with it, it is not repeated."""
    texts = value if isinstance(value, list) else []
    if not isinstance(value, list) or not all(isinstance(text, str) for text in texts):
        raise WrongValueError("must be a list of texts", f'write `{one.name} = ["env:NAME"]`')
    if len(texts) > MOST_TARGETS:
        raise WrongValueError(f"has more than {MOST_TARGETS} elements", "leave some out")
    _raise_all(
        ValueFault(
            f"holds an element ({at + 1}) that {fault}", "see `docs/how-to/get-notified.md`", at
        )
        for at, text in enumerate(texts)
        if (fault := target_fault(text))
    )
    return tuple(texts)


def _read_sinks(one: Field, value: object) -> tuple[str, ...]:
    from penstock.core.ship.settings import MOST_SINKS  # few files have sinks
    from penstock.core.ship.sink import sink_fault

    how = "see `docs/how-to/ship-the-audit-log.md`"
    return _read_addresses(one, value, most=MOST_SINKS, fault_of=sink_fault, how=how)


def _read_cosigners(one: Field, value: object) -> tuple[str, ...]:
    from penstock.core.audit.cosign import MOST_COSIGNERS, cosigner_fault  # few files have any

    how = "see `docs/how-to/verify-the-audit-log.md`"
    found = _read_addresses(one, value, most=MOST_COSIGNERS, fault_of=cosigner_fault, how=how)
    keys = [text.partition(" ")[0] for text in found]
    if len(set(keys)) < len(keys):  # one witness must not count twice
        raise WrongValueError("names one key twice", "leave one of them out")
    return found


def _read_addresses(
    one: Field, value: object, *, most: int, fault_of: Callable[[str], str], how: str
) -> tuple[str, ...]:
    """Read a list of texts of which each has to be an address of some form."""
    texts = _read_texts(one, value)
    if len(texts) > most:
        raise WrongValueError(f"has more than {most} elements", "leave some out")
    _raise_all(
        ValueFault(f"holds an element ({at + 1}) that {fault}", how, at)
        for at, text in enumerate(texts)
        if (fault := fault_of(text))
    )
    return texts


def _read_credential(one: Field, value: object) -> str:
    """Return where a secret is kept; whatever is wrong with it, it is not repeated."""
    from penstock.core.ship.settings import credential_fault

    fault = credential_fault(value) if isinstance(value, str) else "must be a text"
    if fault:
        raise WrongValueError(fault, f'write `{one.name} = "env:NAME"`')
    return str(value)


def _read_public_key(one: Field, value: object) -> str:
    from penstock.core.bundle.public_key import key_fault  # few files name an organisation

    text = _read_text(one, value)
    if key_fault(text):
        raise WrongValueError(f"is {shown(text)}", key_fault(text))
    return text


def _read_bundle_url(one: Field, value: object) -> str:
    from penstock.core.bundle.address import address_fault

    text = _read_text(one, value)
    if fault := address_fault(text):
        raise WrongValueError(fault, "see `docs/how-to/use-a-policy-bundle.md`")
    return text


def _read_hours(one: Field, value: object) -> str:
    text = _read_text(one, value)
    if quiet_hours(text) is None:
        raise WrongValueError(f"is {shown(text)}, which is not a time range", "write `22:00-07:00`")
    return text


def _read_places(one: Field, value: object) -> tuple[str, ...]:
    places = _read_texts(one, value)
    _raise_all(
        ValueFault(f"holds {shown(place)}, {fault[0]}", fault[1], at)
        for at, place in enumerate(places)
        if (fault := place_fault(place)) is not None
    )
    return places


def place_fault(place: str) -> tuple[str, str] | None:
    """Return what is wrong with the name of a file or directory and what to do, or None."""
    if not place.strip("/. ") or CONTROL.search(place) or len(place) > 4096:
        return "which is no path", "write a path such as `~/.cache/pip`"
    if ".." in place.split("/"):
        return "which has `..` in it", "write the path without `..`"
    if place.startswith("~") and not place.startswith("~/"):
        return "but only `~/` is expanded", "write the absolute path"
    return None


READERS: Mapping[FieldKind, Callable[[Field, object], object]] = {
    FieldKind.TEXT: _read_text,
    FieldKind.ID: _read_id,
    FieldKind.REGEX: _read_regex,
    FieldKind.GLOBS: _read_globs,
    FieldKind.TEXTS: _read_texts,
    FieldKind.WORD: _read_word,
    FieldKind.WORDS: _read_words,
    FieldKind.FLAG: _read_flag,
    FieldKind.COUNT: _read_count,
    FieldKind.RATIO: _read_ratio,
    FieldKind.NUMBER: _read_number,
    FieldKind.MOMENT: _read_moment,
    FieldKind.URL: _read_url,
    FieldKind.TARGETS: _read_targets,
    FieldKind.SINKS: _read_sinks,
    FieldKind.CREDENTIAL: _read_credential,
    FieldKind.COSIGNERS: _read_cosigners,
    FieldKind.PUBLIC_KEY: _read_public_key,
    FieldKind.BUNDLE_URL: _read_bundle_url,
    FieldKind.HOURS: _read_hours,
    FieldKind.PLACES: _read_places,
}
