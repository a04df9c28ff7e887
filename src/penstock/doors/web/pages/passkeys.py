"""The page of the approver's passkeys: which there are, adding one, removing one; and *Lock*.

On another device no passphrase is typed: a passkey that is made there waits for it under a code,
and counts once both were typed on the computer's own page.
Always true: nothing is added or removed without the approver's passphrase; a passkey is made for
the address that this server's links have.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from penstock.core.errors import InputError, PenstockError, RefusedError
from penstock.core.proposals.passkey import MOST_LABEL, as_text
from penstock.doors.web.errors import status_of
from penstock.doors.web.middleware import as_json
from penstock.doors.web.pages.proposal_state import key_of
from penstock.doors.web.proof import lock
from penstock.doors.web.registration import creation_options, passkey_of
from penstock.doors.web.render import page
from penstock.doors.web.request import form_of, place, world_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.app import Workspace
    from penstock.core.proposals.passkey import Passkey
    from penstock.doors.web.answers import AnswerResult
    from penstock.doors.web.sessions import Session

CHALLENGE_BYTES = 32


class PairingCode(Struct, frozen=True, kw_only=True):
    """The code that a session is shown, kept among its results."""

    code: str


def passkeys(request: Request) -> Response:
    """Show the passkeys that there are."""
    return _page(request, place(request))


def _page(request: Request, here: Workspace, error: PenstockError | None = None) -> Response:
    listed: list[dict[str, Any]] = []
    world = world_of(request)
    try:
        own = here.keys.own_passkeys() if here.keys.exists() else ()
        for one in here.keys.passkeys.added():
            facts = {"id": one.id, "label": one.label, "origin": one.origin, "since": one.since}
            listed.append({**facts, "counts": one in own})
    except PenstockError as broken:
        error = error or broken
    return page(
        request,
        "passkeys.html",
        status=status_of(error) if error else 200,
        here="passkeys",
        listed=listed,
        key=key_of(request, here),
        origin=world.origin,
        most_label=MOST_LABEL,
        code=_waiting_code(request),
        phone=world.phone is not None,
        computer=world.computer,
        error=error,
    )


def options(request: Request) -> Response:
    """Return what the browser is asked to make; the challenge is this session's."""
    here, session = place(request), _session(request)
    world_of(request).prover.admit(here, command="page passkey")
    session.registering = secrets.token_bytes(CHALLENGE_BYTES)
    made = creation_options(
        session.registering,
        approver=here.keys.current().public,
        origin=world_of(request).origin,
        known=here.keys.passkeys.added(),
    )
    return as_json(made)


def add(request: Request) -> Response:
    """Register what the browser made, if the passphrase is right."""
    here, form, world = place(request), form_of(request), world_of(request)
    session = _session(request)
    challenge, session.registering = session.registering, b""
    told = {"command": "page passkey"}

    def made() -> Passkey:
        if not challenge:
            raise InputError("bad-passkey", "nothing was asked for", hint="reload the page")
        return passkey_of(
            form.get("credential"),
            challenge=challenge,
            origin=world.origin,
            label=form.get("label"),
            at=here.gate.now().wall,
        )

    if world.remote:
        return _pair(request, here, made)

    def register(passphrase: str, code: str) -> None:
        from penstock.app.proof import add_passkey

        add_passkey(here, made(), passphrase, code or None, **told)

    return _with_passphrase(request, here, register, told)


def _pair(request: Request, here: Workspace, make: Callable[[], Passkey]) -> Response:
    """Have a passkey of another device wait for the passphrase at the computer."""
    world = world_of(request)
    try:
        world.prover.admit(here, command="page passkey")
        made = make()
        here.keys.passkeys.require_new(made)
    except PenstockError as error:
        return _page(request, here, error)
    name = _session(request).keep(PairingCode(code=world.pairings.add(made)))
    return RedirectResponse(f"/passkeys?pairing={name}", 303)


def _waiting_code(request: Request) -> str:
    """Return the code that this session's new passkey waits under, if it still does."""
    held = _session(request).results.get(request.query_params.get("pairing", ""))
    waits = isinstance(held, PairingCode) and world_of(request).pairings.waits(held.code)
    return held.code if isinstance(held, PairingCode) and waits else ""


def confirm(request: Request) -> Response:
    """Register the passkey of another device, if its code and the passphrase are right."""
    here, form, world = place(request), form_of(request), world_of(request)
    told = {"command": "page passkey"}
    typed = "".join(filter(str.isdecimal, form.get("pairing")))

    def register(passphrase: str, code: str) -> None:
        from penstock.app.proof import add_passkey

        add_passkey(here, world.pairings.find(typed), passphrase, code or None, **told)
        world.pairings.done(typed)

    return _with_passphrase(request, here, register, told)


def remove(request: Request) -> Response:
    """Remove a passkey, if the passphrase is right."""
    here, form = place(request), form_of(request)
    told = {"command": "page passkey"}

    def forget(passphrase: str, code: str) -> None:
        from penstock.app.proof import named_passkey, remove_passkey

        remove_passkey(here, named_passkey(here, form.get("id")), passphrase, code or None, **told)

    return _with_passphrase(request, here, forget, told)


def _with_passphrase(request: Request, here: Workspace, do: Any, told: dict[str, str]) -> Response:
    form, prover = form_of(request), world_of(request).prover
    passphrase, code = form.get("passphrase"), form.get("code").replace(" ", "")
    try:
        prover.admit(here, **told)
        with prover.tries(here, passphrase, who=_session(request).key, **told):
            do(passphrase, code)
    except PenstockError as error:
        return _page(request, here, error)
    return RedirectResponse("/passkeys", 303)


def locked(request: Request) -> Response:
    """Lock the session again."""
    lock(_session(request))
    return RedirectResponse("/", 303)


def challenge_response(answered: AnswerResult) -> Response:
    """Return what a passkey has to sign, for the script of the page."""
    if answered.error is not None:
        raise answered.error
    return as_json(
        {
            "challenge": as_text(answered.challenge),
            "credentials": [as_text(one) for one in answered.credentials],
        }
    )


def _session(request: Request) -> Session:
    session: Session | None = request.state.session
    if session is None:
        raise RefusedError("no-session", "this page needs a sign-in link from your terminal")
    return session
