"""Lean code does what its source says: every class of ours is compared with what it was."""

from __future__ import annotations

import builtins
import dataclasses
import dis
import importlib
import inspect
import sys
from collections.abc import Iterator
from types import CodeType, ModuleType
from typing import Any

import pytest

from penstock.core.lowered import Fields, Made, names_of, replace
from penstock.stores.bundle import package
from penstock.stores.bundling import sources
from penstock.stores.lean import lean_code

MODULES = sorted(sources())


def lean(name: str, source: bytes) -> ModuleType:
    """Return a module made of lean code; what it imports is as ever."""
    module = ModuleType(name)
    module.__dict__["__file__"] = f"{name}.py"
    sys.modules[name] = module
    try:
        exec(lean_code(source, f"{name}.py"), module.__dict__)
    finally:
        del sys.modules[name]
    return module


def of_ours(name: str, path: str) -> ModuleType:
    """Return one of our modules, made of lean code, under another name."""
    with open(f"{package()}/{path}", "rb") as file:
        source = file.read()
    packaged = name if path.endswith("__init__.py") else name.rpartition(".")[0]
    return lean(f"{packaged}.lean_{name.rpartition('.')[2]}", source)


def classes(module: ModuleType, name: str) -> dict[str, type]:
    """Return the classes that a module makes."""
    return {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == name
    }


@pytest.mark.parametrize(("name", "path"), MODULES, ids=[name for name, _ in MODULES])
def test_every_module_has_its_names_and_every_class_is_what_it_was(name: str, path: str) -> None:
    real = importlib.import_module(name)
    other = of_ours(name, path)
    mine, theirs = classes(real, name), classes(other, other.__name__)
    assert mine.keys() == theirs.keys()
    for key, kind in mine.items():
        if dataclasses.is_dataclass(kind):
            compare(kind, theirs[key])
    with open(f"{package()}/{path}", "rb") as file:
        wanted = set(names_in(lean_code(file.read(), path)))
    assert wanted <= vars(other).keys() | vars(builtins).keys(), "no import is missed"


def names_in(code: CodeType) -> Iterator[str]:
    """Yield the names that code looks for in its module."""
    for one in dis.get_instructions(code):
        if one.opname == "LOAD_GLOBAL":
            yield one.argval
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from names_in(inner)


def compare(kind: Any, other: Any) -> None:
    """Compare a dataclass with what was written out for it."""
    assert type(vars(other)["__dataclass_fields__"]) is Fields, f"{kind} was not understood"
    for word in ("__slots__", "__match_args__", "__annotations__"):
        assert vars(kind).get(word) == vars(other).get(word), (kind, word)
    assert (kind.__hash__ is None) == (other.__hash__ is None)
    assert (kind.__eq__ is object.__eq__) == (other.__eq__ is object.__eq__)
    assert names_of(kind) == names_of(other)
    for one, two in zip(dataclasses.fields(kind), dataclasses.fields(other), strict=True):
        assert (one.name, one.repr, one.compare, one.kw_only, one.init) == (
            *(two.name, two.repr, two.compare, two.kw_only, two.init),
        )
        assert alike(one.default, two.default), (kind, one.name)
        assert alike(one.default_factory, two.default_factory), (kind, one.name)
    given, taken = (inspect.signature(of).parameters.values() for of in (kind, other))
    assert [(p.name, p.kind) for p in given] == [(p.name, p.kind) for p in taken]
    assert callable(getattr(kind, "__post_init__", None)) == hasattr(other, "__post_init__")


def alike(one: object, two: object) -> bool:
    """Values of two modules of one source: the same, or of classes and lambdas of one name."""
    if one == two or repr(one) == repr(two):
        return True
    return getattr(one, "__qualname__", one) == getattr(two, "__qualname__", two)


SOURCE = b'''
from __future__ import annotations
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, cast
import penstock.nowhere.at.all  # for an annotation
from penstock.core.errors import InputError, StoreError, AuditError, LimitError

__all__ = ["AuditError"]
FAULT = cast("Any", StoreError)

def told(fault: InputError | penstock.Fault) -> None: ...

if TYPE_CHECKING:
    from nowhere import Nothing
else:
    Nothing = 7

@dataclass(frozen=True, kw_only=True, slots=True)
class Point:
    """Words for readers."""

    type: int  # the name of a function that is built in
    tags: list[str] = field(default_factory=list)
    seen: dict[str, Nothing] = field(default_factory=lambda: {"a": 1}, repr=False)
    more: int = 3
    beside: int = field(default=0, compare=False)

    def fault(self) -> LimitError: ...
    def moved(self) -> Point:
        return replace(self, more=self.more + 1)

@dataclass(slots=True)
class Count:
    at: int = 0
    twice: int = 0

    def __post_init__(self) -> None:
        self.twice = 2 * self.at

@dataclass(eq=False)
class Alone:
    name: str = "x"

@dataclass
class Empty:
    pass

class Speaks(Protocol):
    def say(self) -> str: ...
'''


