"""What a dataclass needs while it runs, once its methods were written out beforehand.

A process that ends after a few milliseconds cannot afford that every dataclass writes and
compiles its methods at every start. `stores/lean_class.py` writes them out instead.
Always true: `dataclasses.fields`, `replace` and `asdict` work on such a class as on any other.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FIELDS = "__dataclass_fields__"


class Made:
    """A default that is made anew for each object."""

    __slots__ = ("factory",)

    def __init__(self, factory: "Callable[[], Any]") -> None:
        self.factory = factory


class Fields:
    """A class's `__dataclass_fields__`, made when somebody asks.

    `hidden` ones are not shown, those `apart` are not compared.
    """

    __slots__ = ("apart", "found", "hidden", "names")

    def __init__(
        self, names: "tuple[str, ...]", hidden: "tuple[str, ...]", apart: "tuple[str, ...]"
    ) -> None:
        self.names = names
        self.hidden = hidden
        self.apart = apart
        self.found: Any = None

    def __get__(self, _thing: object, kind: type) -> "Any":
        if self.found is None:
            self.found = _fields(kind, self)
        return self.found


def _fields(kind: type, listed: Fields) -> "Any":
    """Let a dataclass of the same shape say what its fields are."""
    import dataclasses
    import inspect

    given = inspect.signature(kind).parameters
    shape = [
        (
            name,
            kind.__annotations__[name],
            dataclasses.field(
                **_default(given[name].default),
                repr=name not in listed.hidden,
                compare=name not in listed.apart,
                kw_only=given[name].kind is inspect.Parameter.KEYWORD_ONLY,
            ),
        )
        for name in listed.names
    ]
    return getattr(dataclasses.make_dataclass(kind.__name__, shape), FIELDS)


def _default(default: object) -> "dict[str, Any]":
    import inspect

    if type(default) is Made:
        return {"default_factory": default.factory}
    return {} if default is inspect.Parameter.empty else {"default": default}


def names_of(kind: type) -> "tuple[str, ...]":
    """Return the names of a dataclass's fields, written out beforehand or not."""
    fields = kind.__dict__[FIELDS]
    return fields.names if type(fields) is Fields else tuple(fields)


def shown(thing: object) -> str:
    """Return what the `__repr__` of a dataclass does."""
    fields = type(thing).__dict__[FIELDS]
    names = [name for name in fields.names if name not in fields.hidden]
    told = ", ".join(f"{name}={getattr(thing, name)!r}" for name in names)
    return f"{type(thing).__qualname__}({told})"


def replace(thing: "Any", /, **changes: "Any") -> "Any":
    """Return what `dataclasses.replace` does."""
    fields = type(thing).__dict__.get(FIELDS)
    if type(fields) is not Fields:
        import dataclasses

        return dataclasses.replace(thing, **changes)
    for name in fields.names:
        if name not in changes:
            changes[name] = getattr(thing, name)
    return type(thing)(**changes)
