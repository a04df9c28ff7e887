"""Rights: a file that becomes executable, a link, and lines that give more rights than needed.

Always true: a mode that stays as it is says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock.core.file_mode import WORDS, FileMode
from penstock.core.proposals.flag import RiskFlag, RiskLevel
from penstock.core.review.risks.changed_text import ChangedText
from penstock.core.review.risks.sign import Sign
from penstock.core.text.display import visible

Modes = tuple[FileMode | None, FileMode | None]

SIGNS = (
    Sign(
        code="open-permissions",
        level=RiskLevel.DANGER,
        text="gives everybody the right to write, or a program its owner's rights",
        pattern="|".join(
            (
                r"\bchmod\b[^\n]*[ \t,](?:[0-7]?[0-7][0-7][2367]|[2467][0-7]{3}|[ugoa]*\+[rwx]*s"
                r"[rwx]*|(?:[ugoa]*[oa][ugoa]*)?\+[rxs]*w[rxs]*|a=rwx|o=[rx]*w[rx]*)(?:[ \t]|$)",
                r"\b(?:os\.chmod|chmodSync|os\.Chmod|fs\.chmod|fchmod|chmod)\([^\n]*\b0?o?[0-7]?[0-7]"
                r"[0-7][2367]\b",
                r"\bos\.umask\([ \t]*0(?:o?0*)?[ \t]*\)|\bumask[ \t]+0+(?:[ \t]|$)",
                r"\bsetcap\b[^\n]*cap_|\bicacls\b[^\n]*\beveryone\b",
            )
        ),
    ),
    Sign(
        code="passwordless-root",
        level=RiskLevel.DANGER,
        text="lets somebody become root without a password",
        pattern=r"\bNOPASSWD[ \t]*:|\bPermitRootLogin[ \t]+yes|\bPermitEmptyPasswords[ \t]+yes",
    ),
    Sign(
        code="makes-executable",
        level=RiskLevel.NOTICE,
        text="makes a file executable",
        pattern=r"\bchmod\b[^\n]*[ \t](?:[ugoa]*\+[rw]*x|0?[0-7]?7[0-7]{2})(?:[ \t]|$)"
        r"|git[ \t]+update-index[^\n]*--chmod=\+x",
    ),
    Sign(
        code="all-rights",
        level=RiskLevel.DANGER,
        text="gives every right on everything",
        pattern=r"(?i)\"Action\"[ \t]*:[ \t]*\[?[ \t]*\"\*\"|^[ \t-]*(?:actions?|verbs|resources)"
        r"[ \t]*[:=][ \t]*\[?[ \t]*[\"']\*[\"']|\bGRANT[ \t]+ALL\b|\bcluster-admin\b"
        r"|roles/owner\b|AdministratorAccess\b",
    ),
)


def mode_remarks(modes: Modes, content: bytes | None) -> tuple[str, ...]:
    """Return what a person must know of a change beyond its bytes, one sentence each."""
    was, mode = modes
    if mode is FileMode.LINK and content is not None:
        held = visible(content.decode("utf-8", "replace"), keep_newlines=False)
        place = f" in place of {WORDS[was]}" if was not in (None, FileMode.LINK) and was else ""
        return (f"symbolic link to `{held}`{place}",)
    if mode is None:
        return (f"removes {WORDS[was]}",) if was and not was.plain else ()
    if was is not None and mode is not was:
        return (f"mode {was} becomes {mode}: {WORDS[mode]}",)
    return (f"creates {WORDS[mode]}",) if was is None else ()


def of_mode(changed: ChangedText) -> Iterator[RiskFlag]:
    """Yield a flag where a change is more than the bytes of a file."""
    for text in mode_remarks(changed.modes, changed.after):
        code = "link" if changed.modes[1] is FileMode.LINK else "mode"
        yield RiskFlag(level=RiskLevel.NOTICE, code=code, text=text)
