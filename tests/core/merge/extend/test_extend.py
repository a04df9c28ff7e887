"""Extending a Python module: what joins, where, and what is left alone and told.

The cases are in `extend_joins.txt` and `extend_clashes.txt`, beside this file, to be read
like a manual: a sentence, the existing module, the new one, and what comes of it.
"""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from penstock.core.merge.extend.plan import MAX_STATEMENTS, MAX_WARNINGS, Planner
from penstock.core.merge.extend.proof import prove
from penstock.core.merge.extend.source import MAX_BYTES, MAX_LINES, CannotExtendError, read
from penstock.core.merge.strategies import MergeResult, Strategy, combine


def cases(name: str) -> list[object]:
    """Return the cases of a file: `== why`, existing, `-- new`, new, `-- result` or `-- told`."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    found: list[object] = []
    for case in re.split("^== ", text, flags=re.MULTILINE)[1:]:
        why, _, rest = case.partition("\n")
        old, _, rest = rest.partition("-- new\n")
        new, _, rest = rest.partition("-- ")
        found.append(pytest.param(old, new, rest.partition("\n")[2], id=why))
    return found


def extended(existing: str, new: str, path: str = "mod.py") -> MergeResult:
    return combine(dedent(existing).encode(), dedent(new).encode(), "extend", path=path)


def text(existing: str, new: str) -> str:
    merged = extended(existing, new)
    assert merged.strategy is Strategy.EXTEND, merged.warnings
    return merged.content.decode()


def keeps_lines(existing: str, result: str) -> bool:
    """Every existing line is there, in order."""
    lines = iter(result.splitlines())
    return all(any(line == other for other in lines) for line in dedent(existing).splitlines())


@pytest.mark.parametrize(("old", "new", "result"), cases("extend_joins.txt"))
def test_new_members_join_their_block(old: str, new: str, result: str) -> None:
    merged = extended(old, new)
    assert merged.content.decode() == result
    assert (merged.strategy, merged.warnings) == (Strategy.EXTEND, ())


@pytest.mark.parametrize(("old", "new", "told"), cases("extend_clashes.txt"))
def test_a_clash_is_told_and_the_existing_member_kept(old: str, new: str, told: str) -> None:
    merged = extended(old, new)
    assert merged.content.decode() == old
    assert merged.strategy is Strategy.EXTEND
    assert merged.warnings == (told.strip(),)


STORE = '''\
    #!/usr/bin/env python3
    """What a store holds."""

    from __future__ import annotations

    import os  # for paths
    from typing import Any


    class Store(dict):
        """A store."""

        limit: int = 5   # odd   spacing stays

        # why `get` is decorated
        @staticmethod
        def get( key ):
            return key

        @property
        def size(self) -> int:
            return 1
        # the last word in the class


    def main() -> None:  # entry
        Store()


    # run as a script
    if __name__ == "__main__":
        main()
'''


def test_new_methods_join_their_class_and_nothing_else_moves() -> None:
    result = text(
        STORE,
        """
        class Store(dict):
            # puts it
            @classmethod
            def put(cls, key):
                return key
                # nothing else

            async def drop(self): ...
        """,
    )
    assert (
        "    # the last word in the class\n\n"
        "    # puts it\n    @classmethod\n    def put(cls, key):\n        return key\n"
        "        # nothing else\n\n"
        "    async def drop(self): ...\n\n\ndef main()"
    ) in result
    assert keeps_lines(STORE, result)


def test_functions_and_classes_go_before_the_main_block_with_their_comments() -> None:
    result = text(
        STORE,
        """
        # helps
        def helper():
            pass

        class Other:
            pass
        """,
    )
    assert result.endswith(
        "    Store()\n\n\n# helps\ndef helper():\n    pass\n\nclass Other:\n    pass\n\n\n"
        '# run as a script\nif __name__ == "__main__":\n    main()\n'
    )
    assert keeps_lines(STORE, result)


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ("x = 1", "y = 2\n", "x = 1\n\ny = 2\n"),
        ("# only this", '"""Doc."""\nimport os\n', '# only this\n"""Doc."""\nimport os\n'),
        ("", '"""Doc."""\nx = 1', '"""Doc."""\nx = 1'),
        ("\n\n", "x = 1\n", "\n\nx = 1\n"),
    ],
    ids=["no last line end", "only comments", "empty", "blank"],
)
def test_files_that_end_early_get_a_line_end_and_the_rest(old: str, new: str, result: str) -> None:
    assert text(old, new) == result


def test_a_clash_does_not_stop_the_others() -> None:
    merged = extended(
        "class A:\n    def a(self): ...\n",
        "class A:\n    def a(self): return 1\n    def b(self): return 2\n",
    )
    assert b"return 2" in merged.content
    assert b"return 1" not in merged.content
    assert merged.warnings == ("class `A` method `a` already exists and was kept",)


def test_warnings_are_not_endless() -> None:
    old = "".join(f"x{n} = 1\n" for n in range(200))
    merged = extended(old, old.replace("= 1", "= 2"))
    assert len(merged.warnings) == MAX_WARNINGS + 1
    assert merged.warnings[-1] == "and 150 more"


def test_what_a_joined_class_needs_stands_above_it() -> None:
    result = text(
        """
        import os


        class A:
            pass
        """,
        """
        def base():
            return later()

        LIMIT = base() + 1

        def retry(f, *, n=LIMIT):
            return f

        class Result: ...

        def later(): ...

        class A:
            @retry
            def run(self) -> Result: ...
        """,
    )
    order = ["def base", "LIMIT =", "def retry", "class Result", "class A", "def later"]
    assert sorted(order, key=result.index) == order


def test_postponed_annotations_need_nothing() -> None:
    old = "from __future__ import annotations\n\n\nclass A:\n    pass\n"
    new = "class R: ...\n\nclass A:\n    x: R = 1\n    def run(self, a: R) -> R: ...\n"
    result = text(old, new)
    assert result.index("class A") < result.index("class R")


def test_a_lambda_needs_its_names_only_when_called() -> None:
    new = "def late(): ...\n\nclass A:\n    f = lambda x=1, *, y=2: late()\n"
    result = text("class A:\n    pass\n", new)
    assert result.index("class A") < result.index("def late")


RE_INDENTED = '''\
class A:
  def run(self, x):
    """Doc
  of two lines.
    """
    if x:
      return f"""{x}
  data"""  # why

    return (1,
 2)
'''


@pytest.mark.parametrize("step", ["\t", " " * 8, " "])
def test_methods_take_the_indentation_of_their_class_and_strings_stay(step: str) -> None:
    result = text(f"class A:\n{step}x = 1\n", RE_INDENTED)
    assert f'\n{step}def run(self, x):\n{step * 2}"""Doc\n  of two lines.\n    """\n' in result
    assert f'\n{step * 2}if x:\n{step * 3}return f"""{{x}}\n  data"""  # why\n' in result
    joined, asked = ast.parse(result).body[0], ast.parse(RE_INDENTED).body[0]
    assert isinstance(joined, ast.ClassDef)
    assert isinstance(asked, ast.ClassDef)
    assert ast.dump(joined.body[1]) == ast.dump(asked.body[0])


def test_a_crlf_file_stays_one() -> None:
    old = b"import a\r\n\r\nclass A:\r\n    x = 1\r\n"
    merged = combine(old, b"import b\nclass A:\n    y = '''\n'''\n", "extend")
    assert merged.content == (
        b"import a\r\nimport b\r\n\r\nclass A:\r\n    x = 1\r\n    y = '''\r\n'''\r\n"
    )
    back = combine(b"class A:\n    x = 1\n", b"class A:\r\n    y = '''\r\n'''\r\n", "extend")
    assert back.content == b"class A:\n    x = 1\n    y = '''\n'''\n"


def test_the_byte_order_mark_stays_at_the_top() -> None:
    mark = b"\xef\xbb\xbf"
    merged = combine(mark + b"x = 1\n", mark + b"import a\n", "extend")
    assert merged.content == mark + b"import a\n\nx = 1\n"


def test_names_beyond_ascii_do_not_shift_columns() -> None:
    result = text("größe = 1; ß = 2\n", "größe = 1; ä = 'ö'; ß = 2\n")
    assert result == "größe = 1; ß = 2\n\nä = 'ö'\n"


ONE = b"x = 1\n"
FALLBACKS = {
    "S0-055 a syntax error in the new content": (
        (ONE, b"def f(:\n"),
        "the new content is not valid Python",
    ),
    "S0-056 a syntax error in the existing file": (
        (b"def f(:\n", ONE),
        "the existing file is not valid Python",
    ),
    "NUL": ((ONE, b"y = '\0'\n"), "the new content is not valid Python"),
    "bytes that are no UTF-8": ((ONE, b"y = '\xff'\n"), "the new content is not UTF-8 text"),
    "another encoding": (
        (b"# coding: latin-1\nx = '\xff'\n", ONE),
        "the existing file declares the encoding `iso-8859-1`",
    ),
    "an encoding nobody knows": (
        (ONE, b"# coding: klingon\ny = 1\n"),
        "the new content is not UTF-8 text",
    ),
    "bare carriage returns": (
        (b"x = 1\r", ONE),
        "the existing file has carriage returns inside its lines",
    ),
    "deep parentheses": (
        (b"x = " + b"(" * 10**5, ONE),
        "the existing file is not valid Python",
    ),
    "S0-083 deep operators": (
        (ONE, b"y = " + b"-" * 10**5 + b"1\n"),
        "the new content is nested too deeply",
    ),
    "S0-083 long chains": (
        (b"x = " + b"+".join([b"1"] * 50_000) + b"\n", ONE),
        "the existing file is nested too deeply",
    ),
    "too many bytes": (
        (b"x = '" + b"a" * MAX_BYTES + b"'\n", ONE),
        "the existing file is larger than 2 MB",
    ),
    "too many lines": (
        (ONE, b"\n" * (MAX_LINES + 1)),
        f"the new content has more than {MAX_LINES} lines",
    ),
    "S0-129 too many statements": (
        (b"f()\n" * MAX_STATEMENTS, ONE),
        f"there are more than {MAX_STATEMENTS} statements to compare",
    ),
    "S0-129 a helper that needs what comes later": (
        (b"class A: ...\nclass B: ...\n", b"class C(B): ...\nclass A:\n    x = C()\n"),
        "`B` would be needed above the place where it is defined",
    ),
    "S0-129 what the module deletes": (
        (b"import sys\ndel sys\n", b"x = sys.path\n"),
        "`sys` is deleted above the place where it would be needed",
    ),
    "a header that goes on in the next line": (
        (b"class A: \\\n    pass\n", b"class A:\n    x = 1\n"),
        "the result is not valid Python",
    ),
}


@pytest.mark.parametrize(("sides", "reason"), FALLBACKS.values(), ids=FALLBACKS.keys())
def test_what_cannot_be_extended_is_appended_with_a_warning(
    sides: tuple[bytes, bytes], reason: str
) -> None:
    merged = combine(*sides, "extend", path="mod.py")
    assert merged.strategy is Strategy.APPEND
    assert merged.content == combine(*sides, "append").content
    assert merged.warnings[0].startswith(f"extend fell back to append: {reason}")


@pytest.mark.parametrize("path", ["notes.md", "Makefile", "a.py.txt", "python"])
def test_files_that_are_not_python_are_appended_to(path: str) -> None:
    merged = extended("x = 1\n", "y = 2\n", path)
    assert merged.content == b"x = 1\n\ny = 2\n"
    assert (merged.strategy, len(merged.warnings)) == (Strategy.APPEND, 1)
    assert path in merged.warnings[0]


@pytest.mark.parametrize("path", ["a.py", "A.PY", "a.pyi", "b/c.pyw", ""])
def test_python_files_and_unnamed_content_are_extended(path: str) -> None:
    assert extended("x = 1\n", "y = 2\n", path).strategy is Strategy.EXTEND


def test_the_proof_refuses_whatever_lacks_changes_or_adds_a_statement() -> None:
    old = read(b"x = 1\nclass A:\n    y = 1\n", whose="it")
    new = read(b"z = 2\nclass A:\n    w = 1\n", whose="it")
    root = Planner(old, new).plan().root
    good = b"x = 1\nclass A:\n    y = 1\n    w = 1\nz = 2\n"
    prove(old, read(good, whose="it"), root)
    for bad in (
        good.replace(b"x = 1", b"x = 3"),
        good.replace(b"z = 2\n", b""),
        good.replace(b"z = 2", b"z = 3"),
        good.replace(b"y = 1\n    ", b""),
        good.replace(b"    w = 1\n", b""),
        good.replace(b"class A:", b"class A(B):"),
        good.replace(b"class A:", b"if A:"),
        good.replace(b"class A:\n    y = 1\n    w = 1\n", b"A = 1\n"),
        good + b"more = 1\n",
    ):
        with pytest.raises(CannotExtendError):
            prove(old, read(bad, whose="it"), root)


def members(source: bytes) -> set[str]:
    return {
        node.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }


def without_some(source: str, leave_out: list[bool]) -> str:
    """The source with some members, methods and imports cut out by their lines."""
    drop: set[int] = set()
    choice = iter(leave_out * 500)

    def walk(body: list[ast.stmt]) -> None:
        for node in body[1:]:
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Import) and next(choice):
                marks = getattr(node, "decorator_list", [])
                first = min([node.lineno, *(mark.lineno for mark in marks)])
                drop.update(range(first, (node.end_lineno or 0) + 1))
            elif isinstance(node, ast.ClassDef):
                walk(node.body)

    walk(ast.parse(source).body)
    lines = source.splitlines(keepends=True)
    return "".join(line for n, line in enumerate(lines, 1) if n not in drop)


REAL = [Path(subprocess.__file__), Path(ast.__file__), Path(dedent.__code__.co_filename)]


@settings(max_examples=12, deadline=None)
@given(path=st.sampled_from(REAL), leave_out=st.lists(st.booleans(), min_size=1, max_size=40))
def test_a_real_module_gets_back_what_was_cut_out_of_it(path: Path, leave_out: list[bool]) -> None:
    whole = path.read_text(encoding="utf-8")
    rest = without_some(whole, leave_out)
    try:
        ast.parse(rest)
    except SyntaxError:
        return
    merged = combine(rest.encode(), whole.encode(), "extend", path=str(path))
    assert merged.strategy is Strategy.EXTEND
    assert members(merged.content) == members(whole.encode())
    assert keeps_lines(rest, merged.content.decode())


PIECES = [
    "import a",
    "from a import b, c",
    "x = 1",
    "x: int = 2",
    "a, b = 1, 2",
    "f()",
    "def f(): ...",
    "def f(x): return x",
    "async def g():\n    pass",
    "class A:\n    x = 1",
    "class A(B):\n\tdef f(self):\n\t\tpass",
    "class A:\n  class B:\n    '''s\n t'''\n    z = 1",
    "class D: pass",
    "class D: z = 1",
    "'Doc.'",
    "# comment",
    "",
    "if x:\n    import z",
    "if x: y = 1",
    "try:\n  import q\nexcept E: q = 0",
    'if __name__ == "__main__":\n    f()',
    "x = 1; y = 2",
    "@d\nclass C: ...",
    "del x",
    "for i in x: j = i",
    "with a as b: pass",
    "y = '''\n # no comment\n'''",
    "(x :=\n 1)",
    "match x:\n    case 1: y = 2",
    "lambda: 0",
    "\x0cz = 1",
    "    # deep",
]
SOURCES = st.lists(st.sampled_from(PIECES), max_size=8).map("\n".join)


@settings(max_examples=300, deadline=None)
@given(existing=SOURCES, new=SOURCES, crlf=st.booleans())
@example(existing="x = 1; y = 2", new="if x:\n    import z\nif x: y = 1", crlf=False)
def test_whatever_is_extended_still_holds_every_existing_statement(
    existing: str, new: str, crlf: bool
) -> None:
    old = existing.replace("\n", "\r\n") if crlf else existing
    merged = combine(old.encode(), new.encode(), "extend")
    if merged.strategy is Strategy.APPEND:
        assert merged.warnings
        assert merged.content.startswith(old.encode())
        return
    result = merged.content.decode()
    assert "\r\n" not in old or "\n" not in result.replace("\r\n", "")
    # Only a body on its header's line may be broken off; all else is there, in order.
    left = iter("".join(result.split()))
    assert all(any(char == other for other in left) for char in "".join(old.split()))
    assert len(ast.parse(result).body) >= len(ast.parse(existing).body)
    again = combine(merged.content, new.encode(), "extend")
    assert again.strategy is Strategy.EXTEND
    assert again.content == merged.content
