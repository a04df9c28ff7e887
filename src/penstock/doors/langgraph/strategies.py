"""The four ways in which a person lets new content into a file.

How they join is the core's; here they have the spec's names and take text.
Always true: append, insert and extend keep everything that was there; an extend that cannot be
done becomes an append, and that is logged as a warning.
"""

from __future__ import annotations

from penstock.core.errors import InputError
from penstock.core.merge.strategies import combine
from penstock.doors.langgraph.config import LOG
from penstock.doors.langgraph.errors import InvalidInsertionPointError, UnknownStrategyError

ERRORS = {
    "bad-insertion-point": InvalidInsertionPointError,
    "unknown-strategy": UnknownStrategyError,
}


def apply_merge_strategy(
    target_path: str,
    new_content: str,
    strategy: str,
    existing_content: str,
    insertion_point: int | None = None,
) -> str:
    """Apply the selected merge strategy to combine contents.

    `insertion_point` is the line after which `insert` puts the new content; 0 is the top.
    Raises InvalidInsertionPointError and UnknownStrategyError.
    """
    old, new = (text.encode("utf-8", "surrogatepass") for text in (existing_content, new_content))
    try:
        merged = combine(old, new, strategy, at=insertion_point, path=target_path)
    except InputError as wrong:
        kind = ERRORS.get(wrong.code)
        if kind is None:
            raise
        raise kind(wrong.code, wrong.message, because=wrong.because, hint=wrong.hint) from None
    log_warnings(target_path, merged.warnings)
    return merged.content.decode("utf-8", "surrogatepass")


def log_warnings(path: str, warnings: tuple[str, ...]) -> None:
    """Log what a person should know about joined content."""
    for warning in warnings:
        LOG.warning("%s: %s", path, warning)
