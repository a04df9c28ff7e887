"""Each setting of `[run]` does what it says, in real runs; only the user's rules open anything."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project import Done, Project
from tests.stores.isolation.ground import heard, impossible, listen, python

CANNOT = impossible()
PYTHON = python()
pytestmark = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")

RULES = 'preset = "guard"\n[run]\n'


@pytest.fixture
def here(project: Project) -> Project:
    shutil.rmtree(project.root / ".git")
    subprocess.run(["git", "init", "-q", str(project.root)], check=True)
    project.write("src/app.py", "x = 1\n")
    return project


def of_project(here: Project, lines: str) -> None:
    here.write("penstock.toml", RULES + lines)


def of_user(here: Project, lines: str) -> None:
    file = here.home / "config/penstock/penstock.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(RULES + lines)


def run(here: Project, script: str, *options: str) -> Done:
    return here.run("run", *options, "--", "sh", "-c", script)


def test_a_project_hides_more_and_only_the_user_hides_less(here: Project) -> None:
    (here.home / ".ssh").mkdir()
    (here.home / ".ssh/id").write_text("key\n")
    here.write("secrets/token", "token\n")
    script = "cat $HOME/.ssh/id; cat secrets/token"
    assert run(here, script).out == "token\n"
    of_project(here, 'hide = ["secrets"]\n')
    assert run(here, script).out == ""
    of_project(here, "hide = []\n")
    assert run(here, script).out == "token\n", "a project cannot show what is hidden"
    of_user(here, "hide = []\n")
    assert run(here, script).out == "key\ntoken\n"


def test_a_directory_is_written_directly_only_where_the_user_says_so(here: Project) -> None:
    cache = here.home / "cache"
    cache.mkdir()
    script = "echo made > $HOME/cache/made"
    of_project(here, 'through = ["~/cache"]\n')
    done = run(here, script)
    assert not (cache / "made").exists()
    assert "`through` of [run] in" in done.err
    warned = here.run("check")
    assert "`through` of [run] is ignored in this file" in warned.out + warned.err
    of_user(here, 'through = ["~/cache"]\n')
    done = run(here, script)
    assert (cache / "made").read_text() == "made\n"
    assert f"`{cache}` is written directly" in done.err


@pytest.mark.parametrize("place", ["src", "~/state", "~"])
def test_the_project_and_the_state_are_never_written_directly(here: Project, place: str) -> None:
    named = str(here.home) if place == "~" else place
    of_user(here, f'through = ["{named}"]\n')
    done = run(here, "echo started > src/app.py")
    assert done.code == 1, done.err
    assert "error[run-opening]" in done.err
    assert (here.root / "src/app.py").read_text() == "x = 1\n"


@pytest.fixture
def listener(here: Project) -> Iterator[socket.socket]:
    with listen(str(here.home / "agent.sock")) as made:
        yield made


SEND = (
    f'{PYTHON} -c "import os, socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)'
    ".sendto(b'x', os.environ['HOME'] + '/agent.sock')\""
)


def test_a_socket_is_reached_only_where_the_user_says_so(
    here: Project, listener: socket.socket
) -> None:
    of_project(here, 'sockets = ["~/agent.sock"]\n')
    assert "`sockets` of [run] in" in run(here, SEND).err
    assert not heard(listener)
    of_user(here, 'sockets = ["~/agent.sock"]\n')
    done = here.run(
        "run", "--", "sh", "-c", f"{SEND}; echo $SSH_AUTH_SOCK",
        env={"SSH_AUTH_SOCK": str(here.home / "agent.sock")},
    )  # fmt: skip
    assert heard(listener), done.err
    assert done.out == f"{here.home}/agent.sock\n"


def test_a_device_is_seen_only_where_the_user_says_so(here: Project) -> None:
    device = next(
        (one for one in ("/dev/kmsg", "/dev/net/tun", "/dev/fuse") if os.path.exists(one)), ""
    )
    if not device:
        pytest.skip("NOT TESTED: no other character device here")
    script = f"test -c {device}"
    of_project(here, f'devices = ["{device}"]\n')
    assert run(here, script).code == 1
    of_user(here, f'devices = ["{device}"]\n')
    assert run(here, script).code == 0
    of_user(here, 'devices = ["/etc/passwd"]\n')
    assert "error[run-opening]" in run(here, script).err


def test_without_a_network_there_is_only_a_loopback_of_its_own(here: Project) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = (
            f"{PYTHON} -c \"import socket as s; s.create_connection(('127.0.0.1', {port}))\""
            " 2>/dev/null; echo $?; ls /proc/self/net/dev_mcast >/dev/null;"
            " grep -c : /proc/self/net/dev"
        )
        assert run(here, script).out.split()[0] == "0", "without the setting the server is reached"
        of_project(here, 'net = "off"\n')
        done = run(here, script)
    assert done.out.split() == ["1", "1"]
    assert "Network access is off." in done.err
    own = (
        f"{PYTHON} -c \"import socket; s = socket.create_server(('127.0.0.1', 0)); "
        'socket.create_connection(s.getsockname())"'
    )
    assert run(here, own).code == 0


def test_a_project_cannot_switch_the_network_on_again(here: Project) -> None:
    of_user(here, 'net = "off"\n')
    of_project(here, 'net = "on"\n')
    assert "Network access is off." in run(here, "true").err


def test_a_file_above_the_limit_is_held_unread(here: Project) -> None:
    of_project(here, "limit_bytes = 100\n")
    done = run(here, "head -c 101 /dev/zero > large; echo small > small")
    assert "held: large: it is larger than 100 bytes" in done.err
    assert (here.root / "small").exists()
    assert not (here.root / "large").exists()


def test_more_files_than_the_limit_stop_the_sync_and_stay_in_the_layer(here: Project) -> None:
    of_project(here, "limit_files = 3\n")
    done = run(here, "for n in 1 2 3 4; do echo $n > f$n; done")
    assert done.code == 2
    assert "error[run-too-large]" in done.err
    assert "its changes are kept, unapplied" in done.err
    assert not (here.root / "f1").exists()
    of_project(here, "limit_files = 4\n")
    assert here.run("runs", "apply").code == 0
    assert (here.root / "f4").read_text() == "4\n"


def test_more_scratch_is_never_proposed(here: Project) -> None:
    of_project(here, 'scratch = ["generated", "src/out"]\n')
    done = run(here, "mkdir -p a/generated src/out; echo 1 > a/generated/x; echo 1 > src/out/y")
    assert "2 scratch files" in done.err
    assert not (here.root / "src/out").exists()


def test_the_repository_can_be_read_only(here: Project) -> None:
    script = "git -c user.name=a -c user.email=a@b commit --allow-empty -qm x"
    assert run(here, script).code == 0
    of_project(here, 'git = "read-only"\n')
    assert run(here, script).code != 0
    assert run(here, "git status -s").code == 0


def test_the_home_directory_is_kept_fresh_or_read_only(here: Project) -> None:
    write, read = "echo 1 > $HOME/mine", "cat $HOME/mine"
    assert run(here, write).code == 0
    assert run(here, read).out == "1\n"
    of_project(here, 'home = "fresh"\n')
    assert run(here, f"{read}; {write}").code == 0
    assert run(here, read).out == ""
    of_project(here, 'home = "read-only"\n')
    assert run(here, write).code != 0
    assert not Path(here.home, "mine").exists()


def test_which_layers_stay(here: Project) -> None:
    def kept() -> int:
        return len(here.run("runs", "--json").json["runs"])

    of_project(here, 'keep = "all"\n')
    run(here, "true")
    assert kept() == 1
    of_project(here, 'keep = "changes"\n')
    run(here, "mkdir node_modules; echo 1 > node_modules/a")
    assert kept() == 1, "only scratch was left"
    run(here, "echo S=2 > .env")
    assert kept() == 2, "a change that was not written is always kept"


def test_every_change_is_asked_about_where_the_rules_say_so(here: Project) -> None:
    of_project(here, 'apply = "ask"\n')
    done = run(here, "echo 'x = 2' > src/app.py", "--apply", "exit")
    assert "1 pending" in done.err
    assert (here.root / "src/app.py").read_text() == "x = 1\n"


def test_an_unknown_setting_is_an_error_of_the_rules(here: Project) -> None:
    of_project(here, "nett = 1\n")
    checked = here.run("check")
    assert checked.code == 1
    assert "penstock.toml:3" in checked.out + checked.err
