"""What is known of the organisation's bundle on this machine, for those who only look.

Fetching one is `refresh`'s. Always true: nothing here asks a server, and where the user's own rules
name no bundle, nothing is read but those.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from penstock.app.rules.organisation import bundle_store
from penstock.core.bundle.settings import BundleSettings, bundle_settings
from penstock.core.digest import PREFIX
from penstock.core.errors import PenstockError
from penstock.core.text.quantities import duration
from penstock.core.timestamps import stamp
from penstock.stores.system.places import user_rules

if TYPE_CHECKING:
    from penstock.core.bundle.model import PolicyBundle
    from penstock.stores.bundle.keep import BundleStore

STALE_WORDS = {
    "ask": "what it allows needs approval",
    "deny": "everything is denied",
    "keep": "its rules stay active",
}


def own_settings() -> BundleSettings:
    """Return what the user's own rules say of a bundle. Raises RulesError where they are broken."""
    from penstock.app.rules.policy import read_rules

    if read_rules(user_rules()) is None:
        return BundleSettings()
    from penstock.core.rules.load import as_error, load

    level = load(user_rules(), read_rules)
    if not level.ok:
        raise as_error(level.problems)
    return bundle_settings(level.settings.get("bundle", {}))


def current_bundle(store: BundleStore, pinned: bytes) -> PolicyBundle | None:
    """Return the bundle in force; one that the pinned key did not sign is none."""
    from penstock.core.bundle.document import read_bundle

    data = store.current()
    try:
        return None if data is None else read_bundle(data, pinned)
    except PenstockError:
        return None


def bundle_status(now: float) -> dict[str, object] | None:
    """Return the bundle in force as data; None where the user's own rules name none."""
    try:
        settings = own_settings()
    except PenstockError:
        settings = BundleSettings(key=bundle_store().pin().key)
    if not settings.wanted:
        return None
    from penstock.core.bundle.address import shown_address
    from penstock.core.bundle.public_key import public_key

    store = bundle_store()
    news, bundle = store.news(), current_bundle(store, public_key(settings.key))
    found: dict[str, object] = {
        "url": shown_address(settings.url or news.url),
        "group": settings.group or None,
        "name": bundle.name if bundle else None,
        "version": bundle.version if bundle else None,
        "revision": bundle.digest if bundle else None,
        "expires": stamp(bundle.expires) if bundle else None,
        "expires_in_seconds": int(bundle.expires - now) if bundle else None,
        "stale": bundle.is_stale(now) if bundle else True,
        "when_stale": str(bundle.when_stale) if bundle else "ask",
        "age_seconds": int(now - bundle.made) if bundle else None,
        "checked": stamp(news.checked) if news.checked else None,
        "error": news.error or None,
        "code": news.code or None,
    }
    return found


def bundle_summary(found: Mapping[str, object]) -> str:
    """Return what `bundle_status` found, in one line."""
    if found["version"] is None:
        return "no valid policy bundle is on this machine; what is allowed needs approval"
    named = f"policy bundle {found['name']} version {found['version']}"
    revision = str(found["revision"]).removeprefix(PREFIX)[:12]
    age = duration(float(str(found["age_seconds"])))
    left = float(str(found["expires_in_seconds"]))
    if found["stale"]:
        then = STALE_WORDS[str(found["when_stale"])]
        return f"{named} ({revision}) has EXPIRED at {found['expires']}: {then}"
    return f"{named} ({revision}), {age} old, expires in {duration(left)}"
