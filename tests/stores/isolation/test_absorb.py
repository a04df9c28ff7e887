"""A file leaves the layer of a run that goes on only when nobody can lose a write by it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from penstock.core.digest import digest
from penstock.core.run.entry import EntryKind, LayerNode
from penstock.stores.isolation.absorb import ASIDE, LiveLayer, mend
from penstock.stores.isolation.layer import RunLayer
from penstock.stores.isolation.process import start
from tests.stores.isolation.ground import Ground, ground, impossible

CANNOT = impossible()
pytestmark = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")

END = b"__END__\n"


class Shell:
    """A shell in a run: a line in, what it printed out."""

    def __init__(self, here: Ground) -> None:
        self.here = here
        given, self._in = os.pipe()
        self._out, made = os.pipe()
        os.dup2(given, 0)
        os.dup2(made, 1)
        self.process = start(here.plan(), ["bash"], here.environ())
        self.layer = RunLayer(upper=str(here.upper), real=str(here.project), live=True)
        self.live = LiveLayer(layer=self.layer, process=self.process)

    def __call__(self, line: str) -> str:
        os.write(self._in, line.encode() + b"\necho __END__\n")
        said = b""
        while not said.endswith(END):
            piece = os.read(self._out, 4096)
            assert piece, "the shell ended"
            said += piece
        return said.removesuffix(END).decode()

    def save(self, path: str, text: str) -> None:
        """Save a real file as the gate and as editors do: a new file takes the name."""
        fresh = self.here.base / "fresh"
        fresh.write_text(text)
        os.rename(fresh, self.here.project / path)

    def absorb(self, path: str, text: str) -> bool:
        node = LayerNode(kind=EntryKind.FILE, digest=digest(text.encode()))
        return self.live.absorb({path: node}) == (path,)

    def in_layer(self, path: str) -> bool:
        return os.path.lexists(self.here.upper / path)

    def end(self) -> None:
        if self._in >= 0:
            os.close(self._in)
            self._in = -1
            self.process.wait()


def in_shell(work: Callable[[Shell], list[object]], user: int | None = None) -> Sequence[object]:
    """Do something with a shell in a run, as an ordinary user or this one; return what it saw."""

    def play() -> list[object]:
        shell = Shell(here)
        seen = work(shell)
        shell.end()
        return seen

    with ground(user) as here:
        found: Sequence[object] = here.as_user(play)
        return found


def test_an_applied_file_leaves_and_the_real_one_is_seen() -> None:
    def work(shell: Shell) -> list[object]:
        shell("echo new > target.txt")
        shell.save("target.txt", "new\n")
        gone = shell.absorb("target.txt", "new\n")
        shell.save("target.txt", "saved by the user\n")
        shell.process.refresh()
        return [gone, shell.in_layer("target.txt"), shell("cat target.txt")]

    assert in_shell(work) == [True, False, "saved by the user\n"]


HOLDS = [
    ("writes it", "exec 8>> target.txt; echo new > target.txt"),
    ("has mapped or opened its copy for reading", "echo new > target.txt; exec 8< target.txt"),
    ("opened it before it was copied", "exec 8< target.txt; echo new > target.txt"),
    ("made another name for it", "echo new > target.txt; ln target.txt other"),
]


@pytest.mark.parametrize("script", [row[1] for row in HOLDS], ids=[row[0] for row in HOLDS])
def test_a_file_stays_while_a_program(script: str) -> None:
    """A write by whoever holds it, or opens it again, would be one to a file without a name."""

    def work(shell: Shell) -> list[object]:
        shell(script)
        shell.save("target.txt", "new\n")
        gone = shell.absorb("target.txt", "new\n")
        shell("echo late >> target.txt")
        kept = (shell.here.upper / "target.txt").read_text()
        shell("exec 8>&-; rm -f other")
        later = shell.absorb("target.txt", "new\nlate\n")
        return [gone, kept, later]

    assert in_shell(work) == [False, "new\nlate\n", True]


STAYS = [
    ("it holds something else by now", "echo newer > target.txt", "target.txt"),
    ("its mode is another one", "echo new > target.txt; chmod +x target.txt", "target.txt"),
    ("its directory is the run's own and in use", "mkdir d; echo new > d/f; cd d", "d/f"),
    ("it is a link", "ln -s target.txt link", "link"),
    ("it is not there", "true", "absent"),
]


@pytest.mark.parametrize(
    ("script", "path"), [row[1:] for row in STAYS], ids=[row[0] for row in STAYS]
)
def test_a_file_stays_where(script: str, path: str) -> None:
    def work(shell: Shell) -> list[object]:
        shell(script)
        look = f"ls -l --time-style=+ {shell.here.project}/{path}; cat {shell.here.project}/{path}"
        before = shell(look)
        os.makedirs(shell.here.project / "d", exist_ok=True)
        shell.save("d/f", "new\n")
        gone = shell.absorb(path, "new\n")
        return [gone, before == shell(look), shell.in_layer(path) or path == "absent"]

    assert in_shell(work) == [False, True, True]


def test_a_file_of_a_new_directory_leaves_once_the_project_has_the_directory() -> None:
    def work(shell: Shell) -> list[object]:
        shell("mkdir d; echo new > d/f")
        os.makedirs(shell.here.project / "d")
        shell.save("d/f", "new\n")
        gone = shell.absorb("d/f", "new\n")
        shell.save("d/f", "saved by the user\n")
        shell.process.refresh()
        return [gone, shell("cat d/f")]

    assert in_shell(work) == [True, "saved by the user\n"]


def test_the_mark_of_a_deletion_leaves_when_the_user_made_the_file_again() -> None:
    def work(shell: Shell) -> list[object]:
        shell("rm target.txt")
        shell.save("target.txt", "made again\n")
        hidden = shell("cat target.txt 2>&1 || true")
        gone = shell.live.absorb({"target.txt": LayerNode(kind=EntryKind.DELETED)})
        return ["No such file" in hidden, list(gone), shell("cat target.txt")]

    assert in_shell(work) == [True, ["target.txt"], "made again\n"]


def test_what_was_aside_when_we_were_stopped_is_put_back(tmp_path: Path) -> None:
    layer = RunLayer(upper=str(tmp_path / "upper"), real=str(tmp_path / "real"))
    for folder in ("upper/d", "real", ASIDE):
        (tmp_path / folder).mkdir(parents=True)
    for number, path in enumerate(["d/back", "taken", "gone/with/its/directory"]):
        (tmp_path / ASIDE / str(number)).write_text(path)
        (tmp_path / ASIDE / f"{number}.path").write_text(path)
    (tmp_path / ASIDE / "7.path").write_text("never moved")
    (tmp_path / "upper/taken").write_text("newer")
    mend(layer)
    mend(layer)
    assert (tmp_path / "upper/d/back").read_text() == "d/back"
    assert (tmp_path / "upper/taken").read_text() == "newer"
    assert sorted(os.listdir(tmp_path / ASIDE)) == ["2", "2.path"]
