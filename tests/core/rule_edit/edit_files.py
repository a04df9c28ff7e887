"""Rules files as people write them, for the tests of edits: every layout that TOML allows.

A file is a list of chunks; each chunk is text that an edit of another chunk must not touch.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines of a file. A rule has a name; `text` ends with a newline and has no blank ends."""

    text: str
    name: str = ""
    table: str = ""


BASIC = [
    '"^ls"',
    "'^git (status|log)'",
    r'"a\\b"',
    r'"tab\tnew\nline"',
    '"é ü"',
    '""',
    '"[[allow]]"',
]
LITERAL = [r"'\d+\s'", "'[[deny]]'", "''"]
MANY = [
    '"""\n[[allow]]\nid = "no"\n# no comment\n"""',
    "'''\n# no comment'''",
    '[\n  "a",  # first\n  "b",\n]',
    '[ "x", "y" ]',
    "[]",
    '"""one\\\n   two"""',
    '{ a = 1, b = "]" }',
    "1979-05-27",
    "0x1F",
    '[["a"], ["b", "c"]]',
]
VALUES = [*BASIC, *LITERAL, *MANY, "true", "false", "7", "-3", "0.5", "1e3"]
KEYS = [
    "tool",
    "command_regex",
    "file_path_regex",
    "description",
    "prompt_regex",
    "reason",
    "extra",
]
ODD_KEYS = ['"quoted key"', "'lit'", "dotted.a", 'dotted."b c"']
COMMENTS = ["# about it", "#no space", '# key = "value"', "# [[allow]]", "  # indented", "#"]
SPACES = ["", " ", "  ", "\t"]


@st.composite
def pairs(draw: st.DrawFn) -> str:
    """The lines of a table: pairs, some comments and blank lines between them."""
    keys = draw(st.lists(st.sampled_from([*KEYS, *ODD_KEYS]), unique=True, max_size=4))
    lines = []
    for key in keys:
        indent, left, right = (draw(st.sampled_from(SPACES)) for _ in range(3))
        tail = draw(st.sampled_from(["", "", "  # behind", "\t"]))
        lines.append(f"{indent}{key}{left}={right}{draw(st.sampled_from(VALUES))}{tail}\n")
        if draw(st.integers(0, 5)) == 0:
            lines.append(draw(st.sampled_from(["# inside\n", "\n", "  \n"])))
    while lines and not lines[-1].strip():
        lines.pop()
    if lines and lines[-1] == "# inside\n":
        lines.pop()
    return "".join(lines)


@st.composite
def rules(draw: st.DrawFn, number: int, tables: tuple[str, ...]) -> Chunk:
    """One rule, with the comments above it and sometimes a table inside it."""
    table, name = draw(st.sampled_from(tables)), f"r{number}"
    above = draw(st.lists(st.sampled_from(COMMENTS), max_size=2))
    header = draw(st.sampled_from([f"[[{table}]]", f"[[ {table} ]]  # head", f"  [[{table}]]"]))
    inner = draw(st.sampled_from(["", "", "", f"[{table}.meta]\nx = 1\n", f"\n[{table}.m]\n"]))
    text = "".join(f"{line}\n" for line in above) + f"{header}\n"
    text += f'id = "{name}"\n' + draw(pairs()) + inner
    return Chunk(text, name, table)


SETTINGS = [
    '[audit]\naudit_file = "/x"\n',
    "# the log\n[logging]\nlog_level = 'info'\n",
    '[llm_fallback]\nmodel = "m"  # which\nenabled = false\n',
    '[includes]\nfiles = ["a.toml"]\nsystem_prompt = "stray"\n',
]
FREE = ["# ---- a part ----\n", "# one\n# two\n"]


@st.composite
def files(draw: st.DrawFn, tables: tuple[str, ...] = ("allow", "deny")) -> list[Chunk]:
    """A file: settings first or last, rules of several kinds between each other."""
    kinds = draw(st.lists(st.sampled_from(["rule", "rule", "rule", "free"]), max_size=7))
    body = [
        draw(rules(number, tables)) if kind == "rule" else Chunk(draw(st.sampled_from(FREE)))
        for number, kind in enumerate(kinds)
    ]
    settings = draw(st.lists(st.sampled_from(SETTINGS), unique=True, max_size=3))
    at = draw(st.integers(0, len(body)))
    return [*body[:at], *map(Chunk, settings), *body[at:]]


def written(
    chunks: list[Chunk], *, newline: str = "\n", final: bool = True, bom: bool = False
) -> bytes:
    """Return the file, its chunks one blank line apart."""
    text = "\n".join(chunk.text for chunk in chunks)
    text = text if final else text.removesuffix("\n")
    return (("\ufeff" if bom else "") + text.replace("\n", newline)).encode()
