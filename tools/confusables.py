"""Write `core/text/confusable_letters.py`: letters of other scripts that look like ASCII ones.

The data is Unicode's (`confusables.txt` and `Scripts.txt`), as the package `confusable-homoglyphs`
ships it; what a warning is made of is `homoglyphs`' business.
`python tools/confusables.py` writes the module, `--check` says whether it is what the data says.
"""

from __future__ import annotations

import json
import string
import sys
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PACKAGE = "confusable_homoglyphs"
TARGET = Path(__file__).resolve().parent.parent / "src/penstock/core/text/confusable_letters.py"
WIDTH = 96
NEAR = 32  # code points; a gap of so many is closed
# Letters of these are told apart by their blocks: styled, wide and letter-like Latin ones.
LEFT_OUT = frozenset({"COMMON", "LATIN", "INHERITED"})
# What a version of Unicode was the first to have, newest first.
FIRST_IN = ((0x105C0, "16.0"), (0x2EBF0, "15.1"), (0x11F00, "15.0"), (0x12F90, "14.0"))
HEAD = '''"""Letters of other scripts that look like an ASCII letter or digit, by script.

Made by `tools/confusables.py` from the data of Unicode {unicode} (UTS #39 `confusables.txt` and
`Scripts.txt`) in confusable-homoglyphs {package}; do not edit. The data is © Unicode, Inc., used
under the Unicode License v3 (https://www.unicode.org/license.txt).
Always true: the two texts of `ALIKE` are equally long; each letter looks like its counterpart.
"""

UNICODE = "{unicode}"

# fmt: off'''


def source() -> Path | None:
    """Return where the package's data lies; None where it is not installed."""
    spec = find_spec(PACKAGE)
    return Path(spec.origin).parent if spec and spec.origin else None


def module(folder: Path) -> str:
    """Return the module's text."""
    alike: dict[str, list[Any]] = json.loads((folder / "confusables.json").read_text("utf-8"))
    scripts = json.loads((folder / "categories.json").read_text("utf-8"))
    names: list[str] = scripts["iso_15924_aliases"]
    ranges: list[tuple[int, int, str]] = sorted(
        (first, last, names[script]) for first, last, script, _ in scripts["code_points_ranges"]
    )
    found: dict[str, list[tuple[str, str]]] = {}
    for plain in string.ascii_letters + string.digits:
        for one in sorted({entry["c"] for entry in alike.get(plain, [])}):
            if len(one) == 1 and not one.isascii():
                script = next((s for a, b, s in ranges if a <= ord(one) <= b), "COMMON")
                if script not in LEFT_OUT:
                    found.setdefault(script, []).append((one, plain))
    unicode = next(name for first, name in FIRST_IN if any(a <= first <= b for a, b, _ in ranges))
    lines = [HEAD.format(unicode=unicode, package=version("confusable-homoglyphs"))]
    lines.append("ALIKE = {")
    for script, pairs in sorted(found.items()):
        lines.append(f"    {_title(script)!r}: (".replace("'", '"'))
        lines += _wrapped("".join(one for one, _ in pairs))
        lines[-1] += ","
        lines += _wrapped("".join(plain for _, plain in pairs))
        lines += ["    ),"]
    lines += ["}", "# All letters of these scripts, as ranges of a character class.", "LETTERS = {"]
    for script in sorted(found):
        spans = _spans(ranges, script)
        lines.append(f'    "{_title(script)}": (')
        lines += _wrapped("".join(f"{chr(a)}-{chr(b)}" for a, b in spans))
        lines += ["    ),"]
    return "\n".join([*lines, "}", ""])


def _title(script: str) -> str:
    return script.replace("_", " ").title()


def _spans(ranges: list[tuple[int, int, str]], script: str) -> list[tuple[int, int]]:
    """Return where a script's characters are; what no other script has between them goes along."""
    spans: list[tuple[int, int]] = []
    before = ""
    for first, last, of in ranges:
        if of == script:
            near = before == script and first - spans[-1][1] <= NEAR
            spans.append((spans.pop()[0] if near else first, last))
        before = of
    return spans


def _wrapped(text: str) -> Iterator[str]:
    """Yield a text as pieces of one literal, escaped, none too long."""
    piece = ""
    for one in text:
        code = ord(one)
        sign = one if one.isascii() else f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"
        if len(piece) + len(sign) > WIDTH - 12:
            yield f'        "{piece}"'
            piece = ""
        piece += sign
    yield f'        "{piece}"'


def main() -> int:
    """Write the module, or say whether it is what it should be."""
    folder = source()
    if folder is None:
        print("confusable-homoglyphs is not installed; try: make setup", file=sys.stderr)
        return 1
    text = module(folder)
    if "--check" in sys.argv[1:]:
        return 0 if TARGET.read_text("utf-8") == text else 1
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
