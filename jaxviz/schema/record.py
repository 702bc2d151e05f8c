"""The base class of all records, the version of their format, and the MIME types of outputs."""

from __future__ import annotations

import importlib.metadata
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

VERSION = 6
MIME = "application/vnd.jaxviz.v1+json"
"""The type of a notebook's output that holds a program."""
LOG_MIME = "application/vnd.jaxviz.log.v1+json"
"""The type of a notebook's output that holds a log."""


@cache
def release() -> str:
    """Give the version of this jaxviz; empty where it is not installed as a package."""
    try:
        return importlib.metadata.version("jupyterlab-jaxviz")
    except importlib.metadata.PackageNotFoundError:
        return ""


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    """An immutable record: equal when its fields are equal."""


AnyRecord = TypeVar("AnyRecord", bound=msgspec.Struct)


@cache
def field_types(kind: type) -> dict[str, inspect.Type]:
    """Give the type of each field of a record."""
    return {field.name: field.type for field in inspect.type_info(kind).fields}  # pyright: ignore[reportAttributeAccessIssue]


def empty(kind: type[AnyRecord], /, **known: Any) -> AnyRecord:
    """Make a record of which only these fields are known: all others are empty."""
    others = {name: of for name, of in field_types(kind).items() if name not in known}
    return kind(**known, **{name: empty_value(of) for name, of in others.items()})


def empty_value(of: inspect.Type) -> Any:
    """Give what a field of this type is when it is empty: None where it may be."""
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
