"""Pictures of the main pages for the docs, made by `make screenshots`.

A project of its own is served, a few agents ask for things, and Debian's Chromium looks.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from urllib.parse import urlencode

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402 - the tests' helpers are ours
from tests.doors.web.page_server import WORDS, Served, serving  # noqa: E402

from penstock.core.model import Actor  # noqa: E402
from penstock.core.proposals.intent import NO_INTENT, AgentIntent, intent  # noqa: E402
from penstock.doors.web.answers import approve, reject  # noqa: E402
from penstock.doors.web.drift import shown  # noqa: E402
from penstock.doors.web.proof import PagePerson  # noqa: E402
from penstock.gate import Item  # noqa: E402
from penstock.stores.audit.jsonl import JsonlLog  # noqa: E402
from tools.palette import smaller  # noqa: E402

IMAGES = HERE / "docs" / "images"
DESK = {"width": 1240, "height": 800}
PHONE = {"width": 390, "height": 780}
RULES = """preset = "guard"

[[ask]]
id = "code"
paths = ["src/**", "docs/**"]
reason = "a person looks at code before it is written"

[[deny]]
id = "no-keys"
paths = ["**/*.key", "**/*.pem"]
reason = "keys stay where they are"
"""
INVOICE = '''"""Invoices: what is owed, by whom, and until when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

TERMS = timedelta(days=30)


@dataclass(frozen=True)
class Line:
    """One position of an invoice."""

    text: str
    count: int
    price: Decimal

    @property
    def total(self) -> Decimal:
        return self.count * self.price


@dataclass(frozen=True)
class Invoice:
    """What one customer owes."""

    number: str
    customer: str
    made: date
    lines: tuple[Line, ...]

    @property
    def due(self) -> date:
        return self.made + TERMS

    def total(self) -> Decimal:
        # Rounding happens once, at the end.
        return sum((line.total for line in self.lines), Decimal(0))

    def reminder(self, today: date) -> str:
        if today <= self.due:
            return ""
        late = (today - self.due).days
        return f"{self.customer}: invoice {self.number} is {late} days late"
