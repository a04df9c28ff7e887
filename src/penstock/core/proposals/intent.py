"""What an agent says about its own change: why it makes it, and which lines to look at first.

Its words are untrusted text. They are shown quoted, with everything hidden written out, beside
the whole change and never in place of it; no rule reads them.
Always true: they are bounded; a verdict is the same whatever they say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from penstock.core.errors import InputError
from penstock.core.proposals.line_comment import LineComment, cut, of_values
from penstock.core.text.display import visible

LONGEST_WHY = 2000  # characters
MOST_REGIONS = 20
WHY, REGIONS = "why", "regions"
# How tools of agents name the words that go with a call, the plainest first.
WHY_KEYS = (WHY, "explanation", "justification", "instruction", "instructions", "description")
ABOUT_WHY = (
    "Why you make this change, in your own words, for the person who reviews it "
    f"(at most {LONGEST_WHY} characters). It does not change what the rules say."
)
ABOUT_REGIONS = (
    "Lines of the new content that the reviewer should look at first, each as "
    "`path:10-20: what to look at`; for a single file the path can be left out."
)


class AgentIntent(Struct, frozen=True, kw_only=True):
    """An agent's words about its change, and the regions that it points at."""

    why: str = ""
    regions: tuple[LineComment, ...] = ()

    def of(self, path: str) -> tuple[LineComment, ...]:
        """Return the regions of one file."""
        return tuple(region for region in self.regions if region.path == path)


NO_INTENT = AgentIntent()


def intent(why: object = None, regions: object = None, *, path: str = "") -> AgentIntent:
    """Return an agent's words as a door takes them. Raises InputError for what is no text.

    `path` is the file that regions without one are about.
    """
    if why is not None and not isinstance(why, str):
        raise InputError("bad-why", "`why` is not a text", hint="send a sentence, or leave it out")
    found = of_values(regions, path=path, most=MOST_REGIONS, code="bad-region")
    return AgentIntent(why=cut(why or "", LONGEST_WHY), regions=found)


def quoted(why: str, regions: Iterable[LineComment]) -> tuple[str, ...]:
    """Return an agent's words as lines of a terminal; each begins with a sign that is ours."""
    said = visible(why).replace("\r", "").split("\n") if why else []
    return tuple(f"> {line}".rstrip() for line in (*said, *(f"look at {r.words}" for r in regions)))


def said_with(arguments: Mapping[str, object], *, besides: str = "", path: str = "") -> AgentIntent:
    """Return what a call of somebody else's tool says of itself; what does not fit is left out.

    `besides` is what the agent wrote beside the call, where the call itself says nothing; `path`
    the file that regions without one are about.
    """
    words = (arguments.get(key) for key in WHY_KEYS)
    why = next((word for word in words if isinstance(word, str) and word.strip()), besides)
    try:
        return intent(why, arguments.get(REGIONS), path=path)
    except InputError:
        return intent(why)


def without(arguments: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments of one of our own tools without the agent's words about it."""
    return {name: value for name, value in arguments.items() if name not in (WHY, REGIONS)}


def only(regions: Iterable[LineComment], paths: Iterable[str]) -> tuple[LineComment, ...]:
    """Return regions of these files; one of any other file is an InputError."""
    known, found = frozenset(paths), tuple(regions)
    other = next((region.path for region in found if region.path not in known), None)
    if other is not None:
        raise InputError(
            "bad-region",
            f"`{other}` is not changed by this call",
            because="a region names lines of a file that the call changes",
            hint="name one of its files, or leave `regions` out",
        )
    return found
