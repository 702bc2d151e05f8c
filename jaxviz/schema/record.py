"""The base of all records: their class, the version of their format, MIME types, and sentences."""

from __future__ import annotations

import importlib.metadata
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

VERSION = 6
MIME = "application/vnd.jaxviz.v1+json"
"""The type of a notebook's output with a program."""
LOG_MIME = "application/vnd.jaxviz.log.v1+json"
"""The type of a notebook's output with a log."""
QUIZ_MIME = "application/vnd.jaxviz.quiz.v1+json"
"""The type of a notebook's output with a question."""


@cache
def release() -> str:
    """Return the version of this jaxviz; empty if it is not installed as a package."""
    try:
        return importlib.metadata.version("jupyterlab-jaxviz")
    except importlib.metadata.PackageNotFoundError:
        return ""


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    """An immutable record: equal when its fields are equal."""

    def __repr__(self) -> str:
        """Give its fields in one short line, without those that are empty."""
        return _brief(self, MOST_FIELDS)


MOST_FIELDS = 12
"""The most fields of a record in its `repr`; a record within it shows `FEW_FIELDS`."""
FEW_FIELDS = 2
MOST_SCALARS = 6
"""A list of numbers or strings is shown up to this length. Of other lists only the length is."""
MOST_CHARACTERS = 48


def _brief(record: msgspec.Struct, most: int) -> str:
    fields = [(name, getattr(record, name)) for name in record.__struct_fields__]
    shown = [f"{name}={_value(one)}" for name, one in fields if _is_shown(one)]
    more = ["…"] if len(shown) > most else []
    return f"{type(record).__name__}({', '.join([*shown[:most], *more])})"


def _is_shown(one: Any) -> bool:
    return one is not None and one is not False and one not in ("", [], (), {})


def _value(one: Any) -> str:
    match one:
        case str():
            return repr(one if len(one) <= MOST_CHARACTERS else f"{one[: MOST_CHARACTERS - 1]}…")
        case list() | tuple() if len(one) > MOST_SCALARS or not all(map(_is_scalar, one)):
            return f"<{len(one)} {type(one[0]).__name__}>"
        case dict():
            return f"<{len(one)} entries>"
        case msgspec.Struct():
            return _brief(one, FEW_FIELDS)
        case _:
            return repr(one)


def _is_scalar(one: Any) -> bool:
    return one is None or isinstance(one, int | float) or (isinstance(one, str) and len(one) < 24)


AnyRecord = TypeVar("AnyRecord", bound=msgspec.Struct)


@cache
def field_types(kind: type) -> dict[str, inspect.Type]:
    """Return the type of each field of a record."""
    return {field.name: field.type for field in inspect.type_info(kind).fields}  # pyright: ignore[reportAttributeAccessIssue]


def empty(kind: type[AnyRecord], /, **fields: Any) -> AnyRecord:
    """Make a record with these fields; all others are empty."""
    others = {name: of for name, of in field_types(kind).items() if name not in fields}
    return kind(**fields, **{name: empty_value(of) for name, of in others.items()})


def empty_value(of: inspect.Type) -> Any:
    """Return the empty value of a field of this type: None if that is allowed."""
    match of:
        case inspect.ListType():
            return []
        case inspect.VarTupleType():
            return ()
        case inspect.StrType():
            return ""
        case inspect.BoolType():
            return False
        case inspect.IntType() | inspect.FloatType():
            return 0
        case inspect.StructType(cls=cls):
            return empty(cls)
        case inspect.UnionType(types=types) if not of.includes_none:
            return empty_value(types[0])
        case _:
            return None


class Sentence(Record, frozen=True):
    """A sentence of the kernel. A page translates it by its key and inserts its parts."""

    key: str
    """Its name in the tables of sentences (`jaxviz/sentences`). Empty for a text that is in no
    table: a message of JAX, or a sentence of a format before 6."""
    parts: tuple[str | int | Sentence, ...]
    """The variable parts, in the order in which they first appear in the text; a count of things
    comes first."""
    text: str
    """The whole sentence in English."""

    def __str__(self) -> str:
        return self.text

    def __format__(self, form: str) -> str:
        return format(self.text, form)

    def __contains__(self, text: str) -> bool:
        return text in self.text

    def __eq__(self, other: object) -> bool:
        """Compare with a sentence, or with a text by the English text."""
        if isinstance(other, Sentence):
            return (self.key, self.parts, self.text) == (other.key, other.parts, other.text)
        return self.text == other

    def __hash__(self) -> int:
        return hash(self.text)

    def __bool__(self) -> bool:
        """Return False for an empty text."""
        return self.text != ""


Words = str | Sentence
"""A text of a program, or words that a page translates."""


def literal(text: str) -> Sentence:
    """Make a sentence from a text that no page translates."""
    return Sentence(key="", parts=(), text=text)


NOTHING = literal("")
