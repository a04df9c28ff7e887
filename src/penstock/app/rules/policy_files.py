"""Which rules files are part of a policy in force, and whether that policy wants a person.

Who counts as a person is the gate's; what an edit would allow is the core's.
Always true: a file that no policy in force is made of is nobody's concern here; where a policy
cannot be read, a person is wanted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from penstock.app.rules.policy import policy_of, read_rules
from penstock.stores.rules.last_good import NAME, kept
from penstock.stores.system.places import (
    RULES,
    rules_of,
    state_home,
    state_of,
    user_rules,
    workspace_above,
)

SWITCH = "DECISION_REVIEWER_ALLOW_WRITES"
MOST_STATES = 1000
# What may stand in a rules file so that its settings have to be read; an escape can hide a word.
SETTINGS = (b"preset", b"approval", b"include", b"audit", b"\\u", b"\\U")


def switched_on() -> bool:
    """Say whether the switch that lets rules be edited is set."""
    return os.environ.get(SWITCH) == "1"


def wanting_person(paths: Sequence[str]) -> str:
    """Return the root of a workspace whose policy some files are part of, if it wants a person.

    Looked at are the projects that the files and this process are in, every known project that
    includes one of the files, and the user's rules. "" says that nobody's policy is concerned, or
    that each says `[approval] rules = "switch"`.
    """
    real = [os.path.realpath(path) for path in paths]
    return next((root for root in _roots(real) if _wants_person(root, real)), "")


def breaks(root: str, texts: Mapping[str, bytes | None]) -> str:
    """Return why the policy of a workspace would not load with some texts, where it loads now."""
    placed = {os.path.realpath(path): text for path, text in texts.items()}

    def read(path: str) -> bytes | None:
        real = os.path.realpath(path)
        return placed[real] if real in placed else read_rules(path)

    after = policy_of(root, state=state_of(root), read=read).degraded
    now = after and policy_of(root, state=state_of(root)).degraded
    return "the policy would no longer load" if after and not now else ""


def _wants_person(root: str, paths: Sequence[str]) -> bool:
    own = [*rules_of(root), user_rules()]
    nested = [path for path in paths if os.path.basename(path) == RULES]
    named = any(path in map(os.path.realpath, own) for path in paths)
    named = named or any(path.startswith(f"{root}/") for path in nested)
    if not any(map(_says_something, own)):
        return named  # these files are the whole policy, and the default is a person
    policy = policy_of(root, state=state_of(root))
    within = named or any(path in map(os.path.realpath, policy.files) for path in paths)
    return bool(policy.degraded) or (within and policy.approval.rules == "person")


def _roots(paths: Sequence[str]) -> Iterator[str]:
    found = [workspace_above(os.path.dirname(path)) for path in paths]
    with suppress(OSError):  # a directory that is gone: nobody works in it
        found.append(workspace_above(os.path.realpath(os.getcwd())))
    yield from dict.fromkeys((*found, *_including(paths)))


def _including(paths: Sequence[str]) -> Iterator[str]:
    """Yield the workspaces whose rules were last good with one of these files among them."""
    signs = [json.dumps(path).encode() for path in paths]
    for state in _states():
        text = read_rules(os.path.join(state, NAME))
        if text is None or not any(sign in text for sign in signs):
            continue
        roots = [os.path.dirname(file) for file in kept(state) if file.endswith(f"/{RULES}")]
        yield from (root for root in roots if state_of(root) == state)


def _states() -> list[str]:
    try:
        with os.scandir(state_home()) as found:
            return [one.path for one in found if one.is_dir()][:MOST_STATES]
    except OSError:
        return []


def _says_something(path: str) -> bool:
    """Say whether a file of rules may hold settings; without any, reading all of it is spared."""
    data = read_rules(path)
    return data is not None and any(word in data for word in SETTINGS)
