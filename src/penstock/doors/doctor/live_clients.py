"""The agents that can be run by themselves: where each is found, and how it is run.

One row for each. What a client would ask a person at its first start (how to sign in, what to
trust) is answered beforehand by a file in a home of its own.
Cline is not among them: it leaves a process of its own running.
Always true: a client gets an address on loopback and a key that is none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from msgspec import Struct

Started = Callable[[str, str], list[str]]  # the program and the model's address
Settled = Callable[[str, str], str]  # the project and the model's address


class Client(Struct, frozen=True, kw_only=True):
    """How one agent, whose program has its name, is found and run."""

    packaged: str  # below an installation in `$PENSTOCK_CLIENTS`
    argv: Started
    environ: Callable[[str], dict[str, str]]
    home: tuple[str, ...] = ()  # files of the person's home that come along
    settings: str = ""  # a file in the home, with what `settled` returns
    settled: Settled = lambda _project, _address: ""


def _with(*words: str) -> Started:
    """Return how a program is started with fixed words; a script of node by node."""

    def argv(program: str, _address: str) -> list[str]:
        return [*(["node"] if program.endswith(".js") else []), program, *words]

    return argv


def _codex(program: str, address: str) -> list[str]:
    provider = {"name": "probe", "base_url": f"{address}/v1", "wire_api": "responses"}
    provider["env_key"] = "PROBE_KEY"
    settings: dict[str, object] = {
        "model": "gpt-5.5",
        "model_provider": "probe",
        "features.plugins": False,  # this and the next would wait for a network
        "analytics.enabled": False,
        **{f"model_providers.probe.{key}": value for key, value in provider.items()},
    }
    chosen = [word for k, v in settings.items() for word in ("-c", f"{k}={json.dumps(v)}")]
    # Whether a person trusts the hook is looked at elsewhere; here it is run.
    trust = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
    return [program, "exec", "--skip-git-repo-check", *trust, *chosen, "go"]


def _codex_settled(project: str, _address: str) -> str:
    return f'[projects.{json.dumps(project)}]\ntrust_level = "trusted"\n'


def _gemini_settled(_project: str, _address: str) -> str:
    security = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
    return json.dumps({"security": security, "privacy": {"usageStatisticsEnabled": False}})


def _qwen_settled(_project: str, _address: str) -> str:
    auth = {"security": {"auth": {"selectedType": "openai"}}}
    return json.dumps({**auth, "privacy": {"usageStatisticsEnabled": False}})


def _copilot_settled(project: str, _address: str) -> str:
    return json.dumps({"trustedFolders": [project]})


def _opencode_settled(_project: str, address: str) -> str:
    options = {"baseURL": f"{address}/v1", "apiKey": "probe"}
    limit = {"context": 100_000, "output": 4096}
    models = {"probe": {"name": "probe", "tool_call": True, "limit": limit}}
    kind = {"npm": "@ai-sdk/openai-compatible", "name": "probe"}
    provider = {"probe": {**kind, "options": options, "models": models}}
    model = {"model": "probe/probe", "small_model": "probe/probe"}
    return json.dumps({**model, "autoupdate": False, "share": "disabled", "provider": provider})


AGENTS: Mapping[str, Client] = {
    "claude": Client(
        packaged="claude*/node_modules/@anthropic-ai/claude-code-*/claude",
        home=(".claude/settings.json",),
        argv=_with("-p", "go", "--permission-mode", "acceptEdits"),
        environ=lambda at: {
            "ANTHROPIC_BASE_URL": at,
            "ANTHROPIC_API_KEY": "probe",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        },
    ),
    "codex": Client(
        packaged="codex*/node_modules/@openai/codex-*/vendor/*/bin/codex",
        argv=_codex,
        environ=lambda _at: {"PROBE_KEY": "probe"},
        settings=".codex/config.toml",
        settled=_codex_settled,
    ),
    "gemini": Client(
        packaged="gemini*/node_modules/@google/gemini-cli/bundle/gemini.js",
        argv=_with("-p", "go", "--approval-mode", "yolo"),
        environ=lambda at: {
            "GOOGLE_GEMINI_BASE_URL": at,
            "GEMINI_API_KEY": "probe",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        settings=".gemini/settings.json",
        settled=_gemini_settled,
    ),
    "qwen": Client(
        packaged="qwen*/node_modules/@qwen-code/qwen-code/cli.js",
        argv=_with("-p", "go", "--approval-mode", "yolo"),
        environ=lambda at: {
            "OPENAI_BASE_URL": f"{at}/v1",
            "OPENAI_API_KEY": "probe",
            "OPENAI_MODEL": "probe",
        },
        settings=".qwen/settings.json",
        settled=_qwen_settled,
    ),
    "copilot": Client(
        packaged="copilot*/node_modules/.bin/copilot",
        argv=_with("-p", "go", "--allow-all-tools"),
        environ=lambda at: {
            "COPILOT_PROVIDER_BASE_URL": f"{at}/v1",
            "COPILOT_PROVIDER_API_KEY": "probe",
            "COPILOT_MODEL": "gpt-4.1",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_OFFLINE": "true",
        },
        settings=".copilot/config.json",
        settled=_copilot_settled,
    ),
    "opencode": Client(
        packaged="opencode*/node_modules/opencode-*/bin/opencode",
        argv=_with("run", "go"),
        environ=lambda _at: {"OPENCODE_DISABLE_MODELS_FETCH": "1"},
        settings=".config/opencode/opencode.json",
        settled=_opencode_settled,
    ),
}
