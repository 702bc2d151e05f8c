"""Writes and reads records as columns: for each field, the values of all records one after another.

- A column of numbers begins with a byte that says how they are written, each in groups of seven
  bits, the lowest first (LEB128). 0: as they are. 1: with the sign in the lowest bit. 2: each as
  its difference from the one before, written as in 1. 3: as pairs of a number, written as in 1, and
  how often it comes in a row.
- Strings are a column of numbers: 0 is the next new string, n the n-th of the earlier strings.
- Lists are a column of lengths, and the columns of all their elements together.
- A union is a column with the number of each value's member, and the columns of each member.
- A column of no values takes no bytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import accumulate, chain, groupby, islice
from operator import attrgetter, ne, sub
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec import inspect

from jaxviz.schema import Sentence
from jaxviz.schema.upgrade import missing

WIRE_TYPES: Mapping[str, Any] = {"Stage.text": list[str]}
"""Fields that travel as another type than their own."""
SHARED = {"Eqn.params", "Eqn.attributes"}
"""Fields whose equal values are sent once, numbered as strings are."""
EXACT = 1 << 53
"""Differences are used only below this number, where they are exact on the page."""
RUN = 4
"""A column is written as runs if these have more than this many values on average."""
SHORT = 16
"""A column of at most this many values is written in its shortest form. Trying which form deflates
best would take longer than everything else and gain nothing."""
CLASSES: Mapping[type, type] = {
    inspect.IntType: int,
    inspect.StrType: str,
    inspect.ListType: list,
    inspect.VarTupleType: tuple,
    inspect.NoneType: type(None),
}

type_info = cache(inspect.type_info)


def class_of(kind: inspect.Type) -> type:
    """The Python class of the values of a type."""
    return kind.cls if isinstance(kind, inspect.StructType) else CLASSES[type(kind)]


def is_words(types: Iterable[inspect.Type]) -> bool:
    """True for `schema.Words`, which were only texts before format 6."""
    return {class_of(one) for one in types} == {str, Sentence}


def fields(kind: inspect.StructType) -> list[tuple[str, str, inspect.Type]]:
    """For each field its full name (`Eqn.op`), its name, and the type as which it travels."""
    found: list[tuple[str, str, inspect.Type]] = []
    for field in kind.fields:
        full = f"{kind.cls.__name__}.{field.name}"
        other = WIRE_TYPES.get(full)
        found.append((full, field.name, type_info(other) if other else field.type))
    return found


class Lists(NamedTuple):
    """Many lists as one. Many small lists would slow Python's garbage collector."""

    lengths: list[int]
    items: list[Any]


class Writer:
    def __init__(self, residues: Mapping[str, list[Any] | Lists]) -> None:
        """`residues` has columns that replace those of the records, by the field's full name."""
        self._residues = residues
        self._strings: dict[str, int] = {}
        self._columns = bytearray()

    def data(self, version: int) -> bytes:
        strings = msgspec.json.encode([*self._strings])
        return packed([version, len(strings)]) + strings + self._columns

    def values(self, kind: inspect.Type, values: Any) -> None:
        """Writes a list of values of this type. Values that are lists may come as `Lists`."""
        if not values:
            return
        match kind:
            case inspect.IntType() | inspect.BoolType():
                self._numbers(values)
            case inspect.StrType():
                self._numbers(numbers(self._strings, values))
            case inspect.StructType():
                for full, name, inner in fields(kind):
                    column: Any = self._residues.get(full)
                    if column is None:
                        column = [*map(attrgetter(name), values)]
                    self.values(inner, self._distinct(column) if full in SHARED else column)
            case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
                if isinstance(values, Lists):
                    lengths, items = values
                else:
                    lengths, items = [*map(len, values)], [*chain.from_iterable(values)]
                self._numbers(lengths)
                self.values(item, items)
            case inspect.UnionType(types=types):
                members = {class_of(one): number for number, one in enumerate(types)}
                chosen = [*map(members.__getitem__, map(type, values))]
                self._numbers(chosen)
                for member, one in zip(members, types, strict=True):
                    self.values(one, _of_class(member, values, chosen.count(members[member])))
            case _:
                pass

    def _distinct(self, values: list[Any]) -> list[Any]:
        """Writes a column of numbers for these values, and returns each distinct value once."""
        distinct: dict[Any, int] = {}
        self._numbers(numbers(distinct, values))
        return [*distinct]

    def _numbers(self, values: list[int]) -> None:
        """Writes numbers as runs if these are few, else in the form that deflates best."""
        if not values:
            return
        if values.count(values[0]) == len(values) > RUN:
            self._columns += b"\3" + packed([*signed(values[:1]), len(values)])
            return
        least, most = min(values), max(values)
        if max(most, -least) >= EXACT:
            self._columns += b"\1" + packed(signed(values))
            return
        changes = sum(map(ne, values, islice(values, 1, None)))
        if (changes + 1) * RUN < len(values):
            runs = [(value, len([*run])) for value, run in groupby(values)]
            self._columns += b"\3" + packed([n for v, run in runs for n in (*signed([v]), run)])
            return
        whole = b"\0" + packed(values) if least >= 0 else b"\1" + packed(signed(values))
        steps = b"\2" + packed(signed(map(sub, values, [0, *values])))
        shortest = len if len(values) <= SHORT else deflated_length
        self._columns += min(whole, steps, key=shortest)


