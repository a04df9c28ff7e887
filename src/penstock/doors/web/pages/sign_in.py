"""Signing in on another device: with a passkey of the approver, or by a link from the terminal.

Always true: a session that was opened by a touch proves no more than one by a link; each approval
asks for a touch of its own. Without a session, nothing of the project is shown.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from penstock.core.errors import InputError, PenstockError, RefusedError
from penstock.core.proposals.passkey import Passkey, as_text
from penstock.doors.web.errors import status_of
from penstock.doors.web.middleware import as_json, inside
from penstock.doors.web.render import page
from penstock.doors.web.request import form_of, world_of
from penstock.doors.web.sessions import SESSION_SECONDS, TO, cookies_of
from penstock.doors.web.touch import touch_of

CERTIFICATE = "application/x-x509-ca-cert"


def show(request: Request) -> Response:
    """Show how to sign in."""
    return _page(request)


def _page(request: Request, error: PenstockError | None = None) -> Response:
    world = world_of(request)
    status = status_of(error) if error else 401
    made = bool(world.certificate)
    return page(request, "sign_in.html", status=status, error=error, certificate=made)


def options(request: Request) -> Response:
    """Return what a passkey is asked to sign; no passkey is named in it."""
    return as_json({"challenge": as_text(world_of(request).challenges.new()), "credentials": []})


def done(request: Request) -> Response:
    """Open a session for whoever touched a passkey of the approver's."""
    world = world_of(request)
    try:
        credential, touch = touch_of(form_of(request).get("touch"))
        passkey = _known(request, credential)
        wrong = world.challenges.fault(passkey, touch) if passkey else "it is not registered here"
        if wrong:
            raise RefusedError(
                "wrong-touch",
                "this touch of a passkey signs nobody in",
                because=wrong,
                hint="try again, or run `penstock open --qr` in your terminal",
            )
    except (InputError, RefusedError) as no:
        return _page(request, no)
    wanted = next(iter(cookies_of(request.headers, world.cookie_name(TO))), "")
    response = RedirectResponse(inside(wanted), 303)
    response.headers["Set-Cookie"] = world.cookie_line(world.sessions.begin()[0], SESSION_SECONDS)
    return response


def _known(request: Request, credential: bytes) -> Passkey | None:
    """Return the approver's passkey of this address that has this credential."""
    world = world_of(request)
    for here in world.workspaces:
        found = here.keys.passkey(credential) if here.keys.exists() else None
        if found is not None and found.origin == world.origin:
            return found
    return None


def certificate(request: Request) -> Response:
    """Give the certificate to install, where Penstock made it itself."""
    made = world_of(request).certificate
    if not made:
        raise InputError("no-page", "page not found")
    name = {"Content-Disposition": 'attachment; filename="penstock.crt"'}
    return Response(made, media_type=CERTIFICATE, headers=name)


def not_here(_request: Request) -> Response:
    """Say that rules are edited on the computer: that takes the passphrase."""
    raise RefusedError(
        "touch-only",
        "rules are edited on your computer",
        because="an edit of rules takes the passphrase, which this address does not accept",
        hint="open the page on your computer with `penstock open`",
    )