'''
BETTER = (
    INVOICE.replace("from decimal import Decimal", "from decimal import ROUND_HALF_UP, Decimal")
    .replace(
        "return sum((line.total for line in self.lines), Decimal(0))",
        "owed = sum((line.total for line in self.lines), Decimal(0))\n"
        '        return owed.quantize(Decimal("0.01"), ROUND_HALF_UP)',
    )
    .replace("invoice {self.number} is {late} days late", "invoice {self.number}, {late} days late")
)
STUB = INVOICE[: INVOICE.index("@dataclass")] + "# ... rest of the code unchanged ...\n"


WORDS_OF_AGENT = intent(
    "Totals were off by a cent for some customers. Now they are rounded once.",
    ["39-40: the rounding"],
    path="src/billing/invoice.py",
)


def years(served: Served) -> dict[str, str]:
    """Put files into the project that an agent changes alike, and return what it makes of them."""
    made = {}
    for name in ("tax", "dunning", "export", "letters"):
        path = f"src/years/{name}.py"
        served.write(path, f"# {name}\nYEAR = 2025\nNAME = {name!r}\n")
        made[path] = f"# {name}\nYEAR = 2026\nNAME = {name!r}\n"
    return made


def asked(
    served: Served, agent: str, files: Mapping[str, str], said: AgentIntent = NO_INTENT
) -> str:
    """Have an agent ask for some files; return the id of what waits."""
    items = [Item(path=path, content=text.encode()) for path, text in files.items()]
    made = served.gate.propose(items, actor=Actor(agent=agent, session="a3f1"), intent=said)
    return made[0].set_id or made[0].id


def answered(served: Served, id_: str, *, yes: bool) -> None:
    """Answer as a person would."""
    found = served.world.find(id_)[1]
    if yes:
        reader = served.world.readers.of(served.seen(id_)["viewer"])
        person = PagePerson(prover=served.world.prover, passphrase=WORDS)
        done = approve(served.here, id_, digest=shown(found), person=person, reader=reader)
        assert done.error is None, done.error
    else:
        reject(served.here, id_, reason="use the helper that is there")


def remembered(served: Served) -> None:
    """Put a month of decisions on the record, as if it had been kept all the time."""
    now, luck = time.time(), random.Random(7)  # noqa: S311 - a picture, not a secret
    clock = [now - 29.9 * 86400]
    assert served.gate  # which makes the place for it
    log = JsonlLog(served.here.audit_path, clock=lambda: clock[0])
    while clock[0] < now - 7200:
        clock[0] += luck.expovariate(1 / 4200) * (3 if time.gmtime(clock[0]).tm_wday > 4 else 1)
        if clock[0] < now - 7200:
            for event in a_decision(luck, clock):
                log.append(event, durable=False)


def a_decision(luck: random.Random, clock: list[float]) -> Iterator[dict[str, object]]:
    """Yield the lines of one decision; where a person was asked, of the answer too."""
    agent = luck.choices(("claude", "codex", "gemini", "cursor"), (9, 5, 3, 1))[0]
    status, rule = luck.choices(
        (
            ("allowed", "free"),
            ("waiting", "code"),
            ("waiting", "substantial-change"),
            ("denied", "env-files"),
            ("denied", "no-keys"),
            ("denied", "git"),
        ),
        (9, 6, 2, 1.2, 0.7, 0.5),
    )[0]
    about = {"path": "src/billing/tax.py", "agent": agent, "rules": [rule], "proposal": str(clock)}
    yield {"op": "proposed", "status": status, **about}
    if status == "waiting" and luck.random() < 0.8:
        yes = luck.random() < 0.75
        clock[0] += luck.lognormvariate(4, 1.4)
        yield {"op": "approved" if yes else "rejected", "status": "", **about}


def filled(served: Served) -> dict[str, str]:
    """Fill the project with a day's work, and return where to look."""
    served.write("src/billing/invoice.py", INVOICE)
    served.write("src/billing/report.py", INVOICE)
    for at in range(14):
        agent = ("claude", "codex", "gemini")[at % 3]
        id_ = asked(served, agent, {f"src/billing/part_{at}.py": f"PART = {at}\n"})
        answered(served, id_, yes=at % 4 != 3)
    for path in ("deploy/server.key", "tls/site.pem", ".git/config", ".env"):
        asked(served, "codex", {path: "x\n"})
    modify = asked(served, "claude", {"src/billing/invoice.py": BETTER}, WORDS_OF_AGENT)
    replace = asked(served, "codex", {"src/billing/report.py": STUB})
    some = asked(
        served,
        "gemini",
        {
            "src/billing/tax.py": 'RATES = {"standard": 0.19, "reduced": 0.07}\n',
            "docs/billing.md": "# Billing\n\nInvoices are due after thirty days.\n",
            **{f"src/billing/vat/{land}.py": f'LAND = "{land}"\n' for land in ("at", "de", "fr")},
        },
    )
    same = [asked(served, "gemini", {path: text}) for path, text in years(served).items()]
    return {
        "queue": "/",
        "proposal": f"/proposals/{modify}?view=unified",
        "side-by-side": f"/proposals/{modify}?view=split",
        "lost-lines": f"/proposals/{replace}?view=removed",
        "set": f"/proposals/{some}",
        "comments": f"/proposals/{modify}?view=unified",
        "selection": f"/selection?{urlencode([('id', one) for one in same])}",
        "rule": f"/rules/new?proposal={modify}&kind=allow&scope=folder&expires=604800",
        "history": "/history",
        "decisions": "/decisions",
        "rules": "/rules",
        "record": "/audit",
    }


def commented(page: Page) -> None:
    """Write a comment on a line, as somebody would who then rejects."""
    page.locator("td.n.right, tr.new td.n:nth-child(2)").first.click()
    page.locator("tr.talk-row textarea").first.fill("Round once: see the comment below.")
    page.locator("tr.talk-row").first.scroll_into_view_if_needed()


def verified(page: Page) -> None:
    """Have the audit log verified."""
    page.click("button.go")


LOOKS: Mapping[str, Callable[[Page], None]] = {"record": verified, "comments": commented}


def taken(browser: Browser, served: Served, pages: Mapping[str, str]) -> Iterator[Path]:
    """Take every picture: all by day, some by night and on a phone."""
    for suffix, names, options in (
        ("", tuple(pages), {"viewport": DESK}),
        (
            "-dark",
            ("queue", "side-by-side", "decisions", "comments"),
            {"viewport": DESK, "color_scheme": "dark"},
        ),
        ("-phone", ("queue", "lost-lines", "set"), {"viewport": PHONE}),
    ):
        page = browser.new_context(**options).new_page()
        page.goto(served.world.link())
        for name in names:
            page.goto(f"{served.origin}{pages[name]}")
            LOOKS.get(name, lambda _: None)(page)
            path = IMAGES / f"{name}{suffix}.png"
            page.screenshot(path=path)
            yield path


def main() -> None:
    """Make every picture anew."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    args = ["--no-sandbox"] if os.geteuid() == 0 else []
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, serving(Path(home), rules=RULES) as served:
        remembered(served)
        pages = filled(served)
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=program, args=args)
            for path in taken(browser, served, pages):
                path.write_bytes(smaller(path.read_bytes()))
                print(path.relative_to(HERE), path.stat().st_size)
            browser.close()


if __name__ == "__main__":
    main()
