"""Put values into templates, and send what comes out.

What the values are is the pages' business, what a page looks like the templates'.
Always true: every value is escaped, and its hidden characters are written out unless a template
says `exact`, which is for what a form sends back; a page carries the session's own token for its
forms; a name that a template uses and nobody gave is an error, not an empty place.
"""

from __future__ import annotations

import os
import time
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from penstock.core.errors import PenstockError
from penstock.core.loopback import from_our_pages
from penstock.core.proposals.model import STATE_WORDS
from penstock.core.text import quantities
from penstock.core.text.display import harmless, in_line, spoken
from penstock.core.timestamps import stamp
from penstock.doors.web import wording
from penstock.doors.web.context import World
from penstock.doors.web.errors import status_of
from penstock.doors.web.sessions import Session

HERE = os.path.dirname(os.path.abspath(__file__))


@cache
def environment() -> Environment:
    """Return the templates, read once."""
    made = Environment(
        loader=FileSystemLoader(os.path.join(HERE, "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=seen,
    )
    made.filters.update(
        spoken=spoken,
        exact=escape,
        span=quantities.duration,
        size=quantities.size,
        pending=lambda state: STATE_WORDS.get(state, state),
        short=wording.short,
        moment=moment,
        sentence=sentence,
        number=lambda count: f"{count:,}",
    )
    made.globals.update(counted=quantities.counted)
    return made


def seen(value: Any) -> Any:
    """Return a value as a page shows it: the last step of each, so that none can be forgotten."""
    return harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def sentence(text: str) -> Markup:
    """Return a message as people read it: a capital first, what stands in backticks as code."""
    shown = in_line(text)
    parts = (shown[:1].upper() + shown[1:]).split("`")
    pieces = (
        Markup("<code>{}</code>").format(part) if at % 2 and at < len(parts) - 1 else escape(part)
        for at, part in enumerate(parts)
    )
    return Markup("").join(pieces)


def moment(seconds: float) -> Markup:
    """Return a time for people and for programs."""
    text = stamp(seconds)
    return Markup('<time datetime="{}">{}</time>').format(text, f"{text[:10]} {text[11:19]}")


def page(
    request: Request, template: str, *, status: int = 200, here: str = "", **values: Any
) -> HTMLResponse:
    """Return a page. `here` is the part of the navigation that it belongs to."""
    world: World = request.app.state.world
    session = getattr(request.state, "session", None)
    made = environment().get_template(template)
    text = made.render(
        here=here,
        csrf=session.csrf if session else "",
        known=session is not None,
        # A stranger is not told what is served here.
        places=[os.path.basename(place.root) for place in world.workspaces] if session else [],
        remote=world.remote,
        now=time.time(),
        unlocked_until=unlocked_until(session),
        # Where another page sent the browser here, what it shows does not count: by this it does.
        again="" if from_our_pages(request.headers) else _address(request),
        **values,
    )
    # Text from outside may hold half characters; they never get this far as themselves.
    return HTMLResponse(text.encode("utf-8", "replace"), status)


def part(template: str, **values: Any) -> str:
    """Return a piece of a page, for what only changes that."""
    return environment().get_template(template).render(now=time.time(), **values)


def macro(template: str, name: str, *values: Any, **named: Any) -> Markup:
    """Return what a macro of a template makes of some values."""
    made: Markup = getattr(environment().get_template(template).module, name)(*values, **named)
    return made


def unlocked_until(session: Session | None) -> float:
    """Return when a session is locked again, 0 where it is."""
    held = session.unlock if session else None
    return held.asked.unlock.until if held is not None and held.left(time.time()) else 0.0


def _address(request: Request) -> str:
    return f"{request.url.path}?{request.url.query}"


def problem(request: Request, error: PenstockError) -> HTMLResponse:
    """Return an error as a page."""
    return page(request, "problem.html", status=status_of(error), error=error)
