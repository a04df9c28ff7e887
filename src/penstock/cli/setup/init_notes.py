"""What a person has to know or do after `penstock init`.

Always true: the last sentence says how to check that it works.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from penstock.cli.extras import missing
from penstock.core.distribution import NAME, pip_install
from penstock.doors.hook.agents import agent_module

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.doors.setup.install import Wish
    from penstock.doors.setup.registrations import PlanStep


def notes(
    here: Workspace, wish: Wish, steps: list[PlanStep], *, found: bool, preset: str | None
) -> Iterator[str]:
    """Yield what is left to do, in the order in which it is done."""
    yield from _off(here, wish)
    yield from _observing(here, wish)
    yield from _scope(here, wish, steps)
    if not found:
        yield "no agent was found, so Claude Code was registered; use `--agent` for another one"
    if preset and not any(step.path.endswith("penstock.toml") for step in steps):
        yield "penstock.toml already exists and was kept; `--preset` has no effect"
    yield from _agents(wish)
    yield from _server(wish)
    yield "check that it works: `penstock doctor`"


def _agents(wish: Wish) -> Iterator[str]:
    from penstock.doors.setup.agents_present import LEFT

    for name in wish.agents:
        for sentence in LEFT[name]:
            yield f"{agent_module(name).TITLE}: {sentence}"


def _server(wish: Wish) -> Iterator[str]:
    if not wish.http:
        return
    if missing("web"):
        yield f"`penstock serve` needs the extra `web`: `{pip_install('web')}`"
    yield f"run `penstock serve --port {wish.port}`: while it is not running, writes are blocked"
    yield "the token in Claude Code's settings can judge calls, not approve changes"


def _scope(here: Workspace, wish: Wish, steps: list[PlanStep]) -> Iterator[str]:
    """Yield what a person has to know about where the hook is registered now."""
    from penstock.doors.setup.install import at_home
    from penstock.doors.setup.scopes import GLOBAL, LOCAL, SHARED, has_one_file

    title = {name: agent_module(name).TITLE for name in wish.agents}
    changed = {step.path for step in steps if step.changes}
    for name in at_home(here, wish) if wish.scope != GLOBAL else ():
        more = {
            LOCAL: "nothing was added for this project",
            SHARED: "both hooks judge each call, and the most restrictive answer wins",
        }
        yield f"{title[name]}: already registered for all your projects; {more[wish.scope]}"
    if wish.scope == SHARED:
        files = sorted(path for path in changed if path not in (".gitignore", "penstock.toml"))
        yield f"commit {', '.join([*files, 'penstock.toml', '.gitignore'])}"
        yield (
            f"colleagues need Penstock: `pipx install {NAME}`; until then their agents' calls "
            "are denied"
        )
    for name in wish.agents if wish.scope == LOCAL else ():
        if has_one_file(name) and name not in at_home(here, wish):
            yield (
                f"{title[name]}: its only project settings file now contains paths of this "
                "machine; don't commit it, or use `--shared`"
            )


def _observing(here: Workspace, wish: Wish) -> Iterator[str]:
    if wish.observe or here.policy().enforced is not None:
        from penstock.cli.rules.observe import LOUD

        yield LOUD


def _off(here: Workspace, wish: Wish) -> Iterator[str]:
    """Yield why a hook would not run although it is registered now; trust is asked for below."""
    from penstock.doors.doctor.ways_off import ways_off
    from penstock.doors.setup.agent_files import BAD, place_of

    for name in wish.agents:
        for finding in ways_off(name, place_of(here.root)):
            if finding.status == BAD and finding.name != "trust":
                yield f"{agent_module(name).TITLE}: {finding.what}; {finding.hint}"


def keyless(here: Workspace) -> str:
    """Say what an approval is worth without a key, and how to make one."""
    from penstock.app.approval_state import MAKE_KEY, approval_state

    return f"approvals: {approval_state(here).says}; create one with `{MAKE_KEY}`"
