"""The command itself, without its start: run in this process, in a project of its own."""

from __future__ import annotations

import gc
import io
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from penstock.cli import main
from tests.project import Done, Project


class Quick(Project):
    """A project whose commands run here; what a command prints and its code are the same."""

    def run(self, *argv: str, env: Mapping[str, str] | None = None, stdin: str = "") -> Done:
        assert not stdin
        return run_here(main, argv, cwd=self.root, environ={**self.environ, **(env or {})})


def run_here(
    command: Callable[[list[str]], None],
    argv: Sequence[str],
    *,
    cwd: Path,
    environ: Mapping[str, str],
) -> Done:
    """Run a command as if it were a process: its directory, variables, output and exit code."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with (
        patch.dict(os.environ, environ, clear=True),
        chdir(cwd),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            command(list(argv))
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            gc.enable()  # a command that ends may never collect; this process goes on
    return Done(code, out.getvalue(), err.getvalue())
