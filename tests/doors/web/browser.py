"""Debian's Chromium, driven by Playwright, on the page of a project of its own.

Every window fails its test when a dialog opens, a script throws, or a request goes elsewhere.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect, sync_playwright

from tests.doors.web.page_server import WORDS, Served

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = "BROWSER TESTS NOT RUN: there is no chromium, and `tools/browser` could not install it"
WITHIN = 20_000  # milliseconds for anything that is waited for
expect.set_options(timeout=WITHIN)


def program() -> str:
    """Return where the browser is, or skip."""
    found = next(filter(None, map(shutil.which, NAMES)), "")
    if not found:
        pytest.skip(MISSING)
    return found


@dataclass(frozen=True)
class Running:
    """The browser of this process, and what it was started with."""

    words: tuple[str, ...]
    browser: Browser
    ended: ExitStack


_running: list[Running] = []


@contextmanager
def chromium(*more: str) -> Iterator[Browser]:
    """Have the browser; it stays for the next module that wants the same (`close_browser`)."""
    if _running and (_running[0].words != more or not _running[0].browser.is_connected()):
        close_browser()
    if not _running:
        _running.append(_started(more))
    browser = _running[0].browser
    try:
        yield browser
    finally:
        for context in browser.contexts:
            context.close()


def _started(more: tuple[str, ...]) -> Running:
    """Start the browser; as root it cannot make a sandbox of its own."""
    path = program()
    args = [*more, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with ExitStack() as stack:
        driver = stack.enter_context(sync_playwright())
        browser = driver.chromium.launch(executable_path=path, args=args)
        stack.callback(browser.close)
        return Running(more, browser, stack.pop_all())


def close_browser() -> None:
    """End the browser, and with it the loop that Playwright runs in this thread."""
    while _running:
        _running.pop().ended.close()


@dataclass
class Window:
    """One page with everything that it should not have done."""

    page: Page
    served: Served
    faults: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Take note of what must never happen."""
        self.page.set_default_timeout(WITHIN)
        self.page.on("dialog", self._dialog)
        self.page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        self.page.on("request", self._request)
        self.page.on("console", lambda line: self._console(line.type, line.text))

    def _dialog(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        if not request.url.startswith(f"{self.served.origin}/"):
            self.faults.append(f"request elsewhere: {request.url}")

    def _console(self, kind: str, text: str) -> None:
        if "Content Security Policy" in text:
            self.faults.append(text)

    def go(self, path: str) -> int:
        """Open a page of ours and return its status."""
        answer = self.page.goto(f"{self.served.origin}{path}")
        assert answer is not None
        return answer.status

    def approve(self) -> None:
        """Type the passphrase and press Enter."""
        self.page.fill("#passphrase", WORDS)
        self.page.press("#passphrase", "Enter")

    def more(self) -> None:
        """Open what the answer bar folds away: merge, edit, rules, details."""
        self.page.click(".more-ways > summary")

    def see(self, text: str) -> None:
        """Wait until a text can be seen."""
        self.page.get_by_text(text).first.wait_for()


@contextmanager
def window(browser: Browser, served: Served, **options: Any) -> Iterator[Window]:
    """Open a window by a one-time link, and hold against it whatever it did wrong."""
    context: BrowserContext = browser.new_context(**options)
    made = Window(context.new_page(), served)
    made.watch()
    try:
        made.page.goto(served.world.link())
        yield made
        assert made.faults == []
    finally:
        context.close()
