"""Commands that would take the gate away are asked about or denied, and no others.

Penstock is installed in the project's own environment here, and the rules allow everything: what
is refused, Penstock refuses for itself.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import penstock
from penstock.core.distribution import LIBRARIES
from tests.doors.hook.gate_rows import ORDINARY, REMOVALS
from tests.doors.hook.hooks import Hook, said
from tests.project import Project

RULES = """\
version = 1
[defaults]
read = "allow"
write = "allow"
create = "allow"
delete = "allow"
run = "allow"
unclear = "allow"
"""
VERSION = f"python{sys.version_info[0]}.{sys.version_info[1]}"
SITE = f".venv/lib/{VERSION}/site-packages"
START = (
    "import sys; sys.path.insert(0, {site!r}); "
    "from penstock.doors.hook.daemon_client import use_packages; use_packages(); "
    "from penstock.doors.hook.daemon import main; main()"
)

ATTACKS = f"""
rm -rf .venv
rm -rf ./.venv
rm -r -f "$PWD/.venv"
rm -rf .v*
rm -rf .[v]env
rm -rf .venv/bin
rm -rf .venv/lib
rm -rf {SITE}
rm -rf {SITE}/penstock
rm -rf {SITE}/click
rm -rf {SITE}/pen*
rm .venv/bin/python
rm .venv/pyvenv.cfg
rm .venv/bin/penstock
mv .venv x
mv .venv/bin/python /tmp/x
mv {SITE}/penstock /tmp/x
find .venv -delete
find .venv -type f -exec rm -f {{}} +
python -m venv --clear .venv
virtualenv --clear .venv
uv venv --clear
uv venv --clear .venv
chmod 000 .venv
chmod -R a-rwx .venv
chmod u-x .venv/bin
chmod 600 {SITE}/penstock
chown nobody .venv
chown -R nobody:nobody .venv
chgrp -R nogroup .venv
chattr -R +i .venv
setfacl -m u:me:0 .venv
mount --bind /tmp/x .venv
sudo mount -t tmpfs tmpfs {SITE}
ln -sfn /tmp/x .venv
ln -sfT /tmp/python .venv/bin/python
cp /bin/true .venv/bin/python
: > .venv/bin/python
truncate -s 0 {SITE}/penstock/hook.py
echo 'x' > {SITE}/penstock/hook.py
sed -i s/deny/allow/ {SITE}/penstock/core/model.py
sed -i s/a/b/ {SITE}/click/core.py
echo 'home = /tmp' > .venv/pyvenv.cfg
python -c "import shutil; shutil.rmtree('.venv')"
node -e "require('fs').rmSync('.venv', {{recursive: true}})"
rsync -a --delete /tmp/empty/ .venv/
cd .venv && rm -rf bin
rm -rf ~
rm -rf ~/.local
rm -rf ~/.local/state
rm -rf ~/.local/state/penstock
rm -rf ~/.local/*
mv ~/.local ~/old
find ~/.local -delete
chmod 000 ~/.local/state
chmod -R 000 ~/.local
chown -R nobody ~/.local/state
mount --bind /tmp/x ~/.local/state
truncate -s 0 ~/.local/state/penstock/x/audit.jsonl
rm -rf ~/.claude
mv ~/.claude ~/x
chmod 000 ~/.claude
rm ~/.claude/settings.json
echo '{{}}' > .claude/settings.json
rm -rf .claude
chmod 000 .claude
mv .claude x
rm -rf ~/.codex
rm ~/.gemini/settings.json
rm penstock.toml
rm -rf ~/.config/penstock
pip uninstall penstock-gate
pip uninstall -y penstock_gate
pip3 uninstall -y Penstock.Gate
python -m pip uninstall -y penstock-gate
.venv/bin/pip uninstall -y requests penstock-gate
uv pip uninstall penstock-gate
uv tool uninstall penstock-gate
uv tool uninstall --all
uv remove penstock-gate
pipx uninstall penstock-gate
pipx uninstall-all
poetry remove penstock-gate
pdm remove penstock-gate
conda remove -y penstock-gate
apt remove penstock
sudo apt-get purge -y penstock
brew uninstall penstock
pip install --force-reinstall penstock-gate==0.0.1
pip install -U penstock-gate
pip install penstock
pipx reinstall penstock-gate
pip freeze | xargs pip uninstall -y
pip uninstall -y -r requirements.txt
pkill -f penstock
pkill -9 -f penstock.doors.hook
killall penstock
kill $(pgrep -f penstock)
systemctl --user stop penstock
systemctl --user disable --now penstock.service
launchctl bootout gui/501/org.penstock
PENSTOCK_RESIDENT=off claude -p x
export PENSTOCK_PROJECT=/tmp/x
env PENSTOCK_PASSPHRASE_FD=3 penstock status
export XDG_STATE_HOME=/tmp/x
declare -x XDG_STATE_HOME=/tmp/x
XDG_STATE_HOME=/tmp/x penstock status
XDG_STATE_HOME=/tmp/x claude -p hello
env XDG_CONFIG_HOME=/tmp/x codex exec hello
cp x.sh ~/bin/penstock
ln -s /tmp/x ~/.local/bin/penstock
echo 'echo ok' > bin/penstock
install -m 755 x /usr/local/bin/penstock
rm -rf ~/.config
git clean -fdx
""".strip().split("\n")
ATTACKS += REMOVALS.strip().replace("SITE", SITE).split("\n")

BENIGN = """
rm -rf build
rm -rf dist .pytest_cache
rm -rf /tmp/other/.venv
rm -rf other/.venv
mv other/.venv x
rm -rf .venv2
rm -rf venv
rm -rf node_modules
rm -rf *.log
rm -rf src/*
find . -name '*.pyc' -delete
find build -delete
python -m venv other/.venv
python -m venv --clear other/.venv
python -m venv .venv
uv venv other
pip uninstall -y requests
pip uninstall requests
pip install requests
pip install -r requirements.txt
pip install -e .
pip list
pip show penstock-gate
pip download requests
pip freeze
uv add requests
uv sync
uv tool list
uv tool install ruff
pipx list
poetry add requests
poetry install
conda install numpy
sudo apt install jq
apt remove jq
brew install jq
npm install
npm uninstall left-pad
kill 12345
kill %1
pkill -f vite
killall node
systemctl --user status penstock
systemctl --user stop nginx
chmod +x scripts/run.sh
chmod 755 src
chmod 755 .
chmod u+x .venv/bin/tool
chmod 644 src/a.py
chmod 755 ~/.local/bin
chown me src/a.py
mkdir -p ~/.local/state
mkdir -p .venv
mkdir -p ~/.local/bin
touch ~/.local/x
ln -s "$PWD/tool" ~/.local/bin
ln -sfn releases/2 current
cp tool ~/.local/bin/tool
cp -r assets public
rsync -a --delete build/ public/
mount
export PATH="$PWD/bin:$PATH"
export XDG_CACHE_HOME=/tmp/x
XDG_STATE_HOME=/tmp/x pytest
HOME=/tmp/h npm test
PENSTOCK_AGENT=mine python run.py
echo $PENSTOCK_RESIDENT
ls -la ~/.claude
cat .claude/settings.json
du -sh .venv ~/.local
tar czf /tmp/venv.tgz .venv
git clean -n
git config user.email a@example.org
source .venv/bin/activate
.venv/bin/python -m pytest
touch docs/penstock
echo x > penstock.md
""".strip().split("\n")
BENIGN += ORDINARY.strip().split("\n")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hook]:
    """A project whose own environment holds Penstock, and a background server of it."""
    base = tmp_path_factory.mktemp("gate")
    project = Project(root=base / "project", home=base / "home")
    for folder in (".claude", "src", "other"):
        (project.root / folder).mkdir(parents=True)
    (project.home / ".local/state").mkdir(parents=True)
    project.write("src/a.py", "x = 1\n")
    committed(project)
    make = [sys.executable, "-m", "venv", "--without-pip", str(project.root / ".venv")]
    subprocess.run(make, check=True, timeout=120)
    site = project.root / SITE
    for entry in Path(penstock.__file__).parents[2].joinpath(SITE).iterdir():
        if "penstock" not in entry.name:
            (site / entry.name).symlink_to(entry)
    shutil.copytree(Path(penstock.__file__).parent, site / "penstock")
    python = str(project.root / ".venv/bin/python")
    hook = InstalledHook(
        project, launcher=str(site / "penstock/hook.py"), python=python, resident="on"
    )
    start = [python, "-I", "-S", "-c", START.format(site=str(site))]
    child = subprocess.Popen(start, env=hook.environ(), stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            found = project.home.glob(".local/state/penstock/engine-*")
            if any(path.is_socket() for path in found):
                break
            time.sleep(0.05)
        yield hook
    finally:
        child.kill()
        child.wait(timeout=30)


def committed(project: Project) -> None:
    """Make a repository whose history and stash hold other settings and rules than the tree."""
    identity = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org"}
    identity |= {"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org"}

    def git(*words: str) -> None:
        environ = {**os.environ, **identity, "HOME": str(project.home)}
        subprocess.run(["git", *words], cwd=project.root, env=environ, check=True, timeout=60)

    git("init", "-q")
    project.write(".gitignore", ".venv/\n")
    for number in range(7):
        project.write(".claude/settings.json", f'{{"n": {number}}}\n')
        project.write("penstock.toml", f"{RULES}# {number}\n")
        git("add", "-A")
        git("commit", "-qm", str(number))
    project.write("penstock.toml", f"{RULES}# stashed\n")
    git("stash", "-q")
    project.write("penstock.toml", RULES)
    project.write(".claude/settings.json", "{}\n")


class InstalledHook(Hook):
    """One whose state is where it usually is."""

    def environ(self) -> dict[str, str]:
        moved = ("XDG_STATE_HOME", "XDG_CONFIG_HOME")
        return {name: text for name, text in super().environ().items() if name not in moved}


def reason(hook: Hook, command: str) -> str:
    """Return why the hook process denies a command, "" where it does not."""
    answer = said(hook.before("Bash", {"command": command}))
    denied = answer.get("permissionDecision") == "deny"
    return str(answer["permissionDecisionReason"]) if denied else ""


# What an agent reads: what the command would do to the gate, and what to do instead.
REFUSED = re.compile(
    r"Denied: .*("
    r"is part of Penstock's own state; agents may not access it\. "
    r"Use `penstock proposals` and `penstock log`"
    r"|is part of the installed Penstock; agents may not change it\. "
    r"Ask the user to install another version"
    r"|configures Penstock or an agent's hooks; agents may not edit it\. "
    r"Ask the user to make the change"
    r"|, and then nothing checks what agents write(; it can't be saved for review, .+)?\. "
    r"Ask the user to run it in their own terminal"
    r"|, which Penstock's hook runs from; it can't be saved for review, .+\. "
    r"Leave it in place, or ask the user to do it in their own terminal"
    r"|would stop Penstock's background server; it can't be saved for review, .+\. "
    r"Leave it running; it stops by itself when idle"
    r"|configures Penstock, and agents may not set it; it can't be saved for review, .+\. "
    r"Run the command without it, or ask the user to"
    r"|may run without Penstock's hook; it can't be saved for review, .+\. "
    r"Run it without that, or ask the user to"
    r")\."
)


@pytest.mark.parametrize("command", ATTACKS)
def test_a_command_that_would_take_the_gate_away_is_refused(installed: Hook, command: str) -> None:
    assert REFUSED.fullmatch(reason(installed, command))


@pytest.mark.parametrize("command", BENIGN)
def test_an_ordinary_command_is_not_refused(installed: Hook, command: str) -> None:
    assert reason(installed, command) == ""


@pytest.mark.parametrize("command", [*ATTACKS[::17], *BENIGN[::17]])
def test_a_cold_hook_says_the_same(installed: Hook, command: str) -> None:
    cold = InstalledHook(installed.project, launcher=installed.launcher, python=installed.python)
    assert reason(cold, command) == reason(installed, command)


def test_a_person_who_is_there_is_asked_about_the_environment(installed: Hook) -> None:
    asking = InstalledHook(
        installed.project, launcher=installed.launcher, python=installed.python, attended=True
    )
    answer = said(asking.before("Bash", {"command": "rm -rf .venv"}))
    place = os.path.join(installed.project.root, ".venv/bin/python")
    assert answer["permissionDecision"] in ("ask", "deny")
    assert place in answer["permissionDecisionReason"]
    answer = said(asking.before("Bash", {"command": "pip install -U penstock-gate"}))
    assert answer["permissionDecision"] == "ask"
    assert answer["permissionDecisionReason"] == (
        "`pip` would replace the installed Penstock, and then nothing checks what agents write. "
        "Ask the user to run it in their own terminal."
    )


FILES = [f"{SITE}/penstock/hook.py", ".venv/bin/python", "bin/penstock", "tools/bin/penstock"]


@pytest.mark.parametrize("file", FILES)
def test_file_tools_are_refused_as_well_also_by_the_fast_path(installed: Hook, file: str) -> None:
    installed.write("notes.txt", "x")  # leaves the compiled policy
    for hook in (installed, InstalledHook(installed.project, launcher=installed.launcher)):
        hook.python = installed.python
        assert said(hook.write(file, "x"))["permissionDecision"] == "deny"
    assert said(installed.write("src/b.py", "x")) == {}


def test_the_libraries_that_are_guarded_are_those_that_are_needed() -> None:
    text = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    needed = [name.partition(">=")[0] for name in tomllib.loads(text)["project"]["dependencies"]]
    assert set(needed) == set(LIBRARIES)
    assert all(find_spec(folder) for folder in LIBRARIES.values())
