"""The names that stay protected whatever a policy says, or when there is none to ask.

Penstock guards itself: an agent that can edit the rules, the hook's registration or the
record has no gate in front of it. The second list is what holds when a policy is broken and
no earlier one is known. Nothing here can be disabled from a rules file.
Always true: each name is protected whether or not it exists yet, at any depth, inside the
project and outside of it.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.model import COVERS, Action, Verdict
from penstock.core.own_commands import HOOK_PROGRAM, PROGRAMS
from penstock.core.policy.model import Layer
from penstock.core.policy.protected_names import (
    ENV_FILES,
    GIT,
    HOOK_REGISTRATIONS,
    INSTALLED,
    KEPT,
    KEYS,
    LOCK_FILES,
    NOT_ENV_FILES,
    NOT_KEYS,
    OWN_FILES,
    PUBLIC_KEYS,
    STATE,
    STEERS,
    STORES,
)
from penstock.core.policy.rule import Rule, Where

SELF_RULE = "penstock-self"
STATE_RULE = "penstock-state"
CODE_RULE = "penstock-code"
CODE_GONE_RULE = "penstock-code-removal"
NAME = "built-in"

PROTECTED = (*ENV_FILES, *STORES, *KEYS, *GIT, *INSTALLED, *LOCK_FILES)

# A program of our name in a directory of programs: people would type into it. The hook's is
# looked for on PATH, which may lead anywhere.
COMMANDS = (
    *(f"**/{folder}/{name}" for folder in ("bin", "sbin") for name in PROGRAMS),
    f"**/{HOOK_PROGRAM}",
)

WHERE = Where(file=NAME)


class Own(Struct, frozen=True, kw_only=True):
    """Absolute places that only the running program knows: what it keeps, what it is.

    `settings` are files of agents; they are protected by their names, and named here because
    whoever removes a directory above one removes it, too. `code` that lies in the workspace is
    relative to it. `vital` is what the hook cannot run without, in the workspace or not.
    """

    kept: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    vital: tuple[str, ...] = ()


NOTHING = Own()


def _whole(place: str) -> tuple[str, str]:
    """Return the globs of a place: itself, and everything below it."""
    anywhere = "**" if place.startswith("/") else ""
    return f"{anywhere}{place}", f"{anywhere}{place}/**"


def self_layer(*, literal: bool = False, protect: Own = NOTHING) -> Layer:
    """Return the layer that is part of every policy.

    With a spec's own format only Penstock's own files are in it, because there the spec says
    what happens to all others. `protect` adds places that only the running program knows.
    """
    kept = [glob for place in protect.kept for glob in _whole(place)]
    code = [glob for place in protect.code for glob in _whole(place)]
    names = OWN_FILES if literal else (*OWN_FILES, *HOOK_REGISTRATIONS)
    return Layer(
        name=NAME,
        rules=(
            Rule(
                id=SELF_RULE,
                verdict=Verdict.DENY,
                paths=names,
                description="files that configure Penstock and register its hooks",
                reason=STEERS,
                instead="ask the user to make the change",
                code="self-protection",
                where=WHERE,
            ),
            Rule(
                id=STATE_RULE,
                verdict=Verdict.DENY,
                actions=frozenset(Action) - {Action.RUN},
                paths=(*STATE, *kept),
                description="pending changes, stored file contents, the audit log and keys",
                reason=KEPT,
                instead="use `penstock proposals` and `penstock log`",
                code="self-protection",
                where=WHERE,
            ),
            Rule(
                id=CODE_RULE,
                verdict=Verdict.DENY,
                actions=COVERS[Action.WRITE] - {Action.DELETE},
                paths=(*COMMANDS, *code),
                description="the installed Penstock package",
                reason="{path} is part of the installed Penstock; agents may not change it",
                instead="ask the user to install another version",
                code="self-protection",
                where=WHERE,
            ),
            Rule(
                id=CODE_GONE_RULE,
                verdict=Verdict.DENY,
                actions=frozenset({Action.DELETE}),
                paths=(*COMMANDS, *code),
                not_paths=("**/__pycache__", "**/__pycache__/**"),  # made anew
                description="the installed Penstock package: removal",
                reason="{path} is part of the installed Penstock; agents may not change it",
                instead="ask the user to install another version",
                code="self-protection",
                where=WHERE,
            ),
        ),
    )


def protected_layer() -> Layer:
    """Return the layer that stands in for a policy that cannot be read."""
    both = COVERS[Action.READ] | COVERS[Action.WRITE]
    made = frozenset({Action.CREATE, Action.WRITE})
    installed = (*INSTALLED, *LOCK_FILES)
    return Layer(
        name="protected",
        rules=(
            _deny("builtin-env-files", ENV_FILES, both, NOT_ENV_FILES),
            _deny("builtin-secrets", STORES, both, PUBLIC_KEYS),
            _deny("builtin-keys", KEYS, both, NOT_KEYS),
            _deny("builtin-git", GIT, COVERS[Action.WRITE], INSTALLED),
            replace(_deny("builtin-installed", installed, made), not_by=WRITERS, inside=True),
        ),
    )


# Programs that write no content of their own into what is installed, or into a lock file.
WRITERS = ("git", "touch", "mkdir")
READ_OR_MODIFIED = "Protected path: {path} cannot be read or modified"
MODIFIED = "Protected path: {path} cannot be modified"


def _deny(
    name: str, paths: tuple[str, ...], actions: frozenset[Action], but: tuple[str, ...] = ()
) -> Rule:
    return Rule(
        id=name,
        verdict=Verdict.DENY,
        paths=paths,
        not_paths=but,
        actions=actions,
        reason=READ_OR_MODIFIED if Action.READ in actions else MODIFIED,
        code="path-denied",
        where=WHERE,
    )
