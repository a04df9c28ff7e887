"""The policy in force: read from the rules files of a project, the user and a door.

What the files mean is the core's; where they lie is the stores'.
Always true: looking keeps nothing; while the rules are broken, those that were last good and the
built-in ones stay in force.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from penstock.app.rules.organisation import organisation_levels
from penstock.core.distribution import LIBRARIES
from penstock.core.errors import InputError, of_system
from penstock.stores.rules.last_good import kept
from penstock.stores.system.places import IN_HOME, home, rules_of, state_home, user_rules

if TYPE_CHECKING:
    from penstock.core.policy.builtin import Own
    from penstock.core.policy.model import Policy
    from penstock.core.rules.layers import LoadResult

LARGEST_RULES = 16 * 1024 * 1024


def read_rules(path: str) -> bytes | None:
    """Return a rules file's bytes; None when there is none."""
    try:
        with open(path, "rb") as file:
            return file.read(LARGEST_RULES)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as fault:
        raise InputError(
            "rules-unreadable",
            f"can't read the rules in `{path}`",
            because=fault.strerror or str(fault),
        ) from None


Reading = Callable[[str], bytes | None]


def policy_of(
    root: str,
    *,
    state: str = "",
    policy_file: str | None = None,
    others: Sequence[LoadResult] = (),
    read: Reading | None = None,
) -> Policy:
    """Return the policy in force for a workspace, or for one named file.

    While the rules are broken, those that were last good stay in force if `state` kept them.
    `others` are levels that a door brings along; they stay in force either way.
    """
    project = os.path.abspath(policy_file) if policy_file else _rules_in(root)
    read = read or read_rules
    if policy_file and read(project) is None:
        raise InputError(
            "not-found", f"there is no rules file `{policy_file}`", hint="check the path"
        )
    user = "" if policy_file else user_rules()
    policy = _in_force(read, project, user, others)
    files = kept(state) if policy.degraded and state else {}
    if files:
        last_good = _in_force(files.get, project, user, others, bundle_by=read)
        policy = _in_force(read, project, user, others, last_good)
    if policy_file:
        return policy
    from penstock.app.rules.nested_rules import NestedRules

    return replace(policy, nested=NestedRules(root, read))


def policy_at(root: str, read: Reading) -> Policy:
    """Return the policy of a workspace as something else than the disk has its rules files."""
    from penstock.app.rules.nested_rules import NestedRules

    own = rules_of(root)
    project = next((path for path in own if read(path) is not None), own[0])
    policy = _in_force(read, project, user_rules(), bundle_by=read_rules)
    return replace(policy, nested=NestedRules(root, read, stamp=lambda path: (path, 0, 0, 0)))


def policy_with(loaded: LoadResult) -> Policy:
    """Return the policy that a project's rules file, read already, is part of."""
    from penstock.core.rules.load import in_force

    own = own_places(os.path.dirname(loaded.name))
    return in_force(
        read_rules,
        project="",
        user=user_rules(),
        others=(loaded,),
        protect=own,
        above=lambda level: organisation_levels(level, read_rules),
    )


def _rules_in(root: str) -> str:
    """Return the rules file of a workspace, or where it would be."""
    own = rules_of(root)
    return next((path for path in own if os.path.lexists(path)), own[0])


def _in_force(
    read: Callable[[str], bytes | None],
    project: str,
    user: str,
    others: Sequence[LoadResult] = (),
    last_good: Policy | None = None,
    *,
    bundle_by: Reading | None = None,
) -> Policy:
    """Return the policy of some files; an organisation's bundle is read as it is on the disk."""
    from penstock.core.rules.load import in_force

    return in_force(
        read,
        project=project,
        user=user,
        others=others,
        last_good=last_good,
        protect=own_places(os.path.dirname(project)),
        above=lambda level: organisation_levels(level, bundle_by or read),
    )


def own_places(root: str) -> Own:
    """Return where Penstock keeps its state, what it runs from, and agents' settings at home.

    A package in the workspace that is not installed is the project's own: somebody works on
    Penstock there, and may edit it.
    """
    from penstock.core.policy.builtin import Own

    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    beside = os.path.dirname(package)
    environment = sys.executable.rpartition("/bin/")[0]
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    folders = dict.fromkeys((beside, f"{environment}/lib/{version}/site-packages"))
    libraries = [f"{folder}/{name}" for folder in folders for name in LIBRARIES.values()]
    try:
        interpreter = [sys.executable, os.path.realpath(sys.executable)]
    except OSError as fault:  # half of the places would be no protection
        raise of_system(fault) from None
    mark = [f"{environment}/pyvenv.cfg"] if os.path.lexists(f"{environment}/pyvenv.cfg") else []
    vital = [one for one in (*interpreter, *mark, package, *libraries) if one.startswith("/")]
    checkout = package.startswith(f"{root}/") and not beside.endswith("-packages")
    code = [place for place in vital if not (checkout and place == package)]
    return Own(
        kept=(state_home(),),
        code=tuple(place.removeprefix(f"{root}/") for place in code),
        settings=(*(f"{home()}/{file}" for file in IN_HOME), user_rules()),
        vital=tuple(vital),
    )
