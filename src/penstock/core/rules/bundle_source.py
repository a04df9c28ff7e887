"""The file that a bundle is built from, read into the body that is signed.

`bundle.toml` names the rules files of each group, the approvers with their keys, and the owners.
Rules are checked as they will be loaded, with everything that they include, and travel along whole.
Always true: a body that comes out is a valid bundle; what is wrong is said with the key it is in.
"""

from __future__ import annotations

import posixpath
import tomllib
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

from penstock.core.bundle.author import person
from penstock.core.bundle.document import KIND, Body, bundle_of
from penstock.core.bundle.model import PolicyBundle
from penstock.core.errors import InputError
from penstock.core.paths.globs import tidy
from penstock.core.rules.load import PRESET, as_error, load
from penstock.core.rules.values import glob_fault

DAY = 86_400
USUAL_DAYS = 30
TOP = frozenset(
    {"name", "expires", "valid_days", "when_stale", "quorum", "codeowners"}
    | {"policies", "approvers", "owners"}
)
APPROVER = frozenset({"name", "groups", "key", "passkeys"})
OWNER = frozenset({"paths", "groups", "approvals", "not_author"})

Read = Callable[[str], bytes | None]


def build_body(
    data: bytes, read: Read, *, now: float, previous: PolicyBundle | None = None
) -> Body:
    """Return the body of the next bundle. Raises InputError `bundle-source`, RulesError.

    `read` gives a file beside `bundle.toml` by its relative name.
    """
    held = _toml(data)
    _only(held, TOP, "the file")
    policies = held.get("policies")
    if not isinstance(policies, dict) or not policies:
        raise _wrong("`policies` names no rules file", 'write `all = "all.toml"` in [policies]')
    body = {
        "kind": KIND,
        "v": 1,
        "name": held.get("name", ""),
        "version": 1 if previous is None else previous.version + 1,
        "previous": "" if previous is None else previous.digest,
        "made": int(now),
        "expires": _expires(held, now),
        "when_stale": held.get("when_stale", "ask"),
        "quorum": held.get("quorum", 0),
        "codeowners": held.get("codeowners", True),
        "policies": {str(group): _policy(group, file, read) for group, file in policies.items()},
        "approvers": [_approver(one) for one in _tables(held, "approvers")],
        "owners": [_owner(one) for one in _tables(held, "owners")],
    }
    bundle = bundle_of(body)
    _check_owners(bundle)
    return body


def _toml(data: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as fault:
        raise _wrong(f"it is not TOML: {fault}", "fix the line") from None


def _wrong(because: str, hint: str) -> InputError:
    return InputError("bundle-source", "the bundle can't be built", because=because, hint=hint)


def _only(held: Mapping[str, object], known: frozenset[str], where: str) -> None:
    unknown = sorted(held.keys() - known)
    if unknown:
        names = ", ".join(f"`{one}`" for one in sorted(known))
        raise _wrong(f"{where} has the unknown key `{unknown[0][:80]}`", f"use {names}")


def _expires(held: Mapping[str, object], now: float) -> int:
    """Return when the bundle expires: at a date, or so many days from now."""
    given, days = held.get("expires"), held.get("valid_days", USUAL_DAYS)
    if given is None:
        if isinstance(days, bool) or not isinstance(days, int) or not 0 < days <= 3650:
            raise _wrong("`valid_days` is not a number of days", "write `valid_days = 30`")
        return int(now) + days * DAY
    try:
        when = datetime.fromisoformat(given) if isinstance(given, str) else given
        if isinstance(when, date) and not isinstance(when, datetime):
            when = datetime(when.year, when.month, when.day, tzinfo=UTC)
        if isinstance(when, datetime):
            return int((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        pass
    raise _wrong("`expires` is not a date", "write 2030-01-31 or 2030-01-31T12:00:00Z")


def _tables(held: Mapping[str, object], name: str) -> list[dict[str, Any]]:
    found = held.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise _wrong(f"`{name}` must be an array of tables", f"write [[{name}]]")
    return found


def _policy(group: str, file: object, read: Read) -> Body:
    """Return the rules files of one group: the named one, and all that it includes."""
    if not isinstance(file, str) or not file:
        raise _wrong(f"the policy of `{group}` is no file name", f'write `{group} = "rules.toml"`')
    main = posixpath.normpath(file)
    texts: dict[str, str] = {}

    def kept(path: str) -> bytes | None:
        if path.startswith(("/", "..")):
            raise _wrong(f"`{path}` lies outside of the directory of the bundle", "move it inside")
        data = read(path)
        if data is not None:
            texts[path] = data.decode("utf-8", "replace")
        return data

    level = load(main, kept)
    if not level.ok:
        raise as_error(level.problems)
    used = [name for name, _ in level.sources if not name.startswith(PRESET)]
    return {"main": main, "files": {name: texts[name] for name in used if name in texts}}


def _approver(held: dict[str, Any]) -> Body:
    _only(held, APPROVER, "an approver")
    passkeys = held.get("passkeys", [])
    return {
        "name": held.get("name", ""),
        "groups": held.get("groups", []),
        "key": held.get("key", ""),
        "passkeys": passkeys,
    }


def _owner(held: dict[str, Any]) -> Body:
    _only(held, OWNER, "an owner rule")
    return {
        "paths": held.get("paths", []),
        "groups": held.get("groups", []),
        "approvals": held.get("approvals", 1),
        "not_author": held.get("not_author", True),
    }


def _check_owners(bundle: PolicyBundle) -> None:
    """Refuse owners that nobody could ever satisfy, and globs that match nothing."""
    for rule in bundle.owners:
        for glob in rule.paths:
            fault = glob_fault(glob)
            if fault is not None:
                raise _wrong(f"`{glob[:200]}` in owners, {fault[0]}", fault[1])
            tidy(glob)
        able = {person(one.name) for one in bundle.approvers if one.belongs(rule.groups)}
        if len(able) < rule.approvals:
            raise _wrong(
                f"`{rule.paths[0]}` needs {rule.approvals} of {', '.join(rule.groups)}, "
                f"but the bundle has {len(able)}",
                "add approvers, or ask for fewer approvals",
            )
    everybody = {person(one.name) for one in bundle.approvers}
    if bundle.quorum > len(everybody):
        raise _wrong(
            f"`quorum` is {bundle.quorum}, but the bundle has {len(everybody)} approvers",
            "add approvers, or lower it",
        )
