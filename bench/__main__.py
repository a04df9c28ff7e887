"""Print every performance row: `make bench`, or `python -m bench AREA...` for some of them."""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from collections.abc import Iterator

import bench
from bench.row import Row

HELPERS = {"row", "__main__"}


def areas() -> list[str]:
    """Return the names of the modules that have rows."""
    return sorted(m.name for m in pkgutil.iter_modules(bench.__path__) if m.name not in HELPERS)


def rows_of(area: str) -> Iterator[Row]:
    """Measure one area."""
    yield from importlib.import_module(f"bench.{area}").rows()


def shown(row: Row) -> str:
    """Return a row as a line for people."""
    limit = "" if row.limit is None else f"(limit {row.limit:g}x {'ok' if row.met else 'MISSED'})"
    scale = {"s": (1e3, "ms"), "B": (1 / 2**20, "MiB")}[row.unit]
    values = (
        f"{row.subject * scale[0]:10.3f} {scale[1]} / {row.baseline * scale[0]:10.3f} {scale[1]}"
    )
    return (
        f"{row.area:9} {row.name:46} {row.ratio:9.2f}x {row.beside:26} {values} {limit} {row.note}"
    )


def main(argv: list[str]) -> int:
    """Measure the named areas, or all; exit 1 when a promised ratio was missed."""
    as_json = "--json" in argv
    chosen = [name for name in argv if not name.startswith("-")] or areas()
    missed = 0
    for area in chosen:
        for row in rows_of(area):
            missed += not row.met
            line = json.dumps({**{k: getattr(row, k) for k in row.__slots__}, "ratio": row.ratio})
            print(line if as_json else shown(row), flush=True)
    print(f"{missed} row(s) missed their limit", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
