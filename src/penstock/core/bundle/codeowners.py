"""CODEOWNERS as GitHub and GitLab read it: patterns, each with the owners of what it matches.

Of a section the last pattern that matches a path counts, also one that names nobody; GitHub has
one section, GitLab as many as there are headings. An owner is `@name`, `@organisation/team` or an
address of mail; in a bundle they are approvers and groups of that name. A line with any other word
after its pattern is skipped, as the forges do; a negation is none, `!x` is a file of that name.
Always true: each section asks by itself, so that one more never makes a change easier to approve;
a file that can't be read whole asks for somebody who does not exist.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct, field

from penstock.core.paths.globs import matches

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
LARGEST = 3 * 1024 * 1024
MOST_LINES = 50_000
WILD = "*?"
NOBODY = "nobody: CODEOWNERS can't be read"
MOST_APPROVALS = 100

Line: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]  # globs, and who owns what they match


class OwnerSection(Struct, kw_only=True):
    """One section: its lines in their order, and how many of a line's owners have to approve."""

    approvals: int = 1
    usual: tuple[str, ...] = ()
    lines: list[Line] = field(default_factory=list)

    def owners(self, path: str) -> tuple[str, ...]:
        """Return who owns a path by this section; nobody is no owner."""
        for globs, owners in reversed(self.lines):
            if any(matches(glob, path) for glob in globs):
                return owners
        return ()


class CodeOwners(Struct, frozen=True, kw_only=True):
    """What a CODEOWNERS file says, section by section."""

    sections: tuple[OwnerSection, ...] = ()

    def owners(self, path: str) -> tuple[tuple[tuple[str, ...], int], ...]:
        """Return who owns a path, by each section that says so, and how many have to approve."""
        found = ((one.owners(path), one.approvals) for one in self.sections)
        return tuple((owners, count) for owners, count in found if owners and count)


# What stands for a file that is there and can't be read: everything has an owner, and it is nobody.
UNREADABLE = CodeOwners(sections=(OwnerSection(lines=[(("**",), (NOBODY,))]),))


def read_codeowners(data: bytes) -> CodeOwners:
    """Return what a CODEOWNERS file says."""
    lines = data.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
    if len(data) > LARGEST or len(lines) > MOST_LINES:
        return UNREADABLE  # its end may say more than its beginning
    sections = [OwnerSection()]
    for raw in lines:
        words = _words(raw)
        if words and words[0].startswith(("[", "^[")):
            sections.append(_section(" ".join(words)))
        elif words and all("@" in word for word in words[1:]):
            owners = tuple(map(_owner, words[1:])) or sections[-1].usual
            sections[-1].lines.append((_globs(words[0]), owners))
    return CodeOwners(sections=tuple(sections))


def _section(heading: str) -> OwnerSection:
    """Return the section of a heading: `[Docs][2] @owner`, or `^[Docs]`, which asks for nobody."""
    name, _, rest = heading.partition("]")
    number, bracket, more = rest.removeprefix("[").partition("]")
    counted = rest.startswith("[") and bracket and number.isascii() and number.isdigit()
    owners = (more if counted else rest).split()
    approvals = min(int(number[:9]), MOST_APPROVALS) if counted else 1
    return OwnerSection(
        approvals=0 if name.startswith("^") else approvals, usual=tuple(map(_owner, owners))
    )


def _words(raw: str) -> list[str]:
    """Return the words of a line without its comment; a backslash takes the next sign as it is.

    Globs have no word for a literal star: it is met as any one character.
    """
    words, at = [""], 0
    while at < len(raw):
        sign = raw[at]
        if sign == "\\" and at + 1 < len(raw):
            words[-1] += "?" if raw[at + 1] in WILD else raw[at + 1]
            at += 1
        elif sign == "#" and not words[-1]:
            break
        elif sign.isspace():
            words += [""] if words[-1] else []
        else:
            words[-1] += sign
        at += 1
    return [word for word in words if word]


def _owner(word: str) -> str:
    """Return an owner as a bundle names it: `@acme/payments` is the group `acme/payments`."""
    return word.removeprefix("@")


def _globs(pattern: str) -> tuple[str, ...]:
    """Return the globs of a pattern: what has that name, and all that lies below it."""
    anchored = "/" in pattern.rstrip("/")
    inner = pattern.strip("/")
    if not inner or pattern == "*":
        return ("**",)
    start = inner if anchored else f"**/{inner}"
    if pattern.endswith("/"):
        return (f"{start}/**",)
    if inner == "*" or inner.endswith("/*"):  # files of a directory, and not what lies deeper
        return (start,)
    return (start, f"{start}/**")
