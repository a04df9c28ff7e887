"""Where the broker's settings come from: `file_broker:` in a YAML file, or a mapping.

What the keys mean is settled in `core.rules.foreign`; here the file is found and kept an eye on.
Always true: a broker does not start on settings that it cannot understand; while a file that was
good is broken, what it said last stays in force; no write through the broker changes the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.errors import InputError
from penstock.core.model import COVERS, Action, Verdict
from penstock.core.policy.rule import Rule, Where
from penstock.core.rules.foreign import SECTION, read_file_broker
from penstock.core.rules.layers import LoadResult
from penstock.core.rules.problems import as_error

NAME = "config.yaml"

Given: TypeAlias = "str | os.PathLike[str] | Mapping[str, object] | None"


class Config(Struct, kw_only=True):
    """The settings of one broker; `file` is read again when it changes."""

    file: str
    root: str
    fixed: bytes | None = None
    good: LoadResult | None = None

    def level(self, data: bytes | None) -> LoadResult:
        """Return what the settings say now. Raises RulesError where they never were good."""
        said = self.fixed if self.fixed is not None else data
        found = read_file_broker(said, file=self.file)
        if found.problems and self.good is None:
            raise as_error(found.problems)
        if found.problems:
            return self.good or found
        self.good = replace(found, rules=(*found.rules, *self._own()))
        return self.good

    def _own(self) -> tuple[Rule, ...]:
        """What steers the broker is not changed through it."""
        inside = os.path.relpath(self.file, self.root)
        if inside.startswith("../"):
            return ()
        return (
            Rule(
                id="broker-config",
                verdict=Verdict.DENY,
                actions=COVERS[Action.WRITE],
                paths=(inside,),
                reason="{path} configures the broker; agents may not edit it",
                instead="ask the user to make the change",
                code="self-protection",
                where=Where(file=self.file),
            ),
        )


def config_of(root: str, given: Given) -> Config:
    """Return the settings that were given, or those of the workspace's own `config.yaml`."""
    own = os.path.join(root, NAME)
    if given is None:
        return Config(file=own, root=root)
    if isinstance(given, Mapping):
        whole = given if SECTION in given else {SECTION: dict(given)}
        return Config(file=own, root=root, fixed=_as_yaml(whole))
    path = os.path.realpath(os.fspath(given))
    if not os.path.isfile(path):
        raise InputError(
            "not-found", f"there is no settings file `{os.fspath(given)}`", hint="check the path"
        )
    return Config(file=path, root=root)


def _as_yaml(settings: Mapping[str, object]) -> bytes:
    """A mapping is read as the file that says the same: JSON is YAML, too."""
    try:
        return json.dumps(settings).encode()
    except (TypeError, ValueError) as wrong:
        raise InputError("bad-settings", "the settings are not plain", because=str(wrong)) from None
