"""Fetch the organisation's bundle and put it in force, once or for as long as a process runs.

Which bundle may follow which is settled in `core.bundle.trust`; a hook never waits for this.
Always true: a bundle is in force only after every check; whatever fails, the last good one stays,
and `status` says what was wrong.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from penstock.app.bundle.status import current_bundle, own_settings
from penstock.app.rules.organisation import bundle_store
from penstock.core.bundle.address import address_of
from penstock.core.bundle.document import read_bundle
from penstock.core.bundle.model import PolicyBundle
from penstock.core.bundle.public_key import public_key
from penstock.core.bundle.settings import BundleSettings
from penstock.core.bundle.trust import accept, groups_of
from penstock.core.errors import InputError, PenstockError
from penstock.core.rules.bundle_layer import group_level
from penstock.core.rules.load import as_error
from penstock.stores.bundle.fetch import fetch
from penstock.stores.bundle.keep import BundleNews, BundlePin, BundleStore
from penstock.stores.ship.secret import kept_secret
from penstock.stores.system.places import user_rules

LOOK_EVERY = 300.0  # seconds; a server that has nothing new answers with a word


def needed_settings() -> BundleSettings:
    """Return what the user's own rules say of a bundle. Raises InputError where they name none."""
    settings = own_settings()
    if not settings.wanted:
        raise InputError(
            "no-bundle",
            "no policy bundle is configured",
            hint="add `[bundle]` with `url` and `key` to your own rules",
        )
    return settings


class BundleStep(Struct, frozen=True, kw_only=True):
    """What a try brought: the bundle in force now, and whether it is another one than before."""

    bundle: PolicyBundle
    changed: bool


def fetch_bundle(*, environ: Mapping[str, str] | None = None) -> BundleStep:
    """Fetch the bundle that the user's own rules name, and put it in force if it is newer."""
    settings = needed_settings()
    store = bundle_store()
    with store.turn():
        before = store.news()
        known = before if before.url == settings.url else BundleNews(url=settings.url)
        tried = replace(known, checked=time.time(), code="", error="")
        try:
            step, etag = _fetched(settings, store, known.etag, environ or os.environ)
        except PenstockError as fault:
            store.note(replace(tried, code=fault.code, error=_said(fault)))
            raise
        taken = tried.checked if step.changed else known.taken
        store.note(replace(tried, etag=etag, taken=taken))
    return step


def _said(fault: PenstockError) -> str:
    return f"{fault.message}: {fault.because}" if fault.because else fault.message


def _fetched(
    settings: BundleSettings, store: BundleStore, etag: str, environ: Mapping[str, str]
) -> tuple[BundleStep, str]:
    pinned = public_key(settings.key)
    current = current_bundle(store, pinned)
    got = fetch(
        address_of(settings.url),
        etag=etag if current is not None else "",
        authorization=kept_secret(
            settings.authorization, environ, beside=os.path.dirname(user_rules())
        ),
        ca_file=settings.ca_file,
    )
    if got.data is None and current is not None:
        accept(current, current, now=time.time(), group=settings.group)
        return BundleStep(bundle=current, changed=False), got.etag
    data = got.data or b""
    new = read_bundle(data, pinned)
    news = accept(new, current, now=time.time(), group=settings.group)
    _require_levels(new, groups_of(new, settings.group))
    if news:
        store.put(new, data, BundlePin(key=settings.key, group=settings.group))
    return BundleStep(bundle=new, changed=news), got.etag


def _require_levels(bundle: PolicyBundle, groups: tuple[str, ...]) -> None:
    """Refuse a bundle whose rules do not load here, before it is in force."""
    for one in groups:
        level = group_level(bundle, one)
        if not level.ok:
            raise as_error(level.problems)


def verify_bundle(bundle: PolicyBundle, group: str | None, *, now: float) -> None:
    """Check a bundle as `fetch_bundle` does; with a group None, those of every group."""
    store = bundle_store()
    if group is None:
        accept(bundle, None, now=now, group=next(iter(bundle.policies)))
        _require_levels(bundle, tuple(bundle.policies))
        return
    current = current_bundle(store, public_key(own_settings().key))
    accept(bundle, current, now=now, group=group)
    _require_levels(bundle, groups_of(bundle, group))


# --- for as long as a process runs ---------------------------------------------------------


def refresh(say: Callable[[str], None], *, last: str = "") -> str:
    """Fetch once, if a bundle is configured; say a problem that is another than the last one."""
    try:
        if own_settings().wanted:
            fetch_bundle()
    except (PenstockError, OSError) as fault:
        said = fault.message if isinstance(fault, PenstockError) else str(fault)
        if said != last:
            say(f"the policy bundle was not refreshed: {said}")
        return said
    return ""


def start_refreshing(stopped: threading.Event, say: Callable[[str], None]) -> threading.Thread:
    """Fetch the bundle now and then in a thread, until it is stopped."""

    def run() -> None:
        problem = ""
        while not stopped.is_set():
            problem = refresh(say, last=problem)
            stopped.wait(LOOK_EVERY)

    thread = threading.Thread(target=run, name="bundle", daemon=True)
    thread.start()
    return thread