def deflated_length(form: bytes) -> int:
    return len(zlib.compress(form, 1))


def _of_class(member: type, values: list[Any], count: int) -> list[Any]:
    """The `count` values of this class."""
    if count == len(values):
        return values
    return [value for value in values if type(value) is member] if count else []


class Reader:
    """Reads columns that `Writer` wrote, in this format or an earlier one. Raises ValueError for
    other data."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        version, length = islice(self._unpacked(), 2)
        self._absent = missing(version)
        stop = self._at + length
        self._strings = msgspec.json.decode(data[self._at : stop], type=list[str])
        self._at = stop
        self._read_strings = 0

    def values(self, kind: inspect.Type, count: int) -> list[Any]:
        if count == 0:
            return []
        match kind:
            case inspect.IntType():
                return self._numbers(count)
            case inspect.BoolType():
                return [*map(bool, self._numbers(count))]
            case inspect.StrType():
                return [self._string(number) for number in self._numbers(count)]
            case inspect.StructType(cls=cls):
                columns = {
                    name: self._column(full, inner, count) for full, name, inner in fields(kind)
                }
                rows = zip(*columns.values(), strict=True)
                return [cls(**dict(zip(columns, row, strict=True))) for row in rows]
            case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
                lengths = self._numbers(count)
                items = iter(self.values(item, sum(lengths)))
                return [CLASSES[type(kind)](islice(items, length)) for length in lengths]
            case inspect.UnionType(types=types) if (
                is_words(types) and "Sentence.key" in self._absent
            ):
                return self.values(types[0], count)
            case inspect.UnionType(types=types):
                chosen = self._numbers(count)
                members = [iter(self.values(one, chosen.count(n))) for n, one in enumerate(types)]
                return [next(members[number]) for number in chosen]
            case _:
                return [None] * count

    def _column(self, full: str, kind: inspect.Type, count: int) -> list[Any]:
        if full in self._absent:
            value = self._absent[full]
            if isinstance(kind, inspect.StructType):
                value = msgspec.convert(value, kind.cls)
            return [value] * count
        return self._shared(kind, count) if full in SHARED else self.values(kind, count)

    def _shared(self, kind: inspect.Type, count: int) -> list[Any]:
        numbers = self._numbers(count)
        distinct = self.values(kind, numbers.count(0))
        counts = accumulate(number == 0 for number in numbers)
        return [distinct[(n or count) - 1] for n, count in zip(numbers, counts, strict=True)]

    def _string(self, number: int) -> str:
        if number == 0:
            self._read_strings += 1
        return self._strings[(number or self._read_strings) - 1]

    def _numbers(self, count: int) -> list[int]:
        if count == 0:
            return []
        form = self._data[self._at]
        self._at += 1
        if form == 3:
            return self._runs(count)
        numbers = [*islice(self._unpacked(), count)]
        if form == 0:
            return numbers
        found = map(unsigned, numbers)
        return [*(found if form == 1 else accumulate(found))]

    def _runs(self, count: int) -> list[int]:
        numbers: list[int] = []
        while len(numbers) < count:
            value, run = islice(self._unpacked(), 2)
            numbers += [unsigned(value)] * run
        return numbers

    def _unpacked(self) -> Iterator[int]:
        number = shift = 0
        while True:
            byte = self._data[self._at]
            self._at += 1
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                yield number
                number = shift = 0


def numbers(earlier: dict[Any, int], values: Iterable[object]) -> list[int]:
    """For each value its number among the `earlier` ones, or 0 if it is new: then it is added."""
    found: list[int] = []
    for value in values:
        number = earlier.get(value, 0)
        if number == 0:
            earlier[value] = len(earlier) + 1
        found.append(number)
    return found


def signed(numbers: Iterable[int]) -> list[int]:
    """The numbers with their sign in the lowest bit: 0, -1, 1, -2 as 0, 1, 2, 3."""
    return [n << 1 if n >= 0 else ~(n << 1) for n in numbers]


def unsigned(number: int) -> int:
    return ~(number >> 1) if number & 1 else number >> 1


def packed(numbers: list[int]) -> bytes:
    """Each number, none of them negative, in groups of seven bits."""
    most = max(numbers)
    if most < 128:
        return bytes(numbers)
    most_groups = -(-most.bit_length() // 7)
    whole = np.array(numbers, np.uint64 if most < 1 << 64 else object)
    shifted = whole[:, np.newaxis] >> (7 * np.arange(most_groups)).astype(whole.dtype)
    goes_on = shifted > 127
    groups = (shifted & 127).astype(np.uint8) | goes_on * np.uint8(128)
    is_written = np.ones(groups.shape, bool)
    is_written[:, 1:] = goes_on[:, :-1]
    return groups[is_written].tobytes()
