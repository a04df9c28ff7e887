"""The organisation's rules, from the bundle that is kept on this machine, for the policy in force.

Fetching a newer one is `app.bundle`'s. The signature is checked each time that a policy is made:
the file is kept where an agent of the same user might write.
Always true: once a key is pinned, no valid bundle means that a person is asked, never that the
organisation's rules are left out.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.stores.system.places import state_home, user_rules

if TYPE_CHECKING:
    from penstock.core.audit.approval.owner_approvals import BundleTerm
    from penstock.core.bundle.settings import BundleSettings
    from penstock.core.policy.model import Policy
    from penstock.core.rules.layers import LoadResult
    from penstock.stores.bundle.keep import BundleStore

FOLDER = "bundle"
NEVER = "none was fetched yet"


def bundle_store() -> BundleStore:
    """Return where this user's bundles are kept."""
    from penstock.stores.bundle.keep import BundleStore

    return BundleStore(os.path.join(state_home(), FOLDER))


def organisation_levels(
    user: LoadResult | None, read: Callable[[str], bytes | None]
) -> tuple[LoadResult, ...]:
    """Return the levels that stand above the user's own, which says whose bundle it is.

    While the user's file is broken, what the bundle in force was taken by goes on to count.
    """
    if user is None or (user.ok and not user.settings.get("bundle", {}).get("key")):
        return ()
    settings = _settings(user)
    if not settings.wanted:
        return ()
    from penstock.core.bundle.document import read_bundle
    from penstock.core.bundle.public_key import public_key
    from penstock.core.bundle.trust import require_group
    from penstock.core.errors import PenstockError
    from penstock.core.rules.bundle_layer import bundle_levels, missing_level

    path = bundle_store().current_path
    try:
        data = read(path)
        if data is None:
            return (missing_level(NEVER, file=path),)
        bundle = read_bundle(data, public_key(settings.key))
        require_group(bundle, settings.group)
    except PenstockError as fault:
        return (missing_level(fault.message, file=path),)
    return bundle_levels(bundle, settings.group, file=path, person=settings.person)


def _settings(user: LoadResult) -> BundleSettings:
    from penstock.core.bundle.settings import BundleSettings, bundle_settings

    if user.ok:
        return bundle_settings(user.settings.get("bundle", {}))
    pin = bundle_store().pin()
    return BundleSettings(key=pin.key, group=pin.group)


def bundle_terms(policy: Policy) -> tuple[BundleTerm, ...]:
    """Return the bundles that were ever in force here and that the pinned key signed, in order."""
    from penstock.core.audit.approval.owner_approvals import BundleTerm
    from penstock.core.bundle.document import read_bundle
    from penstock.core.bundle.public_key import public_key
    from penstock.core.errors import PenstockError
    from penstock.core.timestamps import stamp

    key = str(policy.bundles.get(user_rules(), {}).get("key") or bundle_store().pin().key)
    found = []
    for data, since in bundle_store().kept() if key else ():
        with suppress(PenstockError):
            bundle = read_bundle(data, public_key(key))
            found.append(BundleTerm(bundle=bundle, since=stamp(since)))
    return tuple(sorted(found, key=lambda one: one.bundle.version))
