"""Between two calls a protected file changes: a person's work, unless a command still runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from penstock.doors.hook.daemon_client import launch
from tests.app.mailbox import Mailbox, mailbox
from tests.doors.hook.hooks import Hook, said
from tests.doors.hook.test_daemon import socket_of, within
from tests.project import Project

GIVEN = {"command": "make"}
# What each of them does once it is let go; it ends when the pipe `end` is closed.
WORK = "read go < {at}/go; echo leaked > {root}/.env; read end < {at}/end"
FORK_TWICE = (
    "import os\n"
    "if os.fork(): os._exit(0)\n"
    "os.setsid()\n"
    "if os.fork(): os._exit(0)\n"
    "os.execve('/bin/sh', ['sh', '-c', '''{work}'''], {environ})\n"
)
# How a command leaves a process behind; {work} is quoted for a shell already.
WAYS = {
    "background job": "sh -c {work} &",
    "nohup": "nohup sh -c {work} >/dev/null 2>&1 &",
    "setsid": "setsid sh -c {work} &",
    "job of a subshell": "(sh -c {work} &)",
    "setsid in a subshell": "(setsid sh -c {work} &)",
    "elsewhere": "cd /; (setsid sh -c {work} &)",
    "without variables": "(setsid env -i /bin/sh -c {work} &)",
    "elsewhere without variables": "cd /; (setsid env -i /bin/sh -c {work} &)",
    "elsewhere, an agent's": "cd /; (PWD=/ OLDPWD=/ CLAUDECODE=1 setsid sh -c {work} &)",
    "forked twice": "{python} -c {fork_twice}",
    "another name": "(exec -a sshd bash -c {work} &)",
}


class BackgroundCommand:
    """A command of an agent that leaves a process behind, which waits until it is let go."""

    def __init__(self, hook: Hook, pipes: Path) -> None:
        self.root, self.pipes = hook.project.root, pipes
        pipes.mkdir()
        for name in ("go", "end"):
            os.mkfifo(pipes / name)
        self._ends: list[int] = []

    def run(self, way: str) -> None:
        work = WORK.format(at=self.pipes, root=self.root)
        twice = FORK_TWICE.format(work=work, environ="dict(os.environ)")
        words = {"work": _quoted(work), "fork_twice": _quoted(twice), "python": sys.executable}
        subprocess.run(
            ["/bin/bash", "-c", WAYS[way].format(**words)],
            cwd=self.root,
            env={"HOME": "/root", "PATH": "/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=60,
            check=True,
        )
        assert within(self._reads("go")), "it waits by now"

    def _reads(self, name: str) -> Callable[[], bool]:
        """A pipe can be opened without waiting once somebody reads it."""

        def opened() -> bool:
            with suppress(OSError):
                self._ends.append(os.open(self.pipes / name, os.O_WRONLY | os.O_NONBLOCK))
                return True
            return False

        return opened

    def let_go(self) -> None:
        os.write(self._ends[-1], b"go\n")
        assert within(lambda: self.secret == "leaked\n")
        assert within(self._reads("end"))

    @property
    def secret(self) -> str:
        found = self.root / ".env"
        return found.read_text() if found.exists() else ""

    def end(self) -> None:
        """Let whatever still waits go on to its end."""
        waits = len(self._ends) == 1  # at the first pipe, and then at the second
        self._close()
        assert not waits or within(self._reads("end"))
        self._close()

    def _close(self) -> None:
        while self._ends:
            os.close(self._ends.pop())


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)


@pytest.fixture
def hook(project: Project) -> Hook:
    project.write("penstock.toml", 'preset = "guard"\n')
    project.write(".env", "KEY=1\n")
    found = Hook(project)
    found.call("SessionStart", "", {})
    return found


@pytest.fixture
def command(hook: Hook, tmp_path: Path) -> Iterator[BackgroundCommand]:
    found = BackgroundCommand(hook, tmp_path / "pipes")
    yield found
    found.end()


@pytest.fixture
def warm(hook: Hook) -> Iterator[Hook]:
    child = subprocess.Popen(
        launch("penstock.doors.hook.daemon"), env=hook.environ(), stderr=subprocess.DEVNULL
    )
    try:
        assert within(lambda: socket_of(hook) is not None)
        hook.resident = ""
        yield hook
    finally:
        child.kill()
        child.wait(timeout=30)


def slips(hook: Hook) -> list[tuple[str, str]]:
    found = [event for event in hook.events() if event["op"] == "slipped"]
    return [(event["path"], event.get("origin", "")) for event in found]


def told_before(hook: Hook, call: str = "t2") -> str:
    """Return what the agent is told before its next command."""
    done = hook.before("Bash", GIVEN, call)
    return str(said(done, warned=bool(done.err)).get("additionalContext", ""))


ROWS = [*((way, False) for way in WAYS), ("background job", True), ("setsid in a subshell", True)]


@pytest.mark.parametrize(("way", "ended"), ROWS)
def test_a_change_while_a_process_of_a_command_runs_is_of_unknown_origin(
    hook: Hook, command: BackgroundCommand, way: str, ended: bool
) -> None:
    hook.before("Bash", GIVEN, "t1")
    command.run(way)
    assert said(hook.after("Bash", GIVEN, "t1")) == {}
    command.let_go()
    if ended:
        command.end()
    told = told_before(hook)
    assert ".env" in told
    assert "while a background process of this session was running; origin unknown" in told
    assert slips(hook) == [(".env", "unknown")]
    assert told_before(hook, "t3") == "", "once"


@pytest.mark.parametrize("way", ["background job", "setsid in a subshell", "forked twice"])
def test_the_daemon_sees_the_same(warm: Hook, command: BackgroundCommand, way: str) -> None:
    warm.before("Bash", GIVEN, "t1")
    command.run(way)
    assert said(warm.after("Bash", GIVEN, "t1")) == {}
    command.let_go()
    assert "origin unknown" in told_before(warm)
    assert slips(warm) == [(".env", "unknown")]


def test_it_is_in_status_and_can_be_undone(hook: Hook, command: BackgroundCommand) -> None:
    hook.before("Bash", GIVEN, "t1")
    command.run("setsid")
    hook.after("Bash", GIVEN, "t1")
    command.let_go()
    done = hook.before("Bash", GIVEN, "t2")
    assert "origin unknown" in json.loads(done.out)["systemMessage"], "the person's side"
    assert "origin unknown" in done.err
    (event,) = [one for one in hook.events() if one["op"] == "slipped"]
    assert "tool_call_id" not in event, "no call is blamed for it"
    assert ".env" in hook.project.run("status").out
    assert hook.project.run("undo", "--path", ".env", "--yes").code == 0
    assert command.secret == "KEY=1\n"
    command.end()


def test_a_file_that_is_new_or_gone_is_told_too(
    hook: Hook, command: BackgroundCommand, project: Project
) -> None:
    hook.before("Bash", GIVEN, "t1")
    command.run("setsid")
    hook.after("Bash", GIVEN, "t1")
    (project.root / ".env").unlink()
    project.write("app/.env.local", "x\n")
    told = told_before(hook)
    assert sorted(slips(hook)) == [(".env", "unknown"), ("app/.env.local", "unknown")]
    assert ".env" in told
    assert "app/.env.local" in told


def test_neither_a_new_start_of_the_session_nor_other_rules_take_it_over(
    hook: Hook, command: BackgroundCommand, project: Project
) -> None:
    hook.before("Bash", GIVEN, "t1")
    command.run("setsid")
    hook.after("Bash", GIVEN, "t1")
    command.let_go()
    project.write("penstock.toml", 'preset = "guard"\n\n[[deny]]\nid = "x"\npaths = ["db/**"]\n')
    done = hook.call("SessionStart", "", {})
    assert "origin unknown" in done.out
    assert (".env", "unknown") in slips(hook)


def test_a_command_that_runs_beside_is_not_taken_for_a_person(
    hook: Hook, command: BackgroundCommand
) -> None:
    """Two calls at once: the first has not ended when the second begins."""
    hook.before("Bash", GIVEN, "t1")
    command.run("background job")
    command.let_go()
    assert "origin unknown" in told_before(hook)


def test_a_later_command_is_not_blamed_for_what_may_be_an_earlier_ones(
    hook: Hook, command: BackgroundCommand
) -> None:
    hook.before("Bash", GIVEN, "t1")
    command.run("nohup")
    hook.after("Bash", GIVEN, "t1")
    assert told_before(hook) == ""
    command.let_go()
    done = hook.after("Bash", GIVEN, "t2")
    assert "origin unknown" in said(done, warned=True)["additionalContext"]
    assert slips(hook) == [(".env", "unknown")]


# --- what stays a person's ------------------------------------------------------------------------

PERSON = {"HOME": "/root", "PATH": "/usr/bin:/bin"}
SAVE = "printf '%s\\n' KEY=2 > .env"


@pytest.fixture
def sleeper() -> Iterator[Callable[..., None]]:
    """Start processes that run until the test is over."""
    reader, writer = os.pipe()

    def start(*words: str, cwd: str) -> None:
        program = [*words, "/bin/bash", "-c", f"read end <&{reader}"]
        subprocess.run(
            ["/bin/bash", "-c", f'exec {writer}>&-; "$@" &', "bash", *program],
            cwd=cwd,
            env=PERSON,
            pass_fds=[reader, writer],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=60,
            check=True,
        )

    yield start
    os.close(writer)
    os.close(reader)


def command_ran(hook: Hook, call: str = "t1") -> None:
    hook.before("Bash", GIVEN, call)
    assert said(hook.after("Bash", GIVEN, call)) == {}


def test_what_a_person_saves_when_nothing_runs_is_taken_over(hook: Hook) -> None:
    command_ran(hook)
    subprocess.run(["sh", "-c", SAVE], cwd=hook.project.root, check=True, timeout=60)
    assert told_before(hook) == ""
    assert slips(hook) == []


def test_processes_that_are_older_than_the_command_are_nobodys_concern(
    hook: Hook, sleeper: Callable[..., None]
) -> None:
    """An agent's own servers, and an editor that a person opened before."""
    sleeper(cwd=str(hook.project.root))
    sleeper("setsid", cwd=str(hook.project.root))
    command_ran(hook)
    hook.project.write(".env", "KEY=2\n")
    assert told_before(hook) == ""


