"""Telling an agent's shell from a person's terminal: by table, by process, in real terminals."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.stores.agents import ancestry as surroundings
from penstock.stores.agents.ancestry import ancestry, inside_agent, no_person, seen_here, watchers
from penstock.stores.agents.names import AGENTS, ProcessInfo, interesting

# Variables that an agent sets for what it runs.
INSIDE = [
    ("CLAUDECODE", "1", "Claude Code"),
    ("CLAUDE_CODE_ENTRYPOINT", "cli", "Claude Code"),
    ("CLAUDE_CODE_SESSION_ID", "x", "Claude Code"),
    ("CLAUDE_CODE_SOMETHING_NEW", "x", "Claude Code"),
    ("CODEX_SANDBOX", "seatbelt", "Codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "1", "Codex"),
    ("CODEX_THREAD_ID", "t", "Codex"),
    ("GEMINI_CLI", "1", "Gemini CLI"),
    ("CURSOR_AGENT", "1", "Cursor"),
    ("CURSOR_EXTENSION_HOST_ROLE", "agent-exec", "Cursor"),
    ("COPILOT_CLI", "1", "GitHub Copilot"),
    ("OPENCODE", "1", "OpenCode"),
    ("CLINE_ACTIVE", "true", "Cline"),
    ("WINDSURF_CASCADE_TERMINAL", "1", "Windsurf"),
    ("AMP_CURRENT_THREAD_ID", "t", "Amp"),
    ("AGENT", "amp", "Amp"),
    ("AGENT", "goose", "Goose"),
    ("GOOSE_TERMINAL", "1", "Goose"),
    ("QWEN_CODE", "1", "Qwen Code"),
    ("AI_AGENT", "whoever", "an agent"),
    ("PENSTOCK_AGENT", "mine", "an agent"),
]


@pytest.mark.parametrize(("name", "value", "agent"), INSIDE)
def test_a_variable_of_an_agent_tells(name: str, value: str, agent: str) -> None:
    why = inside_agent({"PATH": "/bin", "HOME": "/home/claude", name: value}, ())
    assert why is not None
    assert name in why
    assert agent in why
    assert interesting(name), "it is looked for in the processes above, too"


# What a person's own terminal may have.
OUTSIDE = [
    ({}, "nothing"),
    ({"HOME": "/home/claude", "USER": "claude", "PWD": "/home/claude/codex"}, "a name"),
    ({"CLAUDECODE": ""}, "an empty variable is as good as none"),
    ({"CLAUDE_CODE_USE_BEDROCK": "1", "CLAUDE_CODE_MAX_OUTPUT_TOKENS": "9"}, "settings"),
    ({"CLAUDE_CODE_OAUTH_TOKEN": "t", "CLAUDE_CONFIG_DIR": "/x"}, "a token, a directory"),
    ({"CLAUDE_CODE_SSE_PORT": "1", "TERM_PROGRAM": "vscode"}, "the extension's, in every terminal"),
    ({"CODEX_HOME": "/x", "CODEX_API_KEY": "k"}, "settings of Codex"),
    ({"GEMINI_API_KEY": "k", "GEMINI_MODEL": "m"}, "settings of Gemini"),
    ({"CURSOR_TRACE_ID": "t", "TERM_PROGRAM": "vscode"}, "Cursor's plain terminal"),
    ({"CURSOR_EXTENSION_HOST_ROLE": "user"}, "another role"),
    ({"AGENT": "ssh-agent", "SSH_AGENT_PID": "5"}, "another agent"),
    ({"COPILOT_MODEL": "m", "AIDER_MODEL": "m", "GOOSE_PROVIDER": "p"}, "settings"),
    ({"TERM_PROGRAM": "vscode"}, "an editor's terminal"),
    ({"PAGER": "cat", "GIT_PAGER": "cat"}, "someone who dislikes pagers"),
    ({"CLAUDE_PROJECT_DIR": "/p"}, "names a project, not who runs this"),
]


@pytest.mark.parametrize(("environ", "why"), OUTSIDE, ids=[row[1] for row in OUTSIDE])
def test_a_persons_variables_do_not(environ: dict[str, str], why: str) -> None:
    assert inside_agent(environ, ()) is None


def process(*argv: str, name: str = "", exe: str = "", **environ: str) -> ProcessInfo:
    return ProcessInfo(pid=42, ppid=1, name=name, argv=argv, exe=exe, environ=environ)


AGENT_PROCESSES = [
    (process("/usr/local/bin/claude-code"), "by the name of its package"),
    (process("Claude"), "as an application is named"),
    (process("claude"), "by what it was started as"),
    (process("/home/me/.local/bin/claude", "-p", "hello"), "by its path"),
    (process("bash", name="claude"), "by the name the kernel keeps"),
    (process("bash", exe="/opt/claude/claude"), "by its file"),
    (process("bash", exe="/opt/x/codex (deleted)"), "by its file, updated meanwhile"),
    (process("-claude"), "as a login shell"),
    (process("claude.exe"), "under Windows' rules"),
    (process("node", "/usr/local/bin/claude"), "a script that node runs"),
    (process("/usr/bin/node", "--max-old-space-size=4096", "/x/claude-code/cli.js"), "a package"),
    (process("node", "--require", "x.js", "/x/bin/gemini"), "after an option with a value"),
    (process("node", "/u/lib/node_modules/@anthropic-ai/claude-code/cli.js"), "installed"),
    (process("node", "/u/lib/node_modules/@openai/codex/bin/codex.js"), "installed"),
    (process("node", "/u/node_modules/@google/gemini-cli/dist/index.js"), "installed"),
    (process("node", "/u/node_modules/@github/copilot/index.js"), "installed"),
    (process("bun", "run", "/u/node_modules/opencode-ai/bin/opencode"), "by bun"),
    (process("node", "/x/gemini-cli/bundle/gemini.js"), "not installed by npm"),
    (process("agent", exe="/h/.local/share/cursor-agent/versions/1/node"), "Cursor's own node"),
    (process("codex"), "Codex"),
    (process("x", name="codex-linux-san"), "a name that the kernel has cut"),
    (process("gemini"), "Gemini"),
    (process("cursor-agent"), "Cursor's agent"),
    (process("copilot"), "Copilot"),
    (process("opencode"), "OpenCode"),
    (process("cline"), "Cline"),
    (process("amp"), "Amp"),
    (process("qwen"), "Qwen"),
    (process("python3.12", "/home/me/.venv/bin/aider", "--yes"), "a script that Python runs"),
    (process("python", "-m", "aider"), "a module"),
    (process("python3", "-Im", "aider.main"), "a module, options bundled"),
    (process("python3", "-X", "dev", "/x/aider.py"), "after an option with a value"),
    (process("goose", "session"), "Goose"),
    (process("devin"), "Devin"),
    (process("bash", "/usr/local/bin/claude", "-p", "x"), "a shell script around it"),
    (process("bash", "-e", "/usr/local/bin/claude"), "with an option"),
    (process("zsh", CLAUDECODE="1"), "a shell that an agent started, whatever it hides now"),
]


@pytest.mark.parametrize(
    ("above", "why"), AGENT_PROCESSES, ids=[f"{row[0].argv[0]} {row[1]}" for row in AGENT_PROCESSES]
)
def test_a_process_of_an_agent_tells(above: ProcessInfo, why: str) -> None:
    said = inside_agent({}, (process("penstock"), process("bash"), above, process("init")))
    assert said is not None
    assert "42" in said


PLAIN_PROCESSES = [
    (process("/home/claude/bin/bash", exe="/home/claude/bin/bash"), "a user called claude"),
    (process("sshd: claude@pts/0", name="sshd"), "a user called claude, logged in"),
    (process("su", "-", "claude"), "becoming claude"),
    (process("login", "--", "codex"), "a user called codex"),
    (process("vim", "codex.md", "claude"), "an editor with such files"),
    (process("nvim", "/home/me/claude-code/cli.js"), "an editor with the very file"),
    (process("emacs", "gemini"), "an editor"),
    (process("node", "/home/me/claude-projects/server.js"), "a directory that begins so"),
    (process("node", "/home/me/codex/build.js"), "a directory called codex"),
    (process("node", "/home/me/claude/dist/index.js"), "a directory called claude"),
    (process("node", "server.js", "/x/claude-code/cli.js"), "an argument of something else"),
    (process("node", "-e", "/x/claude-code/cli.js"), "a program in the arguments"),
    (process("bash", "-c", "claude -p hi"), "a command that names it, not it"),
    (process("bash", "-lc", "codex"), "options bundled"),
    (process("python3", "-c", "aider"), "a program in the arguments"),
    (process("python3", "/home/me/claude-code/.venv/bin/penstock", "approve"), "our own script"),
    (process("python", exe="/h/conda/envs/claude-code/bin/python3.11"), "an environment's name"),
    (process("/usr/share/cursor/cursor", "--type=renderer"), "the editor Cursor"),
    (process("/opt/Windsurf/windsurf"), "the editor Windsurf"),
    (process("code", "--type=ptyHost"), "VS Code"),
    (process("tmux: server"), "a multiplexer"),
    (process("claude-monitor"), "a longer name"),
    (process("myclaude"), "a longer name"),
    (process("grep", "claude"), "a search"),
    (process("tail", "-f", "/var/log/codex"), "a log"),
    (process("git", "commit", "-m", "aider"), "a message"),
    (process(""), "nothing"),
    (ProcessInfo(pid=7), "a process of which nothing is known"),
    (process("python3"), "an interpreter at its prompt"),
    (process("python3", "-m"), "an option without its value"),
    (process("node", "-r"), "an option without its value"),
    (process("/lib/systemd/systemd", "--user"), "init"),
]


@pytest.mark.parametrize(("above", "why"), PLAIN_PROCESSES, ids=[row[1] for row in PLAIN_PROCESSES])
def test_other_processes_do_not(above: ProcessInfo, why: str) -> None:
    assert inside_agent({}, (above,)) is None


@given(st.lists(st.text(max_size=20), max_size=5), st.text(max_size=30), st.text(max_size=16))
def test_no_process_is_too_strange_to_be_looked_at(argv: list[str], exe: str, name: str) -> None:
    inside_agent({}, (ProcessInfo(pid=1, argv=tuple(argv), exe=exe, name=name),))


def test_more_processes_than_anyone_has_are_not_believed() -> None:
    deep = (*(process("sh") for _ in range(3)), ProcessInfo(pid=9, cut=True))
    assert "parent processes" in (inside_agent({}, deep) or "")


def test_every_agent_can_be_known_by_something() -> None:
    for agent in AGENTS:
        assert agent.marks or agent.prefix or agent.programs, agent.name
    assert len({agent.name for agent in AGENTS}) == len(AGENTS)


# Real processes


def test_the_processes_above_this_one_are_found() -> None:
    found = ancestry()
    assert found[0].pid == os.getpid()
    assert found[1].pid == os.getppid()
    assert found[0].exe == os.path.realpath(sys.executable)
    assert found[0].argv[1:] == tuple(sys.orig_argv[1:])
    assert not found[-1].cut


def test_only_variables_of_the_table_are_looked_at_in_others() -> None:
    environ = {"SECRET": "s", "PENSTOCK_AGENT": "x", "CODEX_HOME": "/h", "PATH": os.environ["PATH"]}
    with subprocess.Popen(
        ["/bin/cat"], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(b"there\n")
        child.stdin.flush()
        child.stdout.readline()  # before this it may still have our own variables
        assert ancestry(child.pid)[0].environ == {"PENSTOCK_AGENT": "x", "CODEX_HOME": "/h"}


def test_a_process_that_is_gone_has_no_ancestry() -> None:
    child = subprocess.Popen(["/bin/true"])
    child.wait()
    assert ancestry(child.pid) == ()


def test_processes_are_found_with_ps_where_there_is_no_proc(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = ancestry()
    monkeypatch.setattr(os.path, "isdir", lambda path: False)
    found = ancestry()
    assert [one.pid for one in found] == [one.pid for one in real]
    assert found[0].argv[0] == real[0].argv[0]


def test_the_list_of_ps_is_read_as_it_comes() -> None:
    table = surroundings._Table(
        "  7     1 /sbin/launchd\n 42     7 node /opt/claude-code/cli.js -p x\nnonsense\n  9 x y\n"
    )
    found = table.get(42)
    assert found is not None
    assert found.ppid == 7
    assert inside_agent({}, (found,))
    assert table.get(9) is None
    assert table.get(8) is None


def test_without_ps_nothing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings, "PS", ("/nonexistent/ps",))
    assert surroundings._ps() == ""


def test_a_chain_that_never_ends_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings, "_from_proc", lambda pid: ProcessInfo(pid=pid, ppid=pid + 1))
    found = ancestry(5)
    assert len(found) == surroundings.DEPTH + 1
    assert inside_agent({}, found)


def test_a_machine_that_belongs_to_an_agent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(surroundings, "WHOLE_MACHINE", {str(tmp_path): "Devin"})
    assert "Devin" in (seen_here({}) or "")


def test_without_a_terminal_there_is_no_person() -> None:
    read, write = os.pipe()
    assert no_person(stdin=read) == "standard input is not a terminal"
    os.close(read)
    os.close(write)
    assert no_person(stdin=9999) == "standard input is not a terminal"


# Real terminals. `agent.py` opens a terminal for a command as agents do; the command asks
# whether a person sits there.

AGENT = """
import os, pty, signal, subprocess, sys

