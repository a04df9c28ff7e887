"""Ask a language model behind an OpenAI-compatible endpoint, and never wait for it for long.

What is asked and how the answer is read is settled in `core/policy/advice.py`. The key comes from
the environment only, and goes only where it belongs: a project's rules name the endpoint, and a
project must not be able to collect its user's keys.
Always true: asking ends within the time given, whatever the endpoint does; no more than
`LARGEST` bytes of an answer are read, no redirect is followed; whatever goes wrong is advice
without an opinion that says so.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from penstock.core.distribution import pip_install
from penstock.core.model import Verdict
from penstock.core.policy.advice import Advice, AdviceOutcome, CallFacts, question, understood
from penstock.core.policy.model import AdvisorSettings

if TYPE_CHECKING:
    import httpx2

LARGEST = 256 * 1024
MOST_AT_ONCE = 4  # an endpoint that hangs holds a thread; more of them are not begun
MOST_RETRIES = 5
PATH = "/chat/completions"
OWN_KEY = "PENSTOCK_LLM_API_KEY"
# Keys that people have in their environment anyway, each with the only host that gets it.
KEYS: Mapping[str, str] = {
    "api.openai.com": "OPENAI_API_KEY",
    "openrouter.ai": "OPENROUTER_API_KEY",
}
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})  # of these a second try may differ

_turns = threading.BoundedSemaphore(MOST_AT_ONCE)


class Unusable(Exception):  # noqa: N818 - no fault of ours: it becomes advice
    """An answer that is no opinion; `again` says that a retry may do better."""

    def __init__(self, outcome: AdviceOutcome, why: str, *, again: bool = False) -> None:
        super().__init__(why)
        self.outcome = outcome
        self.why = why
        self.again = again


def advise(
    settings: AdvisorSettings,
    facts: CallFacts,
    *,
    environ: Mapping[str, str],
    clock: Callable[[], float] = time.monotonic,
    within: float | None = None,
) -> Advice | None:
    """Return the model's opinion on a call, or None where it is switched off.

    `within` seconds is all the time the caller has; the settings may allow less.
    """
    if not (settings.enabled and settings.endpoint and settings.model):
        return None
    start = clock()
    seconds = min(settings.timeout_secs, within if within is not None else settings.timeout_secs)
    attempts = [0]
    try:
        verdict, reasoning = _in_time(settings, facts, environ, seconds, attempts)
        outcome = AdviceOutcome.ANSWERED
    except Unusable as problem:
        verdict, reasoning, outcome = None, problem.why, problem.outcome
    return Advice(
        outcome=outcome,
        verdict=verdict,
        reasoning=reasoning,
        model=settings.model,
        milliseconds=max(0, round((clock() - start) * 1000)),
        attempts=attempts[0],
    )


Opinion = tuple[Verdict | None, str]


def _in_time(
    settings: AdvisorSettings,
    facts: CallFacts,
    environ: Mapping[str, str],
    seconds: float,
    attempts: list[int],
) -> Opinion:
    """Ask in a thread and stop waiting in time.

    A client's own timeouts count from byte to byte, and looking up a name has none at all: an
    endpoint that sends one byte now and then would keep us for hours.
    """
    address = _address(settings.endpoint, environ)
    if seconds <= 0:
        raise Unusable(AdviceOutcome.TIMEOUT, "no time was left to ask")
    if not _turns.acquire(blocking=False):
        raise Unusable(AdviceOutcome.NOT_ASKED, "too many questions are still open")
    asking = _Question(settings, facts, address, time.monotonic() + seconds, attempts)
    threading.Thread(target=asking.run, name="advisor", daemon=True).start()
    try:
        found = asking.result.get(timeout=seconds)
    except Empty:
        raise Unusable(AdviceOutcome.TIMEOUT, f"no answer within {seconds:g} seconds") from None
    if isinstance(found, Unusable):
        raise found
    return found


class _Address(Struct, frozen=True, kw_only=True):
    url: str
    key: str
    local: bool


def _address(endpoint: str, environ: Mapping[str, str]) -> _Address:
    """Return where to ask and with which key; without one, nothing leaves this machine."""
    try:
        url = urlsplit(endpoint)
        host = url.hostname or ""
    except ValueError:
        raise Unusable(AdviceOutcome.NOT_ASKED, "the endpoint is not an address") from None
    if url.scheme not in ("http", "https") or not host or url.username or url.password:
        raise Unusable(AdviceOutcome.NOT_ASKED, "the endpoint is not a plain http or https address")
    local = host in LOOPBACK
    key = _key(url, host, environ)
    if not local and not key:
        raise Unusable(AdviceOutcome.NOT_ASKED, f"there is no key for {host} in the environment")
    path = url.path.rstrip("/")
    path = path if path.endswith(PATH) else path + PATH
    return _Address(url=url._replace(path=path, fragment="").geturl(), key=key, local=local)


def _key(url: SplitResult, host: str, environ: Mapping[str, str]) -> str:
    if host in LOOPBACK:
        names = (OWN_KEY, *KEYS.values())
        return next((environ[name] for name in names if environ.get(name)), "")
    if url.scheme != "https":
        return ""  # in clear text everybody on the way would read it
    return environ.get(OWN_KEY) or environ.get(KEYS.get(host, ""), "")


class _Question:
    """One question with its retries, in a thread of its own."""

    def __init__(
        self,
        settings: AdvisorSettings,
        facts: CallFacts,
        address: _Address,
        until: float,
        attempts: list[int],
    ) -> None:
        self.result: SimpleQueue[Opinion | Unusable] = SimpleQueue()
        self._settings = settings
        self._facts = facts
        self._address = address
        self._until = until
        self._attempts = attempts

    def run(self) -> None:
        """Ask, and hand over what came of it, whatever it was."""
        try:
            self.result.put(self._ask())
        except Unusable as problem:
            self.result.put(problem)
        except Exception as fault:  # noqa: BLE001 - a library's fault must not become ours
            self.result.put(
                Unusable(AdviceOutcome.FAULT, f"the request failed: {type(fault).__name__}")
            )
        finally:
            _turns.release()

    def _ask(self) -> Opinion:
        try:
            import httpx2
        except ImportError:
            hint = f"the model advisor needs an extra: {pip_install('llm')}"
            raise Unusable(AdviceOutcome.NOT_ASKED, hint) from None
        asked = question(self._settings, self._facts)
        # A proxy of the environment is for the way out, not for this machine.
        with httpx2.Client(trust_env=not self._address.local, follow_redirects=False) as client:
            for left in range(min(self._settings.max_retries, MOST_RETRIES), -1, -1):
                self._attempts[0] += 1
                try:
                    return self._once(client, asked)
                except Unusable as problem:
                    if not left or not problem.again or time.monotonic() >= self._until:
                        raise
        raise AssertionError("the last try returns or raises")

    def _once(self, client: httpx2.Client, asked: dict[str, object]) -> Opinion:
        import httpx2

        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if self._address.key:
            headers["Authorization"] = f"Bearer {self._address.key}"
        left = max(0.01, self._until - time.monotonic())
        try:
            with client.stream(
                "POST", self._address.url, json=asked, headers=headers, timeout=left
            ) as response:
                return self._read(response)
        except httpx2.TimeoutException:
            raise Unusable(AdviceOutcome.TIMEOUT, "the endpoint did not answer in time") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as fault:
            why = f"the endpoint could not be reached: {type(fault).__name__}"
            raise Unusable(AdviceOutcome.FAULT, why, again=True) from None

    def _read(self, response: httpx2.Response) -> Opinion:
        if response.status_code != 200:
            why = f"the endpoint answered with status {response.status_code}"
            raise Unusable(AdviceOutcome.FAULT, why, again=response.status_code in AGAIN)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise Unusable(
                AdviceOutcome.NONSENSE, "the answer is compressed, which was not requested"
            )
        found = understood(self._body(response))
        if found is None:
            raise Unusable(AdviceOutcome.NONSENSE, "the answer is not an assessment", again=True)
        return found

    def _body(self, response: httpx2.Response) -> bytes:
        body = bytearray()
        for piece in response.iter_raw():
            body += piece
            if len(body) > LARGEST:
                raise Unusable(AdviceOutcome.NONSENSE, f"the answer exceeds {LARGEST} bytes")
            if time.monotonic() >= self._until:
                raise Unusable(AdviceOutcome.TIMEOUT, "the answer did not end in time")
        return bytes(body)
