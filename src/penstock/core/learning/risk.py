"""How dangerous it would be to allow a cluster of calls for good, and what must never be.

The tables err on the side of saying no: what is missing from a suggestion costs a question,
what is wrongly in one costs a project. Always true: `never` is the same for a head of words
whatever follows it, so no option can talk it into a rule.
"""

from __future__ import annotations

from enum import StrEnum

from penstock.core.learning.clusters import Cluster

# Programs that run anything, remove for good, change rights, or reach other machines.
_NEVER = (
    "rm rmdir shred srm dd mkfs fdisk parted wipefs truncate unlink trash sudo su doas pkexec"
    " runuser chmod chown chgrp chattr setfacl chroot mount umount bash sh zsh dash ksh csh"
    " tcsh fish ash busybox eval exec source . env xargs parallel nohup setsid time timeout"
    " nice watch script"
    " curl wget aria2c nc ncat netcat socat telnet ssh scp sftp rsync ftp kill pkill killall"
    " shutdown reboot halt poweroff init systemctl service crontab at batch iptables nft ufw"
    " useradd userdel usermod passwd visudo python python2 python3 perl ruby node deno php lua"
    " osascript powershell pwsh cmd.exe find awk gawk sed ed ex vi vim emacs tee ln mv cp install"
    " tar unzip bsdtar cpio patch git-filter-repo openssl gpg security aws gcloud az vault pass op"
    " docker podman kubectl helm terraform ansible npx bunx uvx pnpx penstock decision_reviewer"
    " claude codex gemini history export set alias"
)
NEVER = frozenset(_NEVER.split())
# Subcommands that publish, rewrite, remove or run anything, of programs that are harmless else.
NEVER_SUBCOMMANDS = frozenset(
    {"git": "push reset clean checkout restore rm filter-branch rebase config gc update-ref"
            " reflog submodule worktree remote apply am stash",
     "npm": "publish unpublish exec x token login adduser config deprecate owner access set",
     "yarn": "publish dlx npm config", "pnpm": "publish dlx exec config", "bun": "x publish",
     "cargo": "publish login yank owner install run", "gem": "push owner signin",
     "pip": "config uninstall", "pip3": "config uninstall", "uv": "publish tool run",
     "poetry": "publish config run", "pdm": "publish run", "hatch": "publish run",
     "go": "run generate install", "gh": "auth secret release repo api ssh-key workflow run",
     "make": "install clean distclean uninstall deploy release publish",
     "apt": "*", "apt-get": "*", "brew": "uninstall", "conda": "remove run", "rustup": "*",
     "mvn": "deploy", "gradle": "publish", "dotnet": "publish nuget", "composer": "exec"}.items()
)  # fmt: skip
FORBIDDEN = {name: frozenset(words.split()) for name, words in NEVER_SUBCOMMANDS}
# Options that change what a harmless command does into something that is not.
_OPTIONS = (
    "-f --force --hard -rf -fr --no-verify --global -g --unsafe-perm --privileged --exec -exec"
    " --delete -delete --prefix --output -o --out --registry --index-url --extra-index-url"
    " --trusted-host --upload-pack --receive-pack -c -C --config --eval -e --require -r"
    " --allow-all -A --no-sandbox --system --root --force-with-lease --amend"
)
NEVER_OPTIONS = frozenset(_OPTIONS.split())
# Scripts of a project that do more than build and test it.
NEVER_SCRIPTS = ("deploy", "publish", "release", "push", "clean", "reset", "drop", "destroy")
# Files whose content runs, decides or opens something; never written by a learned rule.
_SENSITIVE = (
    ".env .git .ssh .aws .gnupg .npmrc .pypirc .netrc .claude .codex .gemini .cursor .vscode"
    " .github .gitlab-ci.yml .husky .pre-commit-config.yaml node_modules secrets credentials"
    " id_rsa id_ed25519 penstock.toml claude-code-permissions-hook.toml Makefile Dockerfile"
    " Jenkinsfile package.json package-lock.json yarn.lock pnpm-lock.yaml Cargo.lock poetry.lock"
    " setup.py conftest.py .bashrc .zshrc .profile hooks settings.json etc"
)
SENSITIVE = frozenset(_SENSITIVE.split())
SENSITIVE_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".jks", ".env", ".sh", ".ps1", ".lock")

CHECKERS = frozenset(
    (python, "-m", tool)
    for python in ("python", "python3")
    for tool in ("pytest", "mypy", "unittest", "ruff", "black")
)
# Reading and testing leave things as they are; building and installing run other people's code.
_LOW = (
    "ls pwd cat head tail wc grep rg fd tree stat file du df date whoami which uname diff cmp jq"
    " pytest mypy ruff eslint tsc true echo printf"
)
LOW = frozenset(_LOW.split())
_LOW_SUBCOMMANDS = "status diff log show branch test check clippy fmt lint list ls"
LOW_SUBCOMMANDS = frozenset(_LOW_SUBCOMMANDS.split())


class Risk(StrEnum):
    """How much a rule would trust."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


def never(cluster: Cluster) -> str:
    """Return why a cluster must not become an allowing rule, "" where it may."""
    if cluster.kind == "compound":
        return "more than one command, or a word that only a shell understands"
    return _never_path(cluster) if cluster.kind == "path" else _never_command(cluster)


def _never_command(cluster: Cluster) -> str:
    name = cluster.head[0].rpartition("/")[2]
    if name in NEVER and cluster.head not in CHECKERS:
        return f"`{name}` can run, remove or send anything"
    if any(word in part for part in cluster.head[1:] for word in NEVER_SCRIPTS):
        return f"`{' '.join(cluster.head)}` sounds like more than building and testing"
    if "/" in cluster.head[0] or "=" in cluster.head[0]:
        return "it runs a file of the project, or sets a variable first"
    bad = FORBIDDEN.get(name, frozenset())
    word = cluster.head[1] if len(cluster.head) > 1 else ""
    if word in bad or "*" in bad:
        return f"`{name} {word}` publishes, rewrites or runs other things"
    for call in cluster.calls:
        why = _never_words(call.split(" ")[len(cluster.head) :])
        if why:
            return why
    return ""


def _never_words(words: list[str]) -> str:
    for word in words:
        option = word.partition("=")[0]
        if option in NEVER_OPTIONS:
            return f"the option `{option}` changes what the command does"
        if not word.startswith("-") and _is_sensitive(word):
            return f"`{word}` is a name that rules protect"
        if word.startswith(("/", "~", "..")) or "/../" in word or "://" in word:
            return f"`{word}` lies outside the project"
    return ""


def _never_path(cluster: Cluster) -> str:
    for path in cluster.calls:
        if _is_sensitive(path):
            return f"`{path}` is a name that rules protect"
    return "" if any(cluster.head) else "the files lie in no directory of their own"


def _is_sensitive(path: str) -> bool:
    parts = path.split("/")
    named = any(part in SENSITIVE or part.startswith(".env") for part in parts)
    return named or parts[-1].endswith(SENSITIVE_ENDINGS) or ".." in parts


def risk(cluster: Cluster) -> Risk:
    """Return how much an allowing rule for a cluster would trust."""
    if cluster.kind == "path":
        return Risk.LOW if cluster.tool in ("Read", "Glob", "Grep") else Risk.MEDIUM
    if never(cluster):
        return Risk.HIGH
    name, *rest = cluster.head
    if name in LOW or (rest and rest[0] in LOW_SUBCOMMANDS):
        return Risk.LOW
    return Risk.MEDIUM
