"""The screens that are kept as pictures: one gate in memory, one clock that stands still.

python -m tests.doors.tui.scenes          writes the snapshots anew, to be looked at and committed
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from penstock.core.model import Actor
from penstock.core.rules.load import parse_policy
from penstock.doors.tui.gateway import ReviewDesk
from penstock.gate import Item, Proof
from tests import REPOSITORY
from tests.doors.tui.stage import Stage, on_screen
from tests.journeys.world import PERSON, World

KEPT = Path(__file__).parent / "snapshots"
PICTURES = REPOSITORY / "docs" / "how-to" / "pictures"
# A picture is looked at without fetching anything; every machine has a font of its own.
FONTS = re.compile(r"@font-face \{[^}]*\}\s*")
RULES = 'version = 1\n[defaults]\nwrite = "ask"\n'
AGENT = Actor(agent="claude", tool_call_id="toolu_01")
OLD = "".join(f"def f{at}():\n    return {at}\n\n\n" for at in range(12))
NEW = OLD.replace("return 1\n", "return one\n").replace("return 9\n", "return 9  # \u202e\n")


class NoKey:
    """A person at a terminal, without an approver's key."""

    def locked(self) -> bool:
        return False

    def needs_code(self) -> bool:
        return False

    def unlock(self, passphrase: str, code: str | None) -> None:
        raise AssertionError("there is nothing to unlock")

    def proof(self) -> Proof:
        return PERSON

    def name(self) -> Proof:
        return PERSON


class Keyed(NoKey):
    """A person with a key and one-time codes."""

    def locked(self) -> bool:
        return True

    def needs_code(self) -> bool:
        return True


class Counted:
    """Ids that are the same each time."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> str:
        self.count += 1
        return f"{self.count:032x}"


def world() -> World:
    made = World(policy=parse_policy(RULES))
    made.clock.token = Counted()  # type: ignore[method-assign]
    for path in ("src/app.py", "src/one.py"):
        made.files.replace(made.parts.path(path), OLD.encode(), expect=None)
    propose = made.gate.propose
    propose([Item(path="src/app.py", content=NEW.encode())], actor=AGENT)
    propose([Item(path="src/one.py", content=b"# gone\n")], actor=AGENT)
    both = {"docs/a.md": b"# A\n", "docs/b.md": b"# B\n"}
    propose([Item(path=path, content=text) for path, text in both.items()], actor=AGENT)
    return made


@asynccontextmanager
async def scene(keys: NoKey, size: tuple[int, int]) -> AsyncIterator[Stage]:
    async with on_screen(ReviewDesk(world().gate, keys), size=size) as stage:
        yield stage


Play = Callable[[Stage], Awaitable[None]]


def pressing(*keys: str) -> Play:
    async def play(stage: Stage) -> None:
        await stage.press(*keys)

    return play


async def searching(stage: Stage) -> None:
    await stage.press("tab", "slash")
    await stage.type("return 9")


async def commenting(stage: Stage) -> None:
    await stage.press("right_square_bracket", "tab", "J", "c")
    await stage.type("keep the number")


SMALL, LARGE = (80, 24), (110, 36)
SCENES: Mapping[str, tuple[Play, NoKey, tuple[int, int]]] = {
    "queue": (pressing(), NoKey(), SMALL),
    "replace": (pressing("J"), NoKey(), LARGE),
    "modify": (pressing("right_square_bracket"), NoKey(), LARGE),
    "side-by-side": (pressing("v", "z"), NoKey(), LARGE),
    "hunks": (pressing("right_square_bracket", "space"), NoKey(), LARGE),
    "strategy": (pressing("s"), NoKey(), SMALL),
    "insert": (pressing("s", "j", "enter"), NoKey(), SMALL),
    "preview": (pressing("J", "s", "enter"), NoKey(), LARGE),
    "files": (pressing("J", "J", "f"), NoKey(), SMALL),
    "passphrase": (pressing("J", "J", "a"), Keyed(), SMALL),
    "error": (pressing("h"), NoKey(), SMALL),
    "search": (searching, NoKey(), SMALL),
    "comment": (commenting, NoKey(), LARGE),
    "help": (pressing("question_mark"), NoKey(), SMALL),
    "unseen": (pressing("J", "a"), NoKey(), SMALL),
    "written": (pressing("J", "a", "y"), NoKey(), SMALL),
    "set": (pressing("J", "J", "a", "J", "a"), NoKey(), SMALL),
}


def shot(name: str) -> tuple[str, str]:
    """Return a scene as text and as a picture."""
    play, keys, size = SCENES[name]

    async def run() -> tuple[str, str]:
        async with scene(keys, size) as stage:
            await play(stage)
            picture = stage.app.export_screenshot(title="penstock review")
            return stage.text + "\n", FONTS.sub("", picture)

    return asyncio.run(run())


def main() -> None:
    KEPT.mkdir(exist_ok=True)
    PICTURES.mkdir(exist_ok=True)
    for name in SCENES:
        text, picture = shot(name)
        (KEPT / f"{name}.txt").write_text(text, encoding="utf-8")
        if name in ("replace", "modify", "comment"):
            (PICTURES / f"review-{name}.svg").write_text(picture, encoding="utf-8")
        sys.stdout.write(f"wrote {name}\n")


if __name__ == "__main__":
    main()
