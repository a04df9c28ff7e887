"""A project whose rules ask about everything, with proposals that an agent has made there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from penstock import app
from penstock.core.model import Actor
from penstock.core.proposals.model import Proposal
from penstock.gate import Gate, Item
from penstock.stores.system import places
from tests.project import Project

RULES = """
version = 1

[defaults]
write = "ask"

[[deny]]
id = "secrets"
paths = ["**/.env*"]
reason = "{path} is secret"

[[allow]]
id = "notes"
paths = ["notes/**"]
"""
AGENT = Actor(agent="an-agent", tool_call_id="call-1")


@contextmanager
def surroundings_of(project: Project) -> Iterator[None]:
    """Look for state and rules where the project's commands look for them."""
    kept = dict(os.environ)
    os.environ.update(project.environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


@contextmanager
def gate_of(project: Project) -> Iterator[Gate]:
    if not (project.root / "penstock.toml").exists():
        project.write("penstock.toml", RULES)
    with surroundings_of(project):
        yield app.open_gate(str(project.root))


def proposed(
    project: Project, files: dict[str, bytes | None], *, ttl: float | None = None
) -> tuple[Proposal, ...]:
    """Let an agent propose; several files are a set."""
    items = [Item(path=path, content=content) for path, content in files.items()]
    with gate_of(project) as gate:
        return gate.propose(items, actor=AGENT, ttl=ttl)


def one_proposed(
    project: Project, path: str, content: bytes | None, *, ttl: float | None = None
) -> str:
    return proposed(project, {path: content}, ttl=ttl)[0].id


def state_of(project: Project, proposal: str) -> str:
    with gate_of(project) as gate:
        found = gate.get(proposal)
    assert found is not None
    return str(found.state)


def state_dir(project: Project) -> Path:
    with surroundings_of(project):
        return Path(places.state_of(os.path.realpath(project.root)))


def events(project: Project, op: str = "") -> list[dict[str, object]]:
    """Return what is on the record, in order."""
    log = state_dir(project) / "audit.jsonl"
    found = [json.loads(line) for line in log.read_bytes().splitlines()]
    return [event for event in found if op in ("", event["op"])]


def ops(project: Project) -> list[object]:
    return [event["op"] for event in events(project)]
