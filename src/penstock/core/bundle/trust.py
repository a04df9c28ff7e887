"""Which bundle may take the place of another: the rules of trust, without files and network.

They answer the attacks that The Update Framework names. The checks carry numbers:
1. forged and altered bundles are refused before, by `document.read_bundle`;
2. rollback: a version only grows;
3. mix-and-match: one version is one bundle, and the next one names the digest of this one;
4. freeze: a bundle that has expired is not taken, and one in force goes by its `when_stale`;
5. a wrong clock: a bundle from the future is not taken;
6. a group that the bundle does not know gets no rules, so such a bundle is not taken either.
Always true: what is refused changes nothing; the bundle in force stays in force.
"""

from __future__ import annotations

from penstock.core.bundle.model import EVERYONE, PolicyBundle
from penstock.core.errors import InputError, PenstockError, RefusedError
from penstock.core.timestamps import stamp

STAYS = "the last valid bundle stays active"


def accept(new: PolicyBundle, current: PolicyBundle | None, *, now: float, group: str) -> bool:
    """Say whether a bundle is news; raise where it must not take the place of the current one."""
    if current is not None:
        _check_succession(new, current)  # (2), (3)
    if now >= new.expires:  # (4)
        raise RefusedError(
            "bundle-expired",
            f"the policy bundle {new.version} expired at {stamp(new.expires)}",
            because=f"this machine's clock says {stamp(now)}",
            hint=f"ask who publishes it for a newer one; {STAYS}",
        )
    if now < new.since:  # (5)
        raise RefusedError(
            "bundle-from-future",
            f"the policy bundle {new.version} is from the future",
            because=f"it was made at {stamp(new.made)}, and this machine's clock says {stamp(now)}",
            hint="set the clock of this machine, or of the one that builds bundles",
        )
    require_group(new, group)  # (6)
    return current is None or new.version > current.version


def _check_succession(new: PolicyBundle, current: PolicyBundle) -> None:
    if new.version < current.version:
        raise RefusedError(
            "bundle-rollback",
            f"the policy bundle has version {new.version}, but {current.version} is active",
            because="versions only grow; an older bundle may allow what is denied by now",
            hint=f"ask who publishes it; {STAYS}",
        )
    same = new.version == current.version
    if same and new.digest != current.digest:
        raise _mixed(f"there are two bundles of version {new.version}")
    if new.version == current.version + 1 and new.previous != current.digest:
        raise _mixed(f"it does not follow version {current.version} that is active here")


def _mixed(because: str) -> PenstockError:
    return RefusedError(
        "bundle-mixed",
        "the policy bundle does not continue the active one",
        because=because,
        hint=f"build it with `--previous` and the bundle before; {STAYS}",
    )


def groups_of(bundle: PolicyBundle, group: str) -> tuple[str, ...]:
    """Return the groups whose policies hold on a machine."""
    wanted = (EVERYONE, group) if group else (EVERYONE,)
    return tuple(one for one in dict.fromkeys(wanted) if one in bundle.policies)


def require_group(bundle: PolicyBundle, group: str) -> None:
    """Refuse a group that has no policy, and a machine without one where there is none for all."""
    if group and group not in bundle.policies:
        raise InputError(
            "bundle-group",
            f"the policy bundle has no group `{group}`",
            because=f"it has {', '.join(f'`{one}`' for one in sorted(bundle.policies)[:20])}",
            hint="fix `group` in `[bundle]` of your own rules",
        )
    if not groups_of(bundle, group):
        raise InputError(
            "bundle-group",
            "the policy bundle has no policy for this machine",
            because=f"it has no group `{EVERYONE}`, and your own rules name no group",
            hint="set `group` in `[bundle]` of your own rules",
        )
