"""Write credentials and transcripts of known agents back to the home directory when a run ends.

Always true: a file that its user changed after the run had copied it wins; nothing is removed; the
audit log has an entry before a file is written.
"""

from __future__ import annotations

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedRuns, RunLayer
from penstock.app.run.home import RunHome
from penstock.core.digest import digest
from penstock.core.errors import PenstockError
from penstock.core.run.entry import EntryKind, LayerEntry
from penstock.core.run.home import HomeFileKind, reason_to_keep
from penstock.core.text.display import spoken


def write_back(here: Workspace, runs: IsolatedRuns, run: str) -> list[str]:
    """Write back what may leave; return what a person should know of it."""
    home = RunHome(runs, run)
    written: list[str] = []
    lines: list[str] = []
    for agent, layer, entry in home.entries():
        kind, path = agent.kind(entry.path), f"{agent.folder}/{entry.path}"
        if kind is None or entry.held or entry.node.kind is not EntryKind.FILE:
            continue
        try:
            because = _take(here, home, run, path, kind, layer, entry)
        except (PenstockError, OSError) as fault:
            because = str(getattr(fault, "message", "") or fault)
        if because is None:
            written.append(path)
        elif because:
            lines.append(f"  not written: ~/{spoken(path)}: {because}")
    if written:
        home.settle()
        count = f"{len(written)} file{'s' if len(written) > 1 else ''}"
        lines.append(f"  home: {count} of agents (credentials, transcripts) written back")
    return lines


def _take(
    here: Workspace,
    home: RunHome,
    run: str,
    path: str,
    kind: HomeFileKind,
    layer: RunLayer,
    entry: LayerEntry,
) -> str | None:
    """Write one file; None when it was written, else why not, "" where nobody needs to know."""
    if entry.real is not None and entry.node.same(entry.real):
        return ""
    if entry.real is not None and entry.real.kind is not EntryKind.FILE:
        return "something else than a file is there"
    if entry.out_of_date:
        if kind is HomeFileKind.CREDENTIALS:
            home.forget(layer, entry.path)  # an older login in the layer would hide the newer one
        return "it was changed outside the run meanwhile"
    content = layer.content(entry.path, entry.node.digest)
    expect = entry.real.digest if entry.real else None
    because = reason_to_keep(kind, home.before(path, expect or ""), content)
    if because:
        return because
    facts = {
        "run": run,
        "kind": kind.value,
        "before": expect or "",
        "after": digest(content),
    }
    here.gate.record("home_writing", path=f"~/{path}", status="started", **facts)
    try:
        home.write(path, content, expect=expect)
    except PenstockError as fault:
        failed = {**facts, "code": fault.code}
        here.gate.record("home_written", path=f"~/{path}", status="failed", **failed)
        raise
    here.gate.record("home_written", path=f"~/{path}", status="ok", **facts)
    return None
