"""`apply`: change rules files, as the reviewer's spec says it, in the order of a careful editor.

The write switch first; then the operation is read, edited in memory and validated; where the
policy wants a person behind rules that widen, one is asked for; and only then, under the lock,
the same steps are taken again on what is there, and the result goes through the gate.
Always true: a dry run writes nothing anywhere; every other try that the switch lets through
leaves a line in the reviewer's log, whatever became of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.app import rule_edits as app
from penstock.app.proof import who
from penstock.core.errors import AuditError, PenstockError, RefusedError, StaleError, of_system
from penstock.core.rule_edit.edit import Operation, commit_message, parse_operation, widens
from penstock.doors.reviewer import responses
from penstock.doors.reviewer.arguments import (
    ACTOR,
    SWITCH,
    ApplyArguments,
    operation_named,
    read_json,
)
from penstock.doors.reviewer.effect import effect, respect_people
from penstock.doors.reviewer.plan import EditPlan, aimed, planned
from penstock.doors.reviewer.responses import CommandResult, Document
from penstock.gate.rule_edit import RuleEdit
from penstock.ports import Version

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Proof

Prove = Callable[["Workspace", tuple[str, ...]], "Proof"]


class Apply(Struct, kw_only=True, dict=True):
    """One run of the command. `prove` gets the proof of a person, or raises RefusedError.

    With a workspace as `home` the edit belongs there, and needs a proof also where it widens
    nothing; `shown` is then the fingerprint of the plan that the person saw.
    """

    asked: ApplyArguments
    environ: Mapping[str, str]
    prove: Prove
    home: Workspace | None = None
    shown: str = ""
    ids: Callable[[], Mapping[str, str]] = dict  # of what was drafted for the proof, by file
    operation: str | None = None
    targets: tuple[str, ...] = ("",)
    error: PenstockError | None = None  # what stood against it, for callers that raise it

    def run(self) -> CommandResult:
        """Do what was asked and return the answer."""
        self.operation = operation_named(self.asked.json)
        if self.environ.get(SWITCH) != "1":
            self.error = RefusedError("writes-disabled", responses.DISABLED)
            return responses.switched_off(self.operation)
        try:
            return self._previewed() if self.asked.dry_run else self._logged()
        except PenstockError as error:
            return self._refused(error)
        except OSError as fault:
            return self._refused(of_system(fault))

    def _refused(self, error: PenstockError) -> CommandResult:
        self.error = error
        return responses.refused(self.operation, error)

    # -- reading ---------------------------------------------------------------------------

    def _read(self) -> Operation:
        operation = parse_operation(read_json(self.asked.json))
        fallback = self.asked.target_file
        if operation.to_commit and not (fallback or operation.target_file):
            operation = operation.for_files(app.logged_targets(operation.to_commit))
        self.targets = (operation.target_file or fallback,)
        found = aimed(operation, fallback, self.environ)
        self.targets = found.files
        return found

    def _plan(self, operation: Operation) -> EditPlan:
        plan = planned(operation)
        if self.shown and plan.fingerprint != self.shown:
            raise rules_changed()
        respect_people(plan, force=self.asked.force)
        return plan

    # -- dry run ---------------------------------------------------------------------------

    def _previewed(self) -> CommandResult:
        plan = self._plan(self._read())
        app.replaceable([*plan.after])
        document = responses.preview(
            self.operation or plan.operation.type,
            plan.files,
            plan.changes(dry_run=True),
            self._validation(plan),
            effect(plan),
            would_change=bool(plan.after),
        )
        return CommandResult(document=document, talk=(*self._talk(plan), *self._who_decides(plan)))

    def _who_decides(self, plan: EditPlan) -> tuple[str, ...]:
        """Say beforehand that a person will be needed."""
        reasons = _widens(plan)
        if not reasons or app.asks_person(plan.files) is None:
            return ()
        return (f"note: this needs confirmation by a person, because {reasons[0]}",)

    # -- the real run ----------------------------------------------------------------------

    def _logged(self) -> CommandResult:
        """Do it, and put what became of it into the reviewer's log."""
        log = app.reviewer_log()  # before anything else: no record, no write
        try:
            answer = self._tried()
            with suppress(AuditError):
                log.append(self._line(answer))
            return answer
        finally:
            log.close()

    def _tried(self) -> CommandResult:
        try:
            operation = self._read()
            if operation.type == "validate":
                return self._validated(operation)
            return self._written(operation)
        except PenstockError as error:
            return self._refused(error)
        except OSError as fault:
            return self._refused(of_system(fault))

    def _validated(self, operation: Operation) -> CommandResult:
        plan = self._plan(operation)
        info = responses.rollback_info((), "")
        document = responses.success(operation.type, (), info, self._validation(plan))
        return CommandResult(document=document, talk=self._talk(plan))

    def _written(self, operation: Operation) -> CommandResult:
        """Ask who has to be asked, then take the lock, and write what is then true."""
        proof, shown = self._proven(operation)
        paths, by = operation.files, self._by()
        with app.editing(paths, by=by, home=self.home) as write:
            plan = self._plan(operation)
            if proof is not None and plan.after != shown:
                raise StaleError(
                    "base-changed",
                    "the rules changed while this was being confirmed",
                    hint="review it again with --dry-run",
                )
            if proof is None:
                proof, _ = self._proven(operation, plan)
            return self._through_the_gate(plan, write, proof)

    def _proven(
        self, operation: Operation, plan: EditPlan | None = None
    ) -> tuple[Proof | None, Mapping[str, bytes]]:
        """Return a person's proof where rules would be widened and a policy wants one.

        Nobody is asked while others wait for the lock, unless the rules changed just then.
        """
        if plan is None and self.home is None and app.asks_person(operation.files) is None:
            return None, {}
        plan = plan or self._plan(operation)
        reasons = _widens(plan)
        here = self.home or (app.asks_person(plan.files) if reasons else None)
        return (self.prove(here, reasons), plan.after) if here else (None, {})

    def _through_the_gate(
        self, plan: EditPlan, write: app.Writing, proof: Proof | None
    ) -> CommandResult:
        if not plan.after:
            return self._done(plan, responses.rollback_info((), ""), ())
        message = commit_message(
            plan.operation,
            plan.edited.changes,
            applied_by=self._by(),
            timestamp=_now(),
            warnings=len(plan.checked.warnings),
        )
        names = ", ".join(path.rpartition("/")[2] for path in plan.after)
        edit = RuleEdit(
            versions=tuple(
                Version(path=path, before=plan.before[path], after=data)
                for path, data in plan.after.items()
            ),
            message="" if self.asked.no_commit else message,
            snapshot=f"chore(config): snapshot {names} before an edit\n",
            facts=self._facts(plan),
            proof=proof,
            ids=self.ids(),
        )
        done = write(edit)
        info = responses.rollback_info(done.kept, message.partition("\n")[0])
        return self._done(plan, info, done.notes)

    def _done(self, plan: EditPlan, info: Document, notes: tuple[str, ...]) -> CommandResult:
        document = responses.success(
            self.operation or plan.operation.type,
            plan.changes(dry_run=False),
            info,
            self._validation(plan),
        )
        talk = (*self._talk(plan), *(f"note: {note}" for note in notes))
        return CommandResult(document=document, talk=talk)

    # -- pieces ----------------------------------------------------------------------------

    def _validation(self, plan: EditPlan) -> Document:
        return responses.validation(plan.warnings(), forced=self.asked.force)

    def _talk(self, plan: EditPlan) -> tuple[str, ...]:
        if self.asked.force:
            return ()
        return tuple(f"warning: {one.message}" for one in plan.checked.warnings)

    def _facts(self, plan: EditPlan) -> dict[str, object]:
        ids = dict.fromkeys(one.rule_id for one in plan.edited.changes if one.rule_id)
        return {
            "operation": plan.operation.type,
            "rules": list(ids),
            "by": self._by(),
            "forced": self.asked.force or None,
        }

    def _by(self) -> str:
        said = self.asked.applied_by or self.environ.get(ACTOR, "")
        return said[:200] if said.strip() else who()

    def _line(self, answer: CommandResult) -> Document:
        """Return the line of the reviewer's log."""
        said = answer.document
        line: Document = {
            "timestamp": _now(),
            "operation": said["operation"],
            "applied_by": self._by(),
            "target_file": self.targets[0],
            **({"target_files": list(self.targets)} if len(self.targets) > 1 else {}),
            "changes": {"asked": _asked(self.asked.json), "done": said.get("changes", [])},
            "validation": said.get("validation", {"blocking_passed": False, "warnings": []}),
            "rollback_info": said.get("rollback_info"),
            "success": said["success"],
            "dry_run": False,
        }
        if not said["success"]:
            line |= {key: said[key] for key in ("error", "error_type", "details")}
        return line


def rules_changed() -> StaleError:
    """Return why an edit that was shown is not made: it would be another one now."""
    return StaleError(
        "base-changed",
        "the rules changed since this was shown, so nothing was changed",
        hint="review the new diff",
    )


def _widens(plan: EditPlan) -> tuple[str, ...]:
    return widens(plan.before, {**plan.before, **plan.after}) if plan.after else ()


def _asked(text: str) -> object:
    with suppress(PenstockError):
        return read_json(text)
    return None


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