@pytest.fixture
def module() -> Any:
    return lean("lean_sample", SOURCE)


def test_an_object_is_made_as_a_dataclass_makes_it(module: Any) -> None:
    one, two = module.Point(type=1), module.Point(type=1)
    assert (one.type, one.tags, one.seen, one.more) == (1, [], {"a": 1}, 3)
    assert one.tags is not two.tags, "a default that is made is made for each"
    assert repr(one) == "Point(type=1, tags=[], more=3, beside=0)"
    assert module.Count(4).twice == 8
    assert repr(module.Empty()) == "Empty()"
    with pytest.raises(TypeError):
        module.Point(1)
    with pytest.raises(TypeError):
        module.Point()
    with pytest.raises(AttributeError):
        one.other = 1


def test_objects_are_compared_as_dataclasses_are(module: Any) -> None:
    assert module.Point(type=1) == module.Point(type=1, more=3)
    assert module.Point(type=1) == module.Point(type=1, beside=9)
    assert module.Point(type=1) != module.Point(type=2)
    assert module.Point(type=1) != module.Count(1)
    assert hash(module.Point(type=1, tags=(), seen=())) == hash(
        module.Point(type=1, tags=(), seen=(), beside=9)
    )
    assert module.Alone() != module.Alone()
    with pytest.raises(TypeError):
        hash(module.Count())


def test_the_functions_of_the_standard_library_know_such_a_class(module: Any) -> None:
    one = module.Point(type=1)
    assert one.moved() == dataclasses.replace(one, more=4)
    plain = {"type": 1, "tags": [], "seen": {"a": 1}, "more": 3, "beside": 0}
    assert dataclasses.asdict(one) == plain
    assert dataclasses.is_dataclass(one)
    with pytest.raises(TypeError):
        replace(one, none=1)


def test_replace_knows_ordinary_dataclasses_too() -> None:
    @dataclasses.dataclass
    class Point:
        x: int

    assert replace(Point(1), x=2) == Point(2)


def test_what_only_type_checkers_need_is_gone(module: Any) -> None:
    assert module.Nothing == 7, "what stands behind `else` is for us"
    assert module.Speaks.__mro__ == (module.Speaks, object)
    assert module.Point.__doc__ is None
    assert (
        not {"Any", "cast", "dataclass", "field", "Protocol", "TYPE_CHECKING"} & vars(module).keys()
    )
    assert module.Point.moved.__annotations__ == {}
    assert not {"penstock", "InputError", "LimitError"} & vars(module).keys()
    assert {"AuditError", "StoreError"} <= vars(module).keys(), "others may want what is listed"


# What is not understood to the last word stays a dataclass, and works.
STAYS = [
    ("order", "@dataclass(order=True)\nclass P:\n    x: int = 0\n"),
    ("a switch that is computed", "YES = True\n@dataclass(frozen=YES)\nclass P:\n    x: int = 0\n"),
    ("another decorator", "@str.__class__.mro and dataclass\nclass P:\n    x: int = 0\n"),
    ("a base", "class B: pass\n@dataclass\nclass P(B):\n    x: int = 0\n"),
    (
        "a field that is not hashed",
        "@dataclass\nclass P:\n    x: int = field(default=0, hash=False)\n",
    ),
    ("no field", "@dataclass\nclass P:\n    x: int = 0\n    y: 'ClassVar[int]' = 1\n"),
]


@pytest.mark.parametrize(("why", "source"), STAYS, ids=[why for why, _ in STAYS])
def test_a_class_that_is_not_understood_stays_what_it_is(why: str, source: str) -> None:
    head = "from typing import ClassVar\nfrom dataclasses import dataclass, field\n"
    made: Any = lean("lean_stays", (head + source).encode())
    assert type(vars(made.P)["__dataclass_fields__"]) is dict, why
    assert made.P().x == 0


def test_a_default_that_is_made_knows_how() -> None:
    assert Made(list).factory is list
