"""Judge a tool call: every request that it makes, by the policy, against the disk.

Always true: nothing is recorded or written, and what cannot be understood is denied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.model import Action, Decision, Request, Verdict
from penstock.core.paths.free_places import free_places
from penstock.core.policy.decide import combine, decide
from penstock.core.policy.model import Policy
from penstock.gate.call import denied
from penstock.gate.extent import CallExtent
from penstock.gate.look import DiskMemory, KnownRepositories
from penstock.gate.prepare import Call, Preparation, PreparedRequest
from penstock.ports import Files, Repositories

if TYPE_CHECKING:
    from penstock.gate.git.effects import GitEffects

SHOW_INSTEAD = "have the code use the value without printing or sending it"


class Judgement(Struct, frozen=True, kw_only=True):
    """The decision on a whole tool call, with each request behind it.

    `kept` are files that bring back what the call may lose besides those of its requests, each
    with its content where that is another than on the disk.
    `would` is there where rules only observe: what they say, while `decision` is what holds.
    """

    decision: Decision
    prepared: tuple[PreparedRequest, ...] = ()
    would: Decision | None = None
    kept: Mapping[str, bytes | None] = field(default_factory=dict)

    @property
    def by_all_rules(self) -> Judgement:
        """The same with what all rules say as the decision, also those that only observe.

        For a door through which Penstock itself reads and writes: there rules always hold.
        """
        return replace(self, decision=self.would) if self.would else self


def judge_call(
    files: Files,
    policy: Policy,
    call: Call,
    *,
    now: float,
    measures: bool = True,
    repositories: Repositories | None = None,
    memory: DiskMemory | None = None,
) -> Judgement:
    """Return the decision on a call at a time (seconds since 1970).

    Without `measures` no content is read: every file that is there may be lost whole. Without
    `repositories` nobody can tell what git commands change. Calls that share a `memory` are
    judged against one look at the disk.
    """
    memory = memory or DiskMemory()
    repositories = KnownRepositories(repositories, memory) if repositories else None
    said = _judged(files, policy, call, now, measures, repositories, memory)
    if policy.enforced is None:
        return said
    held = _judged(files, policy.enforced, call, now, measures, repositories, memory)
    return replace(said, decision=held.decision, would=said.decision)


def _judged(
    files: Files,
    policy: Policy,
    call: Call,
    now: float,
    measures: bool,
    repositories: Repositories | None,
    memory: DiskMemory,
) -> Judgement:
    free = free_places(root=files.root, home=call.home, temporary=call.temporary)
    preparation = Preparation(
        files,
        call,
        policy.gate.change_threshold,
        extent=CallExtent(files.root, free, repositories),
        measures=measures,
        guarded=policy.guarded,
        rule_files=policy.files,
        vital=policy.vital,
        memory=memory,
    )
    judged = [(one, _decide(one, policy, now)) for one in preparation.all()]
    heard = [(one, said) for one, said in judged if _counts(one, said)]
    if not preparation.git:
        return Judgement(
            decision=combine([said for _, said in heard], policy),
            prepared=tuple(one for one, _ in heard),
        )
    from penstock.gate.git.call import GitCall  # most calls are none of git's
    from penstock.gate.git.effects import GitEffects

    git = GitCall(preparation, repositories)
    heard += _of_git(GitEffects(git), policy, now)
    decision = combine([said for _, said in heard], policy)
    return Judgement(
        decision=replace(decision, notes=(*decision.notes, *git.notes)),
        prepared=tuple(one for one, _ in heard),
        kept=git.kept,
    )


def _of_git(
    git: GitEffects, policy: Policy, now: float
) -> Iterator[tuple[PreparedRequest, Decision]]:
    """Yield what the rules say of git's part; a file that it brings is told where one objects."""
    for one in git.requests(git.call.preparation.git):
        if isinstance(one, PreparedRequest):
            yield one, _decide(one, policy, now)
            continue
        said = decide(one.request, policy, now=now)
        if said.verdict is not Verdict.ALLOW:
            because = f"`{one.by}` would change `{said.path}`: {said.because}"
            yield PreparedRequest(request=one.request), replace(said, because=because)


def _counts(one: PreparedRequest, said: Decision) -> bool:
    """Say whether a request is one of the call; of a script only what a rule has against it."""
    if one.request.script:
        return said.verdict is not Verdict.ALLOW and one.problem is None
    return bool(said.reasons) or not _by_the_way(one.request)


def _by_the_way(request: Request) -> bool:
    """Say whether a request counts only where a rule speaks of it: a mention, a command's read."""
    return request.mention or (request.action is Action.READ and bool(request.by))


def _decide(one: PreparedRequest, policy: Policy, now: float) -> Decision:
    if one.problem is not None:
        return denied(one.problem, policy)
    said = decide(one.request, policy, now=now)
    if not one.request.script or said.verdict is Verdict.ALLOW:
        return said
    if one.later:
        because = f"`{one.request.script}` would show {said.path} when it runs"
        return replace(said, verdict=Verdict.ASK, because=because, suggestion=SHOW_INSTEAD)
    return replace(said, because=f"{said.because} (`{one.request.script}` does this when it runs)")
