"""The home directory of an isolated run: what agents left in its layer, and the real files.

Always true: no link is followed, in the layer or in the real directory; it decides nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct

from penstock.app.isolated_runs import IsolatedRuns
from penstock.core.paths.relpath import parse
from penstock.core.run.entry import LayerEntry
from penstock.core.run.home import AGENT_HOMES, AgentHome
from penstock.stores.files.workspace import DiskFiles
from penstock.stores.isolation.layer import RunLayer
from penstock.stores.system.places import home

PRIVATE = 0o077


class RunHome(Struct, frozen=True, dict=True):
    """What a run left in the layer over the home directory."""

    runs: IsolatedRuns
    run: str

    @property
    def real(self) -> str:
        """The real home directory."""
        return os.path.realpath(home())

    def _layer(self, one: AgentHome) -> RunLayer | None:
        """Return the layer over an agent's folder; None where one of them is a link, or absent."""
        upper = os.path.join(self.runs.home_upper(self.run), one.folder)
        real = os.path.join(self.real, one.folder)
        plain = os.path.isdir(upper) and os.path.realpath(upper) == upper
        return (
            RunLayer(upper=upper, real=real) if plain and os.path.realpath(real) == real else None
        )

    def entries(self) -> Iterator[tuple[AgentHome, RunLayer, LayerEntry]]:
        """Yield what differs of the files that may leave."""
        for one in AGENT_HOMES:
            layer = self._layer(one)
            if layer is None:
                continue
            # A list: what is written changes what would be listed.
            for entry in list(layer.entries(one.holds)):
                if one.holds(entry.path):
                    yield one, layer, entry

    def before(self, path: str, digest: str) -> bytes | None:
        """Return what a real file holds, if that is what it held when it was compared."""
        files = DiskFiles(self.real)
        known = parse(path, root=files.root)
        return files.read(known) if digest and files.state(known) else None

    def write(self, path: str, content: bytes, *, expect: str | None) -> None:
        """Replace a file of the home directory if it still holds `expect`; a new one is private."""
        files = DiskFiles(self.real)
        with _private():
            files.replace(parse(path, root=files.root), content, expect=expect)

    def settle(self) -> None:
        """Drop from the layer what the real files hold by now."""
        for one in AGENT_HOMES:
            layer = self._layer(one)
            if layer is not None:
                layer.settle(one.holds)

    def forget(self, layer: RunLayer, path: str) -> None:
        """Drop a file from the layer, so that the next run sees the real one."""
        layer.forget(path)


@contextmanager
def _private() -> Iterator[None]:
    """Make new files and directories for their owner alone; a run has no other thread."""
    before = os.umask(PRIVATE)
    try:
        yield
    finally:
        os.umask(before)
