"""What `[bundle]` of the rules files says, and whose word counts.

Always true: only the user's own file says where bundles come from and which key signs them; a
project that was cloned brings no organisation along.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

Levels = Mapping[str, Mapping[str, object]]


class BundleSettings(Struct, frozen=True, kw_only=True):
    """Where bundles come from; `authorization` is `env:NAME` or `file:PATH`, never a secret.

    `person` is who works on this machine, by the name that the bundle has for them.
    """

    url: str = ""
    key: str = ""
    group: str = ""
    person: str = ""
    authorization: str = ""
    ca_file: str = ""

    @property
    def wanted(self) -> bool:
        """True where the user pinned a key: from then on a bundle has to be there."""
        return bool(self.key)


def bundle_settings(said: Mapping[str, object]) -> BundleSettings:
    """Return what a `[bundle]` table says."""
    names = ("url", "key", "group", "person", "authorization", "ca_file")
    return BundleSettings(**{name: str(said.get(name) or "") for name in names})


def bundle_ignored(levels: Levels, *, user: str) -> tuple[str, ...]:
    """Return the files whose `[bundle]` does not count."""
    return tuple(file for file, said in levels.items() if file != user and said)