way, argv = sys.argv[1], sys.argv[2:]

def relay(master, end):
    # pass on what comes from the terminal until it says something
    seen = b""
    while end not in seen:
        try:
            data = os.read(master, 4096)
        except OSError:
            break
        if not data:
            break
        seen += data
        os.write(1, data)

if way == "fork":           # the usual way: the terminal is the command's own
    pid, master = pty.fork()
    if pid == 0:
        os.execv(argv[0], argv)
    relay(master, b"END")
    os.waitpid(pid, 0)
elif way == "borrowed":     # a terminal that is not the session's
    master, slave = pty.openpty()
    child = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    relay(master, b"END")
    child.wait()
elif way == "orphan":       # forked twice: only init stands above the command
    pid, master = pty.fork()
    if pid == 0:
        read, write = os.pipe()
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.close(write)
                os.read(read, 1)   # until everybody above is gone
                os.execv(argv[0], argv)
            os._exit(0)
        os.close(read)
        os.wait()
        os.write(1, b"READY")
        signal.pause()
    relay(master, b"READY")
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    relay(master, b"END")
"""
PROBE = "from penstock.stores.agents.ancestry import no_person; print('ANSWER', no_person(), 'END')"


@pytest.fixture
def stage(tmp_path: Path) -> Path:
    if seen_here():
        pytest.skip("these tests run inside an agent themselves")
    (tmp_path / "agent.py").write_text(AGENT)
    for name in ("claude", "codex", "someone"):
        os.symlink(os.path.realpath(sys.executable), tmp_path / name)
    return tmp_path


def clean() -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if not interesting(name)}


def answer(*argv: str | Path, **environ: str) -> str:
    """Run a command and return what the probe at its end says."""
    told = subprocess.run(
        [os.fspath(part) for part in argv],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**clean(), **environ},
    )
    assert "ANSWER" in told.stdout, told.stderr
    return told.stdout.partition("ANSWER ")[2].partition(" END")[0]


PROBING = (sys.executable, "-c", PROBE)


@pytest.mark.parametrize("way", ["fork", "borrowed"])
def test_a_terminal_that_someone_opened_is_a_persons(stage: Path, way: str) -> None:
    assert answer(stage / "someone", stage / "agent.py", way, *PROBING) == "None"


@pytest.mark.parametrize("way", ["fork", "borrowed"])
@pytest.mark.parametrize(("name", "agent"), [("claude", "Claude Code"), ("codex", "Codex")])
def test_a_terminal_that_an_agent_opened_is_not(
    stage: Path, way: str, name: str, agent: str
) -> None:
    assert agent in answer(stage / name, stage / "agent.py", way, *PROBING)


def test_another_name_for_the_process_is_enough(stage: Path) -> None:
    run = shlex.join([sys.executable, str(stage / "agent.py"), "fork", *PROBING])
    assert "Claude Code" in answer("bash", "-c", f"exec -a claude {run}")


def test_a_script_that_node_runs_is_enough(stage: Path) -> None:
    os.symlink(os.path.realpath(sys.executable), stage / "node")
    (stage / "claude-code").mkdir()
    (stage / "claude-code" / "cli.js").write_text(AGENT)
    assert "Claude Code" in answer(
        stage / "node", stage / "claude-code" / "cli.js", "fork", *PROBING
    )


def test_shells_and_clean_variables_in_between_change_nothing(stage: Path) -> None:
    run = shlex.join(["env", "-i", "setsid", "-w", *PROBING])
    inside = ("/bin/bash", "-c", f"bash -c {shlex.quote(run + '; true')}; true")
    assert "Claude Code" in answer(
        stage / "claude", stage / "agent.py", "fork", *inside, CLAUDECODE="1"
    )


def test_a_variable_alone_is_enough(stage: Path) -> None:
    said = answer(stage / "someone", stage / "agent.py", "fork", *PROBING, CLAUDECODE="1")
    assert "CLAUDECODE" in said


def test_a_variable_that_is_removed_at_the_end_is_still_seen_above(stage: Path) -> None:
    run = shlex.join(["env", "-u", "CLAUDECODE", *PROBING])
    inside = ("/bin/bash", "-c", f"{run}; true")
    said = answer(stage / "someone", stage / "agent.py", "fork", *inside, CLAUDECODE="1")
    assert "CLAUDECODE" in said
    assert "process" in said


def test_a_process_without_parents_is_known_by_who_holds_its_terminal(stage: Path) -> None:
    """Forked twice into a session of its own: nothing above it but init."""
    said = answer(stage / "claude", stage / "agent.py", "orphan", *PROBING)
    assert "Claude Code" in said


def test_an_orphan_of_nobody_in_particular_is_not_accused(stage: Path) -> None:
    assert answer(stage / "someone", stage / "agent.py", "orphan", *PROBING) == "None"


def test_looking_at_terminals_finds_whoever_holds_them() -> None:
    import pty

    master, slave = pty.openpty()
    try:
        assert os.getpid() in [one.pid for one in watchers((slave,))]
    finally:
        os.close(master)
        os.close(slave)