def test_a_program_that_a_person_starts_elsewhere_meanwhile_is_nobodys_concern(
    hook: Hook, sleeper: Callable[..., None]
) -> None:
    hook.before("Bash", GIVEN, "t1")
    sleeper("setsid", cwd="/")
    hook.after("Bash", GIVEN, "t1")
    hook.project.write(".env", "KEY=2\n")
    assert told_before(hook) == ""


def test_a_process_that_ended_before_the_command_did_is_over(
    hook: Hook, command: BackgroundCommand
) -> None:
    hook.before("Bash", GIVEN, "t1")
    command.run("background job")
    command.let_go()
    command.end()
    assert ".env" in said(hook.after("Bash", GIVEN, "t1"), warned=True)["additionalContext"]
    assert slips(hook)[0] == (".env", ""), "that was the command itself"


def test_files_that_nobody_protects_and_a_touch_are_not_told(
    hook: Hook, command: BackgroundCommand, project: Project
) -> None:
    hook.before("Bash", GIVEN, "t1")
    command.run("setsid")
    hook.after("Bash", GIVEN, "t1")
    project.write("src/a.py", "x\n")
    os.utime(project.root / ".env")
    assert told_before(hook) == ""
    assert slips(hook) == []
    command.let_go()
    assert "origin unknown" in told_before(hook, "t3"), "and watched as before"


def test_our_own_helpers_are_nobodys_concern(
    hook: Hook, project: Project, request: pytest.FixtureRequest
) -> None:
    """A daemon that came up meanwhile, and a process that is busy sending a message."""
    with mailbox() as box:
        box.open.clear()
        notify(project, box)
        hook.before("Bash", GIVEN, "t1")
        request.getfixturevalue("warm")
        project.write(".env", "KEY=2\n")
        assert (
            "queued for 1 target"
            in said(hook.after("Bash", GIVEN, "t1"), warned=True)["additionalContext"]
        )
        box.until(lambda: box.asked == 1)
        command_ran(hook, "t2")
        project.write(".env", "KEY=3\n")
        assert told_before(hook, "t3") == ""
        box.open.set()
        box.until(lambda: len(box.got) == 1)
    assert box.got[0]["title"] == "Penstock: .env changed despite the rules in project"


def notify(project: Project, box: Mailbox) -> None:
    folder = project.home / "config" / "penstock"
    folder.mkdir(parents=True, exist_ok=True)
    rules = f'[notify]\ntargets = ["{box.target}"]\nevery_seconds = 0\n'
    (folder / "penstock.toml").write_text(f"version = 1\n\n{rules}")
