"""What Penstock raises when it cannot go on, split by who acts next.

A "no" is a Decision, never an exception. Only doors print these, exit, or choose a status.
Always true: an error carries a stable code, what happened, why, and what to do about it.
"""


class PenstockError(Exception):
    """The base: a stable `code` and up to three sentences for a person."""

    def __init__(self, code: str, message: str, *, because: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.because = because
        self.hint = hint

    def __str__(self) -> str:
        return self.render()

    def render(self) -> str:
        """Return the error as a person reads it, one sentence a line."""
        lines = [f"error[{self.code}]: {self.message}"]
        if self.because:
            lines.append(f"  because: {self.because}")
        if self.hint:
            lines.append(f"  try: {self.hint}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, dict[str, str]]:
        """Return the error as the one document that `--json` prints."""
        return {
            "error": {
                "code": self.code,
                "message": self.message,
                "because": self.because,
                "try": self.hint,
            }
        }


class InputError(PenstockError):
    """The caller acts next: what was asked is not something we can understand or accept."""


class RulesError(PenstockError):
    """The rules author acts next: a policy does not hold together."""


class RefusedError(PenstockError):
    """A person acts next: this needs someone who may decide."""


class StaleError(PenstockError):
    """The agent acts next: the world moved, propose again."""


class AuditError(PenstockError):
    """The auditor acts next: the record cannot be written or does not hold."""


class StoreError(PenstockError):
    """The operator acts next: a disk, a database or a network did not do its part."""


def of_system(fault: OSError) -> StoreError:
    """Return our error for one of the system's that nobody expected."""
    what = f"can't use `{fault.filename}`" if fault.filename else "the operating system refused"
    return StoreError("system", what, because=(fault.strerror or str(fault)).lower())
