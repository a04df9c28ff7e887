"""The command itself, without its start: run in this process, in a project of its own."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from unittest.mock import patch

from penstock.cli import main
from tests.project import Done, Project


class Quick(Project):
    """A project whose commands run here; what a command prints and its code are the same."""

    def run(self, *argv: str, env: Mapping[str, str] | None = None, stdin: str = "") -> Done:
        assert not stdin
        out, err = io.StringIO(), io.StringIO()
        code = 0
        with (
            patch.dict(os.environ, {**self.environ, **(env or {})}, clear=True),
            chdir(self.root),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            try:
                main(list(argv))
            except SystemExit as ended:
                code = int(ended.code or 0)
        return Done(code, out.getvalue(), err.getvalue())
