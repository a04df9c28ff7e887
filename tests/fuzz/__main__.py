"""Run fuzz targets with atheris: `python -m tests.fuzz [NAME...] [--seconds N | --runs N]`.

Each target runs in a process of its own, so that a crash in one never hides another.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import subprocess
import sys
import tempfile

import tests.fuzz as package


def targets() -> list[str]:
    """Return the names of all fuzz targets."""
    names = (m.name for m in pkgutil.iter_modules(package.__path__))
    return sorted(n for n in names if not n.startswith(("test_", "__")))


def run_here(name: str, engine_args: list[str]) -> None:
    """Fuzz one target in this process until the engine ends it."""
    import atheris

    with atheris.instrument_imports(include=["penstock"]):
        module = importlib.import_module(f"tests.fuzz.{name}")
    atheris.Setup([sys.argv[0], *engine_args], module.one)
    atheris.Fuzz()


def run_apart(name: str, *, seconds: int, runs: int) -> int:
    """Fuzz one target in a process of its own; its exit code is 0 when nothing failed."""
    with tempfile.TemporaryDirectory(prefix="penstock-fuzz-") as scratch:
        limits = [f"-max_total_time={seconds}"] if seconds else [f"-runs={runs}"]
        engine = [
            *limits,
            "-max_len=4096",
            "-timeout=20",
            "-verbosity=0",
            f"-artifact_prefix={scratch}/",
        ]
        argv = [sys.executable, "-m", "tests.fuzz", "--here", name, *engine]
        env = {**os.environ, "PYTHONHASHSEED": "0"}
        return subprocess.run(argv, env=env, check=False).returncode


def main() -> int:
    """Run the named targets, or all, and tell which failed."""
    if len(sys.argv) > 2 and sys.argv[1] == "--here":
        run_here(sys.argv[2], sys.argv[3:])
        return 0
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--runs", type=int, default=2000)
    chosen = parser.parse_args()
    failed = [
        name
        for name in chosen.names or targets()
        if run_apart(name, seconds=chosen.seconds, runs=chosen.runs)
    ]
    print(f"fuzz: {len(failed)} target(s) failed {failed or ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
