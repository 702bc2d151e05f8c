"""Reads records of earlier formats: fields that they do not have yet get a value from a table.

So a file or a notebook's output that an earlier jaxviz saved is read as if this one had saved it.
`scripts/schema.py` writes the table for the page, which reads such outputs too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from jaxviz.schema import format1
from jaxviz.schema.program import Program
from jaxviz.schema.record import VERSION, Record

ADDED: Mapping[int, Mapping[str, Any]] = {
    2: {
        "Program.fixed": [],
        "Event.looked": False,
        "Event.failed": None,
        "Eqn.roles": [],
        "Cause.values": [],
        "Cause.others": 0,
        "Log.ops": [],
        "Display.jaxviz": "",
        "LogDisplay.jaxviz": "",
    },
    3: {
        "Display.opening": {},
    },
}
"""For each format the fields that came with it, by their full name (`Eqn.trips`). Each has the
value, as JSON, that it gets in records of an earlier format. `complete` may replace it by one that
follows from the rest of the record."""

GONE: Mapping[int, Mapping[str, str]] = {3: {"Display.stage": "Display.opening"}}
"""For each format the fields that it took away, and the fields that replace them. Only displays may
lose fields, since only the page reads them (`js/src/hosts/lab/display.ts`)."""

Saved = TypeVar("Saved", bound=Record)


class NewerFormatError(ValueError):
    """The data has a later format than this jaxviz knows."""

    def __init__(self, version: int) -> None:
        super().__init__(
            f"is of format {version}, and this jaxviz reads formats up to {VERSION}: update "
            "jaxviz, or save it with this one"
        )


def missing(version: int) -> dict[str, Any]:
    """The values for all fields that a record of format `version` does not have yet, by full name.

    Raises NewerFormatError where this jaxviz does not know the format."""
    if version > VERSION:
        raise NewerFormatError(version)
    return {
        field: value
        for number in ADDED
        if number > version
        for field, value in ADDED[number].items()
    }


class _Versioned(msgspec.Struct):
    version: int


def read(text: bytes, kind: type[Saved]) -> Saved:
    """The record of type `kind` that was saved as JSON, in this format or an earlier one.

    Raises NewerFormatError for a later format, and msgspec.DecodeError or UnicodeDecodeError for
    anything else."""
    version = msgspec.json.decode(text, type=_Versioned).version
    if version < 1:
        raise msgspec.ValidationError(f"there is no format {version}")
    if version == VERSION:
        return msgspec.json.decode(text, type=kind)
    absent = missing(version)
    data = msgspec.json.decode(text)
    record = msgspec.convert(
        {**_filled(inspect.type_info(kind), data, absent), "version": VERSION}, kind
    )
    if isinstance(record, Program):
        complete(record, version)
    return record


def complete(program: Program, version: int) -> None:
    """Fills in what follows from the rest of a program that was saved in format `version`. Changes
    it in place."""
    if version < 2:
        format1.complete(program)


def _filled(kind: inspect.Type, data: Any, absent: Mapping[str, Any]) -> Any:
    """The JSON value of a type, with the fields that it lacks. What does not fit the type stays as
    it is."""
    match kind, data:
        case inspect.StructType(cls=cls, fields=fields), dict():
            given = {one.name: absent.get(f"{cls.__name__}.{one.name}", ...) for one in fields}
            types = {one.name: one.type for one in fields}
            filled = {key: _filled(types[key], data[key], absent) for key in data if key in types}
            return {k: v for k, v in given.items() if v is not ...} | data | filled
        case inspect.ListType(item_type=item), list():
            return [_filled(item, one, absent) for one in data]
        case inspect.UnionType(types=types), dict() | list():
            return _filled(next((one for one in types if _nests(one)), kind.types[0]), data, absent)
        case _:
            return data


def _nests(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.StructType | inspect.ListType)
