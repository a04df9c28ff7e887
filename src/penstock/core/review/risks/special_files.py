"""Files that matter by their name alone: pipelines, containers, hooks, what runs at a start.

Always true: the first row that a path meets is the one that counts, and a file has one flag of
this table at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from msgspec import Struct

from penstock.core.proposals.flag import RiskFlag, RiskLevel
from penstock.core.review.risks.changed_text import ChangedText


class SpecialFile(Struct, frozen=True, kw_only=True):
    """Files whose path, in small letters, a pattern meets from the start of one of its parts."""

    code: str
    level: RiskLevel
    text: str
    pattern: str


def _danger(code: str, text: str, pattern: str) -> SpecialFile:
    return SpecialFile(code=code, level=RiskLevel.DANGER, text=text, pattern=pattern)


def _notice(code: str, text: str, pattern: str) -> SpecialFile:
    return SpecialFile(code=code, level=RiskLevel.NOTICE, text=text, pattern=pattern)


FILES = (
    _danger("git-hook", "git hook: it runs when people commit, merge or push",
            r"\.husky/.+|\.githooks/.+|\.git/hooks/.+|hooks/(?:pre|post)-(?:commit|push|merge|"
            r"checkout|receive|rewrite)|hooks/(?:commit-msg|prepare-commit-msg)"),
    _notice("git-hook", "configuration of git hooks: they run when people commit",
            r"\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.pre-commit-config\.ya?ml|"
            r"\.pre-commit-hooks\.ya?ml|\.lintstagedrc.*|\.overcommit\.yml"),
    _danger("runs-on-enter", "direnv runs it when somebody enters the directory",
            r"\.envrc"),
    _danger("runs-at-start", "Python runs it at every start",
            r"(?:site|user)customize\.py|[^/]+\.pth"),
    _danger("build-script", "this program runs at every build",
            r"build\.rs|binding\.gyp|extconf\.rb|gradlew(?:\.bat)?|mvnw(?:\.cmd)?|"
            r"gradle-wrapper\.jar|maven-wrapper\.jar|\.mvn/(?:extensions\.xml|jvm\.config)"),
    _notice("setup-script", "setup.py runs when the package is installed",
            r"setup\.py"),
    _notice("pipeline", "CI configuration: the build servers run it",
            r"\.github/(?:workflows|actions)/.+|\.gitlab-ci\.ya?ml|\.gitlab/ci/.+|\.circleci/.+|"
            r"jenkinsfile(?:\..+)?|azure-pipelines.*\.ya?ml|\.azure-pipelines/.+|\.travis\.ya?ml|"
            r"bitbucket-pipelines\.ya?ml|\.drone\.(?:ya?ml|star)|\.buildkite/.+|"
            r"\.woodpecker(?:\.ya?ml|/.+)|\.?appveyor\.ya?ml|cloudbuild.*\.ya?ml|\.tekton/.+|"
            r"\.teamcity/.+|codemagic\.ya?ml|\.semaphore/.+|buildspec.*\.ya?ml|\.cirrus\.ya?ml|"
            r"\.forgejo/workflows/.+|\.gitea/workflows/.+|wercker\.yml|netlify\.toml|vercel\.json"),
    _notice("container", "container configuration",
            r"(?:[^/]+\.)?(?:dockerfile|containerfile)(?:\.[^/]+)?|(?:docker-)?compose[^/]*\.ya?ml|"
            r"\.devcontainer/.+|\.devcontainer\.json|vagrantfile"),
    _notice("deployment", "deployment configuration",
            r"[^/]+\.(?:tf|tfvars|bicep)|(?:k8s|kubernetes|helm|charts|kustomize)/.+\.ya?ml|"
            r"kustomization\.ya?ml|serverless\.ya?ml|skaffold\.ya?ml|procfile|fly\.toml|"
            r"[^/]+\.service|[^/]+\.timer|crontab|cron\.d/.+"),
    _notice("who-reviews", "says who has to review changes",
            r"codeowners|\.github/settings\.ya?ml"),
    _notice("agent-instructions", "agents read this as instructions",
            r"(?:agents|claude|claude\.local|gemini|skill|conventions)\.md|\.cursorrules|"
            r"\.windsurfrules|\.clinerules(?:/.+)?|\.cursor/rules/.+|\.?mcp(?:_config)?\.json|"
            r"\.github/copilot-instructions\.md|\.github/instructions/.+|\.claude/.+|\.codex/.+|"
            r"\.gemini/.+|llms\.txt"),
)  # fmt: skip


def special_file(changed: ChangedText) -> Iterator[RiskFlag]:
    """Yield the flag of a file that matters by its name; removing it says so as well."""
    known = _known(changed.path)
    if known is not None:
        text = f"{known.text}; it would be deleted" if changed.is_gone else known.text
        yield RiskFlag(level=known.level, code=known.code, text=text)


def is_pipeline(path: str) -> bool:
    """Say whether build servers, or the hooks of git, run what a file says."""
    known = _known(path)
    return known is not None and known.code in ("pipeline", "git-hook")


def is_container(path: str) -> bool:
    """Say whether a file says how a container is made or run."""
    known = _known(path)
    return known is not None and known.code in ("container", "deployment")


@lru_cache(maxsize=256)
def _known(path: str) -> SpecialFile | None:
    path = path.lower()
    return next((known for known in FILES if _compiled(known.pattern).search(path)), None)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Bounded by the length of a path; no part of a pattern repeats another.
    return re.compile(rf"(?:\A|/)(?:{pattern})\Z")
