"""Sessions with the real clients: a project and the model's steps in, a report out.

Each class knows how one client is started without a network, an account or a person. The rules
in force, the hooks and the files are whatever the project holds. The clients are told to ask
nobody about anything, so that whatever is refused was refused by a hook.
Always true: the client has the project's own home and none of our variables.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from tests.agents import inside, install, notes_mcp
from tests.agents.models import DIALECTS, Json, Result, Script, Step
from tests.ordinary_user import OrdinaryProject
from tests.project import Project

PATIENCE = 240.0  # seconds for one that hangs; on a busy machine a session takes a minute
SLOTS = 2  # more clients at once only make each other slow
KEY = "sk-ant-scripted-0000000000000000000000000000"
MCP = {"command": sys.executable, "args": ["-I", notes_mcp.__file__]}
# Claude Code's own sandbox: bubblewrap and socat; no command runs outside of it.
BOX = {"enabled": True, "failIfUnavailable": True, "allowUnsandboxedCommands": False}


@dataclass(frozen=True, kw_only=True, repr=False)
class Report:
    """What happened: how the client ended and what the model was told."""

    code: int | None
    out: str
    err: str
    results: tuple[Result, ...]
    bodies: Sequence[Json]

    @property
    def result(self) -> Result:
        """The only tool result."""
        (only,) = self.results
        return only

    @property
    def told(self) -> str:
        """Everything that the model was sent, as one text."""
        return json.dumps(self.bodies, ensure_ascii=False)

    def __repr__(self) -> str:
        lines = [f"exit {self.code}", self.err[-2000:], self.out[-3000:]]
        return "\n".join([*lines, *map(str, self.results)])


@dataclass(kw_only=True)
class Session:
    """One run of a client in a project."""

    client: ClassVar[str]
    dialect: ClassVar[str]

    project: Project
    steps: Sequence[Step]
    parts: Mapping[str, Sequence[Step]] = field(default_factory=dict)
    prompt: str = "go on"
    mcp: bool = False
    args: Sequence[str] = ()
    environ: Mapping[str, str] = field(default_factory=dict)
    services: Sequence[tuple[int, Sequence[str]]] = ()
    typed: Sequence[tuple[str, str]] = ()
    before: Sequence[str] = ()  # words that start the client, such as `penstock run --`
    boxed: bool = False  # in the client's own sandbox

    def run(self) -> Report:
        """Let the model make its steps."""
        command = self.program()
        self.prepare()
        if isinstance(self.project, OrdinaryProject):
            self._folder()
            self.project.ground.give()
        with _slot():
            ended = inside.run(self._job(command), self._folder())
        results = DIALECTS[self.dialect].results(ended.bodies)
        report = Report(
            code=ended.code, out=ended.out, err=ended.err, results=results, bodies=ended.bodies
        )
        assert report.code is not None, f"the client did not come to an end\n{report}"
        return report

    def program(self) -> Sequence[str]:
        """Return how the client is started; where something is before it, from its own home.

        An isolated run has a /tmp of its own, and the clients may lie there.
        """
        command = install.command(self.client)
        if not self.before:
            return command
        *first, program = command
        place = self.project.home / "client"
        top = next(one for one in Path(program).parents if one.name == "node_modules")
        shutil.copytree(top, place, copy_function=os.link, symlinks=True)
        return [*first, str(place / Path(program).relative_to(top))]

    def prepare(self) -> None:
        """Write what the client wants to find in its home."""

    def arguments(self) -> list[str]:
        """Return the client's arguments."""
        raise NotImplementedError

    def variables(self) -> dict[str, str]:
        """Return the client's own variables."""
        raise NotImplementedError

    def _job(self, command: Sequence[str]) -> inside.Job:
        home = self.project.home
        return inside.Job(
            command=[*self._user(), *self.before, *command, *self.arguments()],
            folder=str(self.project.root),
            environ={
                **self._path(),
                "HOME": str(home),
                "XDG_STATE_HOME": str(home / "state"),
                "XDG_CONFIG_HOME": str(home / "config"),
                "TMPDIR": str(self._folder()),
                "PATH": "/usr/local/bin:/usr/bin:/bin",
                "LANG": "C.UTF-8",
                "SHELL": "/bin/bash",
                "TERM": "xterm-256color" if self.typed else "dumb",
                "PENSTOCK_RESIDENT": "off",  # what it leaves behind would outlive the test
                **self.variables(),
                **self.environ,
            },
            dialect=self.dialect,
            script=Script(steps=self.steps, parts=self.parts).to_json(),
            seconds=PATIENCE,
            services=self.services,
            typed=self.typed,
        )

    def _user(self) -> Sequence[str]:
        return self.project.words if isinstance(self.project, OrdinaryProject) else ()

    def _path(self) -> Mapping[str, str]:
        """Return where an interpreter that is not ours finds `penstock`."""
        ours = isinstance(self.project, OrdinaryProject)
        return {"PYTHONPATH": self.project.environ["PYTHONPATH"]} if ours else {}

    def _folder(self) -> Path:
        folder = self.project.home.parent / "session"
        folder.mkdir(exist_ok=True)
        return folder


