"""What the hook door's modules say to each other: a call of an agent, and the answer to it.

Agents' modules make a HookCall from the agent's JSON and the agent's own words from a HookAnswer.
Always true: nothing is imported here, because a hook that starts cold loads it.
"""

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Document = Mapping[str, Any]  # what an agent sends
    Environ = Mapping[str, str]
    Entries = list[dict[str, Any]]  # what `init` writes (see `doors/setup/entries.py`)

# What a call is about, whatever the agent calls it.
BEFORE = "before"  # a tool is about to run
AFTER = "after"  # it has run
CONFIG = "config"  # the agent's own settings have changed
START = "start"  # a session begins
END = "end"  # the agent has done what it was asked for
OTHER = "other"  # nothing that concerns us

ALLOW, ASK, DENY = "allow", "ask", "deny"
SAYS_SO = ("Denied: ", "Protected path: ", "Production path: ", "Penstock: ")


class HookCall:
    """One call of the hook in our words.

    `root` is where the agent says the project is; `name` is the event as the agent calls it;
    `hook` is the number of the process that the agent has started for this call, if one was.
    """

    __slots__ = (
        "agent",
        "attended",
        "call_id",
        "cwd",
        "event",
        "hook",
        "name",
        "root",
        "session",
        "settings",
        "subagent",
        "tool",
        "tool_input",
    )

    def __init__(
        self,
        agent: str,
        event: str,
        *,
        tool: str = "",
        tool_input: "Mapping[str, Any] | None" = None,
        cwd: str = "",
        root: str = "",
        session: str = "",
        call_id: str = "",
        subagent: str = "",
        settings: str = "",
        attended: bool = False,
        name: str = "",
    ) -> None:
        self.agent = agent
        self.event = event
        self.tool = tool
        self.tool_input = tool_input or {}
        self.cwd = cwd
        self.root = root or cwd
        self.session = session
        self.call_id = call_id
        self.subagent = subagent
        self.settings = settings
        self.attended = attended
        self.name = name
        self.hook = 0


class HookAnswer:
    """What is said to the agent. `granted`: a rule said allow, not only a default.

    `reason` is for the agent and the person; `notes` are told to the agent beside any verdict.
    `warnings` are for the person: what could not be done, whatever the verdict.
    `claims` are files to remove once the answer has been printed (see `news`).
    """

    __slots__ = ("claims", "granted", "notes", "reason", "verdict", "warnings")

    def __init__(
        self,
        verdict: str = ALLOW,
        reason: str = "",
        *,
        notes: "tuple[str, ...]" = (),
        granted: bool = False,
        warnings: "tuple[str, ...]" = (),
    ) -> None:
        self.verdict = verdict
        self.reason = reason
        self.notes = notes
        self.granted = granted
        self.warnings = warnings
        self.claims: tuple[str, ...] = ()


class Reply:
    """The agent's own words: what to print, what to complain, how to exit.

    `claims` are files to remove once that is done.
    """

    __slots__ = ("claims", "code", "stderr", "stdout")

    def __init__(
        self, stdout: str = "", stderr: str = "", code: int = 0, claims: "tuple[str, ...]" = ()
    ) -> None:
        self.stdout = stdout
        self.stderr = stderr
        self.code = code
        self.claims = claims


SILENT = Reply()


def reply_of(module: "Any", call: HookCall, answer: HookAnswer) -> Reply:
    """Return an answer in the words of an agent's module; what went wrong is on stderr, too.

    People read it as well, so nothing in it is hidden.
    """
    answer.reason = _shown(_headed(answer))
    answer.notes = tuple([_shown(note) for note in answer.notes])
    answer.warnings = tuple([_shown(warning) for warning in answer.warnings])
    said: Reply = module.say(call, answer)
    if not answer.warnings and not answer.claims:
        return said
    stderr = said.stderr + warned(answer) + "\n" if answer.warnings else said.stderr
    return Reply(said.stdout, stderr, said.code, answer.claims)


def _headed(answer: HookAnswer) -> str:
    """Return the reason; a denial begins by saying so, unless it names a protected path."""
    text = answer.reason
    if answer.verdict != DENY or not text or text.startswith(SAYS_SO) or "; denied: " in text:
        return text
    return f"Denied: {text}"


def _shown(text: str) -> str:
    """Return a text with its hidden characters written out; most texts have none."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    from penstock.core.text.display import harmless

    return harmless(text)


def warned(answer: HookAnswer) -> str:
    """Return the warnings as one line."""
    return "; ".join(answer.warnings)


# Set by the hook itself: the directory it was started in, if that lies in a project with rules.
PROJECT = "PENSTOCK_PROJECT"


def started(environ: "Mapping[str, str]") -> str:
    """Return the project of the session, for agents that only tell where a command runs.

    An agent may run a command in another repository, and takes its rules along.
    """
    return environ.get(PROJECT, "")


def text(value: object) -> str:
    """Return a value if it is a text; agents send what they like."""
    return value if isinstance(value, str) else ""


def table(value: object) -> "dict[str, Any]":
    """Return a value if it is an object."""
    return value if isinstance(value, dict) else {}


def phrase(because: str, instead: str) -> str:
    """Return a reason as agents and people read it: why, then what to do instead."""
    return f"{because}. {instead[0].upper()}{instead[1:]}." if instead else because
