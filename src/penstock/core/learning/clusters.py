"""Put calls together that a person would call the same: commands by what they run, paths by place.

A cluster is what its calls have in common: the program with its subcommand, the options that
were seen, or the directory and the ending of the files. From it comes one pattern to show and
one to match with; whether it should be allowed is `suggest`'s question.
Always true: a cluster's regex meets every plain call in it, is anchored at both ends, and meets
no text that holds a second command, a redirection, a substitution, a quote or a newline.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from penstock.core.learning.past_decision import Past
from penstock.core.policy.regexes import re_escape

# Words of a command that mean themselves to any shell: no quotes, expansions or operators.
PLAIN = re.compile(r"[A-Za-z0-9_./:@%+,=-]+(?: [A-Za-z0-9_./:@%+,=-]+)*")
LONGEST = 1000
# An operand: begins with no dash, slash or tilde, goes up with no `..`, and is no address: a
# colon stands only in pairs, as in `test_a.py::test_b`, and slashes never do.
_LETTER = "A-Za-z0-9_@%+,="
_PART = rf"(?:[{_LETTER}]|::|\.[{_LETTER}-])(?:[{_LETTER}-]|::|\.[{_LETTER}-])*"
OPERAND = rf"{_PART}(?:/{_PART})*/?|\."
MOST_LITERALS = 3  # operands that are named one by one before they are generalised
SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]*")

# Programs whose first operand says what they do.
_TWO = (
    "apt apt-get brew bun bundle cargo composer conda deno docker dotnet flutter gem gh git go"
    " gradle helm hg just kubectl make mix mvn npm nx pdm pip pip3 pipenv pnpm podman poetry rustup"
    " rye stack svn swift systemctl task terraform turbo uv yarn"
)
TWO_WORDS = frozenset(_TWO.split())
# Where even that says too little: what is run is the third.
THREE_WORDS = frozenset(
    [(tool, "run") for tool in ("npm", "pnpm", "yarn", "bun", "uv", "poetry", "pdm", "deno")]
    + [("docker", "compose"), ("go", "tool"), ("uv", "pip"), ("cargo", "run"), ("git", "stash")]
    + [(python, "-m") for python in ("python", "python3")]
)


class Cluster(Struct):
    """Calls that are alike. `head` are the words, or the directory, that all share."""

    tool: str
    kind: str  # "command", "path" or "compound"
    head: tuple[str, ...]
    ending: str = ""
    calls: Counter[str] = field(default_factory=Counter)
    pasts: list[Past] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many calls there are."""
        return sum(self.calls.values())

    @property
    def pattern(self) -> str:
        """The cluster as a person reads it."""
        if self.kind == "path":
            return path_glob(self)
        return " ".join(self.head)

    @property
    def examples(self) -> list[str]:
        """The commonest calls."""
        return [call for call, _ in self.calls.most_common(3)]


def clusters(decisions: Iterable[Past]) -> list[Cluster]:
    """Return the clusters of some calls, the largest first; calls about nothing are left out."""
    found: dict[tuple[str, str, tuple[str, ...], str], Cluster] = {}
    for past in decisions:
        place = _place(past)
        if place is None:
            continue
        kind, head, ending = place
        key = (past.tool, kind, head, ending)
        if key not in found:
            found[key] = Cluster(past.tool, kind, head, ending)
        found[key].calls[past.subject] += 1
        found[key].pasts.append(past)
    return sorted(found.values(), key=lambda one: (-one.count, one.head, one.ending))


def _place(past: Past) -> tuple[str, tuple[str, ...], str] | None:
    """Return which cluster a call belongs to."""
    if past.command:
        if is_plain(past.command):
            return "command", head_of(past.command), ""
        return "compound", _first_words(past.command), ""
    path = past.subject
    if not path:
        return None
    folder, name = posixpath.split(path)
    return "path", tuple(folder.split("/")[:4]), posixpath.splitext(name)[1]


def is_plain(command: str) -> bool:
    """Say whether a command is one program with plain words."""
    return len(command) <= LONGEST and PLAIN.fullmatch(command) is not None


def head_of(command: str) -> tuple[str, ...]:
    """Return the words that say what a plain command does."""
    words = command.split(" ")
    if len(words) == 1:
        return (words[0],)
    first, second, *rest = words
    if (first, second) in THREE_WORDS and rest and not rest[0].startswith("-"):
        return first, second, rest[0]
    named = first in TWO_WORDS and SUBCOMMAND.fullmatch(second)
    return (first, second) if named or (first, second) in THREE_WORDS else (first,)


def _first_words(command: str) -> tuple[str, ...]:
    """Return what a command that is more than one begins with, for showing only."""
    return tuple(re.split(r"[^A-Za-z0-9_./@%+,=-]", command[:200].strip(), maxsplit=1)[:1])


# --- patterns to match with ---------------------------------------------------------------------


def command_regex(cluster: Cluster) -> str:
    """Return a regex for a cluster of plain commands, in the language of the rules."""
    options, operands = _words_after(cluster)
    choices = [re_escape(option) for option in sorted(options)]
    choices += _operands(operands)
    head = " ".join(re_escape(word) for word in cluster.head)
    return f"^{head}(?: (?:{'|'.join(choices)}))*$" if choices else f"^{head}$"


def _words_after(cluster: Cluster) -> tuple[set[str], set[str]]:
    options: set[str] = set()
    operands: set[str] = set()
    for call in cluster.calls:
        for word in call.split(" ")[len(cluster.head) :]:
            (options if word.startswith("-") else operands).add(word)
    return options, operands


def _operands(words: set[str]) -> Iterator[str]:
    """Name a few operands one by one; generalise many, but never to places that none was in."""
    general = {word for word in words if re.fullmatch(OPERAND, word)}
    if len(general) > MOST_LITERALS - 1:
        yield OPERAND
    else:
        yield from (re_escape(word) for word in sorted(general))
    yield from (re_escape(word) for word in sorted(words - general))


def path_glob(cluster: Cluster) -> str:
    """Return a glob for a cluster of paths: their common directory, and their ending."""
    folder = common_folder(cluster)
    name = f"*{cluster.ending}" if cluster.ending else "*"
    deep = any(posixpath.dirname(path) != folder for path in cluster.calls)
    inner = f"**/{name}" if deep else name
    return f"{folder.rstrip('/')}/{inner}" if folder else inner


def common_folder(cluster: Cluster) -> str:
    """Return the directory that all paths of a cluster lie in."""
    folders = [posixpath.dirname(path).split("/") for path in cluster.calls]
    shared = []
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return "/".join(shared)


def path_regex(cluster: Cluster) -> str:
    """Return a regex for a cluster of absolute paths; nothing in it goes up."""
    folder = common_folder(cluster)
    deep = any(posixpath.dirname(path) != folder for path in cluster.calls)
    name = r"[A-Za-z0-9_@%+=-][A-Za-z0-9_@%+=.-]*"
    inner = f"(?:{name}/)*" if deep else ""
    return f"^{re_escape(folder.rstrip('/'))}/{inner}{name}{re_escape(cluster.ending)}$"
