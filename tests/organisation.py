"""An organisation in tests: its key, its people with keys of their own, and bundles it signs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from penstock.core.bundle.document import KIND, canonical, sealed, statement
from penstock.core.bundle.public_key import key_text
from penstock.core.digest import digest
from penstock.core.proposals.signature import key_id, public_of, sign
from tests.project import Project

DAY = 86_400
NO_INFRA = """
version = 1
[[deny]]
id = "no-infra"
paths = ["infra/**"]
reason = "infra is changed by the platform team"
"""


@dataclass(frozen=True)
class Person:
    """Somebody with an approver key, whose secret half this test knows."""

    name: str

    @property
    def secret(self) -> bytes:
        return sha256(f"secret of {self.name}".encode()).digest()

    @property
    def public(self) -> bytes:
        return public_of(self.secret)

    @property
    def key_id(self) -> str:
        return key_id(self.public)

    def sign(self, said: bytes) -> tuple[str, str]:
        return sign(self.secret, said), self.key_id

    def approver(self, *groups: str) -> dict[str, object]:
        return {
            "name": self.name,
            "groups": [*groups],
            "key": key_text(self.public),
            "passkeys": [],
        }


ALICE, BOB, CAROL = Person("alice"), Person("bob"), Person("carol")


def policy(text: str) -> dict[str, object]:
    return {"main": "rules.toml", "files": {"rules.toml": text}}


def owner(*paths: str, groups: Sequence[str] = ("owners",), **more: object) -> dict[str, object]:
    usual = {"approvals": 1, "not_author": True}
    return {"paths": [*paths], "groups": [*groups], **usual, **more}


@dataclass
class Organisation:
    """Signs bundles; each follows the one before it unless it says otherwise."""

    name: str = "acme"
    now: float = field(default_factory=time.time)
    last: dict[str, Any] = field(default_factory=dict)

    @property
    def secret(self) -> bytes:
        return sha256(f"organisation {self.name}".encode()).digest()

    @property
    def public(self) -> bytes:
        return public_of(self.secret)

    @property
    def key(self) -> str:
        return key_text(self.public)

    def body(self, **said: Any) -> dict[str, Any]:
        """Return the next body, with some fields said otherwise."""
        previous = digest(canonical(self.last)) if self.last else ""
        return {
            "kind": KIND,
            "v": 1,
            "name": self.name,
            "version": self.last.get("version", 0) + 1,
            "previous": previous,
            "made": int(self.now) - 60,
            "expires": int(self.now) + 30 * DAY,
            "when_stale": "ask",
            "quorum": 0,
            "codeowners": True,
            "policies": {"all": policy(NO_INFRA)},
            "approvers": [],
            "owners": [],
            **said,
        }

    def bundle(self, **said: Any) -> bytes:
        """Return the next bundle, signed."""
        self.last = self.body(**said)
        return self.signed(self.last)

    def signed(self, body: dict[str, Any]) -> bytes:
        return sealed(body, public_of(self.secret), sign(self.secret, statement(body)))

    def pin(self, project: Project, url: str, more: str = "", person: str = "dave") -> None:
        """Name this organisation in the rules of a project's user, and who that is."""
        place = project.home / "config/penstock/penstock.toml"
        place.parent.mkdir(parents=True, exist_ok=True)
        table = f'[bundle]\nurl = "{url}"\nkey = "{self.key}"\nperson = "{person}"\n'
        place.write_text(f"version = 1\n{table}{more}")