class Claude(Session):
    """Claude Code, headless, with every permission; interactive when something is typed."""

    client = "claude"
    dialect = "anthropic"

    def prepare(self) -> None:
        known = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        _write_json(
            self.project.home / ".claude.json",
            {
                "hasCompletedOnboarding": True,
                "theme": "dark",
                "numStartups": 5,
                "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
                "projects": {str(self.project.root): known},
            },
        )
        _write_json(self._servers(), {"mcpServers": {"notes": MCP}})
        if self.boxed:
            _write_json(self.project.home / ".claude" / "settings.json", {"sandbox": BOX})

    def _servers(self) -> Path:
        return self._folder() / "mcp.json"

    def arguments(self) -> list[str]:
        plain = ["-p", self.prompt, "--output-format", "stream-json", "--verbose"]
        granted = ["--dangerously-skip-permissions"]
        servers = ["--mcp-config", str(self._servers()), "--strict-mcp-config"]
        start = [self.prompt] if self.typed else [*plain, *granted]
        return [*start, *(servers if self.mcp else []), *self.args]

    def variables(self) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": "{model}",
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "IS_SANDBOX": "1",  # root may run without permissions, too
        }


class Codex(Session):
    """Codex CLI, `codex exec` without approvals and sandbox; hooks count as reviewed."""

    client = "codex"
    dialect = "openai"

    def prepare(self) -> None:
        servers = f"[mcp_servers.notes]\ncommand = {json.dumps(MCP['command'])}\n"
        servers += f"args = {json.dumps(MCP['args'])}\n"
        text = f'[projects.{json.dumps(str(self.project.root))}]\ntrust_level = "trusted"\n'
        file = self.project.home / ".codex" / "config.toml"
        kept = file.read_text() if file.exists() else ""
        more = [one for one in (text, servers if self.mcp else "") if one not in kept]
        _write(file, kept + "".join(more))  # a second session finds what the first has written

    def arguments(self) -> list[str]:
        provider = {
            "name": "scripted",
            "base_url": "{model}",
            "wire_api": "responses",
            "env_key": "SCRIPTED_KEY",
        }
        settings: dict[str, Json] = {
            "model": "gpt-5.5",
            "model_provider": "scripted",
            "features.plugins": False,  # this and the next would wait for a network
            "analytics.enabled": False,
            "model_providers.scripted.request_max_retries": 0,
            "model_providers.scripted.stream_max_retries": 0,
            **{f"model_providers.scripted.{name}": value for name, value in provider.items()},
        }
        if self.boxed:  # Codex makes `.git` read-only, unless its user opens it
            settings["sandbox_workspace_write.writable_roots"] = [f"{self.project.root}/.git"]
        chosen = [word for k, v in settings.items() for word in ("-c", f"{k}={json.dumps(v)}")]
        free = "--dangerously-bypass-approvals-and-sandbox"
        trusted = ["--sandbox", "workspace-write"] if self.boxed else [free]
        trusted.append("--dangerously-bypass-hook-trust")
        plain = ["exec", "--json", "--skip-git-repo-check"]
        return [*plain, *chosen, *trusted, *self.args, self.prompt]

    def variables(self) -> dict[str, str]:
        return {"SCRIPTED_KEY": "scripted"}


class Gemini(Session):
    """Gemini CLI, headless, with everything approved."""

    client = "gemini"
    dialect = "gemini"

    def prepare(self) -> None:
        settings: dict[str, Json] = {
            "security": {
                "auth": {"selectedType": "gemini-api-key"},
                "folderTrust": {"enabled": False},
                "toolSandboxing": self.boxed,
            },
            "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
        }
        if self.mcp:
            settings["mcpServers"] = {"notes": MCP}
        file = self.project.home / ".gemini" / "settings.json"
        kept = json.loads(file.read_text()) if file.exists() else {}
        _write_json(file, kept | settings)

    def arguments(self) -> list[str]:
        return ["-p", self.prompt, "-o", "stream-json", "--approval-mode", "yolo", *self.args]

    def variables(self) -> dict[str, str]:
        return {
            "GEMINI_API_KEY": "scripted",
            "GOOGLE_GEMINI_BASE_URL": "{model}",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_NO_RELAUNCH": "true",
        }


@contextmanager
def _slot() -> Iterator[None]:
    """Wait until fewer than SLOTS clients run on this machine."""
    folder = install.cache()
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        names = [folder / f"slot-{number}.lock" for number in range(SLOTS)]
        slots = [stack.enter_context(open(name, "w")) for name in names]
        install.wait_for([slot.fileno() for slot in slots], 20 * PATIENCE)
        yield


def _write_json(path: Path, value: Json) -> None:
    _write(path, json.dumps(value))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
