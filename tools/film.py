"""Record the review page as an animated SVG, made by `make recording`.

    python tools/film.py docs/images/review.svg

Debian's Chromium works through a queue by keys alone, and each step is a picture with the keys that
were pressed. Always true: the picture needs no script and no other file, and loops.
"""

from __future__ import annotations

import base64
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))

from playwright.sync_api import Page, sync_playwright  # noqa: E402 - the tests' helpers are ours
from tests.doors.web.page_server import WORDS, Served, serving  # noqa: E402

from tools.palette import smaller  # noqa: E402
from tools.screenshots import BETTER, INVOICE, RULES, WORDS_OF_AGENT, asked  # noqa: E402

WIDTH, HEIGHT, CAPTION = 960, 600, 34
SECONDS = 2.6  # each picture
MANY = 30


def filled(served: Served) -> None:
    """Put thirty changes that are alike into the queue, and one that is not."""
    for number in range(MANY):
        path = f"src/years/part_{number:02}.py"
        text = f"# part {number}\nNAME = 'part'\nYEAR = 2025\nCOUNT = {number}\nDONE = True\n"
        served.write(path, text)
        asked(served, "gemini", {path: text.replace("2025", "2026")})
    served.write("src/billing/invoice.py", INVOICE)
    asked(served, "claude", {"src/billing/invoice.py": BETTER}, WORDS_OF_AGENT)


def steps(page: Page, origin: str) -> Iterator[tuple[str, bytes]]:
    """Yield what was done and how the page looks then."""
    page.goto(f"{origin}/?agent=gemini")
    page.locator(".card").nth(MANY - 1).wait_for(state="attached")
    yield f"{MANY} changes are pending", page.screenshot()
    page.keyboard.press("s")
    page.get_by_text(f"{MANY} selected").first.wait_for()
    yield "s: select all", page.screenshot()
    page.keyboard.press("a")
    page.get_by_text(f"{MANY} alike").first.wait_for()
    yield f"a: review them; {MANY} are alike, so they are one diff", page.screenshot()
    page.keyboard.press("a")
    page.keyboard.type(WORDS)
    yield "a: the passphrase once, or a touch of a passkey", page.screenshot()
    page.keyboard.press("Enter")
    page.get_by_text(f"{MANY} applied").first.wait_for()
    yield "Enter: written and logged; u undoes all of them", page.screenshot()
    page.keyboard.press("n")
    page.wait_for_url("**/proposals/*")
    yield "n: the next change, with what the agent says about it", page.screenshot()
    for key in "]cx":
        page.keyboard.press(key) if key != "x" else page.keyboard.type("round once, at the end")
    page.locator("details[open] textarea").first.scroll_into_view_if_needed()
    yield "] c: comment on a hunk", page.screenshot()
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    page.keyboard.type("see my comment")
    yield "r: reject; the agent gets the reason and the comment", page.screenshot()
    page.keyboard.press("Enter")
    page.get_by_text("Rejected").first.wait_for()
    yield "Enter: back to an empty queue", page.screenshot()


def svg(frames: list[tuple[str, bytes]]) -> str:
    """Return the pictures one after the other, each with its caption."""
    total, height = SECONDS * len(frames), HEIGHT + CAPTION
    share = 100 / len(frames)
    drawn = "\n".join(
        f'<g class="f" style="animation-delay:{number * SECONDS:.1f}s">'
        f'<image width="{WIDTH}" height="{HEIGHT}" '
        f'href="data:image/png;base64,{base64.b64encode(picture).decode()}"/>'
        f'<text x="16" y="{HEIGHT + 22}">{escape(words)}</text></g>'
        for number, (words, picture) in enumerate(frames)
    )
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" \
aria-label="The review page, worked through by keys" font-family="ui-sans-serif,system-ui,\
'DejaVu Sans',sans-serif" font-size="15">
<title>The review page, worked through by keys</title>
<style>
text {{ fill: #d7dde5 }}
.f {{ opacity: 0; animation: f {total:.1f}s step-end infinite }}
@keyframes f {{ 0% {{ opacity: 1 }} {share:.3f}% {{ opacity: 0 }} }}
@media (prefers-reduced-motion: reduce) {{ .f {{ animation: none }} .f:last-child {{ opacity: 1 }}
}}
</style>
<rect width="100%" height="100%" rx="8" fill="#10151c"/>
{drawn}
</svg>
"""


def main() -> None:
    """Record the review and write the picture."""
    output = Path(sys.argv[1])
    program = shutil.which("chromium") or shutil.which("google-chrome")
    args = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as home, serving(Path(home), rules=RULES) as served:
        filled(served)
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=program, args=args)
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.goto(served.world.link())
            frames = [(words, smaller(made)) for words, made in steps(page, served.origin)]
            browser.close()
    output.write_text(svg(frames), encoding="utf-8")
    sys.stderr.write(f"{output}: {len(frames)} pictures, {output.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
