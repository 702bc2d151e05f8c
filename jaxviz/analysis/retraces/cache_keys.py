"""The keys that JAX compares between calls, as a table: its columns are their parts, its rows the
programs in a function's cache."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from jaxviz.analysis.retraces.reasons import ABSENT, NO_MESH
from jaxviz.schema import CacheColumn, CacheRow, Frame, Sentence, Words
from jaxviz.schema.signature import Leaf, Signature, Static
from jaxviz.sentences import sentence

MOST_COLUMNS = 24
LONGEST_CELL = 80
LEFT_OUT = sentence("left out")
"""The text for an argument that was not passed."""
UNKNOWN = "?"
_LEAF_KINDS = ("shape", "dtype", "weak type", "sharding")
_ARGUMENT_KINDS = ("static", "shape", "dtype", "weak type", "sharding", "pytree", "style")
_CALL_KINDS = ("options", "config", "mesh", "class", "function", "cleared")
"""The kinds of columns of the whole call, in their order. A trace without a known call has only
these, and the leaves of its arguments that are known."""
_SINGLE_ROW_KINDS = ("static", "shape", "dtype")
"""The kinds of columns that are shown for a single row."""


class Place(NamedTuple):
    kind: str
    where: str


class Named(NamedTuple):
    """A value whose text is incomplete: two values with one text may differ."""

    text: str
    type: str
    value: Static | int


Value = Words | Named
Key = dict[Place, Value]


class CachedProgram(NamedTuple):
    """A traced program, and the key that JAX compared for it."""

    number: int | None
    """The number of its event; None if unknown."""
    site: Frame | None
    identity: int | None
    """The function object, as in `Trace.identity`."""
    signature: Signature | None
    cleared: int | None
    """The number of retraces of the function because its cache was cleared; None if unknown."""


class KeyTable(NamedTuple):
    """The keys of several traces."""

    columns: list[CacheColumn]
    more: int
    """The number of omitted columns."""
    rows: list[CacheRow]


def compare_keys(traces: Sequence[CachedProgram]) -> KeyTable:
    """Returns the columns in which the traces differ, and the value of each trace there."""
    partial = [_key(trace, traces) for trace in traces]
    _join_array_and_static(partial)
    places = [*dict.fromkeys(place for key in partial for place in key)]
    keys = [
        {place: key.get(place, _missing(place, trace.signature)) for place in places}
        for key, trace in zip(partial, traces, strict=True)
    ]
    columns = _columns(keys, places)
    _join_styles(keys, columns)
    shown = columns[:MOST_COLUMNS]
    texts = {place: _texts(key[place] for key in keys) for place in shown}
    rows: list[CacheRow] = []
    for trace, key in zip(traces, keys, strict=True):
        cells = [texts[place][key[place]] for place in shown]
        differs = _differing(cells, [row.cells for row in rows])
        rows.append(CacheRow(number=trace.number, site=trace.site, cells=cells, differs=differs))
    named = [CacheColumn(where=where, kind=kind) for kind, where in shown]
    return KeyTable(named, len(columns) - len(shown), rows)


def _key(trace: CachedProgram, traces: Sequence[CachedProgram]) -> Key:
    """The known part of the key that JAX compared for a trace."""
    key: Key = {}
    if trace.cleared is not None:
        key[Place("cleared", "")] = str(trace.cleared)
    objects = [*dict.fromkeys(one.identity for one in traces if one.identity is not None)]
    if trace.identity is not None:
        key[Place("function", "")] = str(objects.index(trace.identity) + 1)
    if trace.signature is not None:
        key.update(_signature_key(trace.signature))
    return key


def _signature_key(signature: Signature) -> Iterator[tuple[Place, Value]]:
    for path, static in signature.statics.items():
        yield Place("static", path), Named(static.text, static.type, static)
        for field in static.fields:
            yield Place("static", path + field.path), Named(field.text, "", field.digest)
    for path, leaf in signature.leaves.items():
        yield from ((Place(kind, path), text) for kind, text in _leaf_key(leaf))
    yield from ((Place("pytree", path), tree) for path, tree in signature.trees.items())
    yield from (
        (Place("style", path), sentence(f"by {how}")) for path, how in signature.style.items()
    )
    for path, static in signature.defaults.items():
        if path not in signature.style:
            yield Place("static", path), Named(f"{static.text} (default)", static.type, static)
    yield from ((Place("config", flag), value) for flag, value in signature.config.items())
    static = signature.options.get("static_argnames", "none")
    yield Place("options", "static_argnames"), static if signature.style else UNKNOWN
    yield Place("mesh", ""), signature.mesh or NO_MESH
    for one in signature.classes.values():
        place = "" if one.place is None else one.place.shown
        yield Place("class", one.name), Named(place or one.name, "", one.number)


def _join_array_and_static(keys: Sequence[Key]) -> None:
    """Moves the types of an argument's arrays into the column of its static values, if it is an
    array in some traces and static in others."""
    places = {place for key in keys for place in key}
    joined = {
        where for kind, where in places if kind == "static" and Place("shape", where) in places
    }
    for key in keys:
        for where in joined:
            key.pop(Place("pytree", where), None)
            parts = [key.pop(Place(kind, where), "") for kind in _LEAF_KINDS]
            shape, dtype, weak = (str(part) for part in parts[:3])
            if shape:
                mark = "~" if weak == "weak" else ""
                key[Place("static", where)] = shape if shape == "None" else f"{mark}{dtype}{shape}"


def _join_styles(keys: Sequence[Key], columns: list[Place]) -> None:
    """Adds how an argument is passed to the column of its values, if both differ."""
    for place in [place for place in columns if place.kind == "style"]:
        values = Place("static", place.where)
        if values not in columns:
            continue
        columns.remove(place)
        for key in keys:
            value, how = key[values], key[place]
            if isinstance(value, Named) and isinstance(how, Sentence) and how != LEFT_OUT:
                key[values] = value._replace(text=f"{value.text} {how}")


def _leaf_key(leaf: Leaf) -> Iterator[tuple[str, Words]]:
    if leaf.text == "None":
        yield "shape", "None"
        return
    sizes = leaf.shape.strip("(),").replace(" ", "")
    yield "shape", f"[{sizes}]" if leaf.shape else leaf.text
    yield "dtype", leaf.dtype or leaf.text
    yield "weak type", sentence("weak" if leaf.weak else "not weak")
    yield "sharding", leaf.spec or NO_MESH


def _missing(place: Place, signature: Signature | None) -> Words:
    """The value of a trace in a column that only other traces have: absent or left out if the call
    is known, else unknown."""
    is_known = signature is not None and signature.style and place.kind in _ARGUMENT_KINDS
    if not is_known:
        return UNKNOWN
    return ABSENT if {".", "["} & {*place.where} else LEFT_OUT


def _columns(keys: Sequence[Key], places: Sequence[Place]) -> list[Place]:
    """The columns in which the keys differ; for a single key, those of its arguments."""
    order = [*_ARGUMENT_KINDS, *_CALL_KINDS]
    found = [place for place in places if _differ(keys, place)]
    if len(keys) == 1:
        found = [place for place in places if place.kind in _SINGLE_ROW_KINDS]
    columns = [place for place in found if _adds_information(keys, place, found)]
    return sorted(columns, key=lambda place: order.index(place.kind))


def _differ(keys: Sequence[Key], place: Place) -> bool:
    """True if the keys differ in a column. An omitted argument counts only in its shape or static
    value."""
    values = {key[place] for key in keys} - {UNKNOWN}
    if place.kind in ("dtype", "weak type", "sharding", "style"):
        values -= {ABSENT, LEFT_OUT}
    return len(values) > 1


def _adds_information(keys: Sequence[Key], place: Place, found: Iterable[Place]) -> bool:
    """True if a column distinguishes calls that are equal in the columns of its parts. The parts of
    a static value are its fields, those of a pytree its leaves. The part of how an argument is
    passed is the argument's value."""
    kinds = {"static": ("static",), "pytree": ("shape",), "style": ("static", *_LEAF_KINDS)}
    own = kinds.get(place.kind, ())
    parts = [part for part in found if part.kind in own and _contains(place, part)]
    if not parts:
        return True
    alone = {tuple(key[part] for part in parts) for key in keys}
    beside = {tuple(key[part] for part in (*parts, place)) for key in keys}
    return len(beside) > len(alone)


def _contains(whole: Place, part: Place) -> bool:
    """True if one column describes a part of what another describes. A pytree may be a leaf
    itself."""
    starts = (f"{whole.where}.", f"{whole.where}[")
    return part.where.startswith(starts) or (part.where == whole.where and part != whole)


def _texts(values: Iterable[Value]) -> dict[Value, Words]:
    """A text for each value of a column. Different values have different texts."""
    distinct = {
        value: _cut(value.text if isinstance(value, Named) else str(value))
        for value in dict.fromkeys(values)
    }
    texts: dict[Value, Words] = {}
    for value, text in distinct.items():
        if isinstance(value, Sentence):
            texts[value] = value
            continue
        alike = [other for other, same in distinct.items() if same == text]
        texts[value] = text if len(alike) == 1 else _distinct_text(value, text, alike)
    return texts


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def _distinct_text(value: Value, text: str, alike: Sequence[Value]) -> str:
    """The text of a value among others with the same text: with its type, or a number."""
    types = {other.type for other in alike if isinstance(other, Named)}
    if isinstance(value, Named) and len(types) == len(alike):
        return f"{value.type} {text}"
    return f"{text} #{alike.index(value) + 1}"


def _differing(cells: Sequence[Words], above: Sequence[Sequence[Words]]) -> list[int]:
    """The columns in which a row differs from the most similar one above, the latest of these."""
    found = [
        [i for i, (old, new) in enumerate(zip(row, cells, strict=True)) if _changed(old, new)]
        for row in reversed(above)
    ]
    return min(found, key=len, default=[])


def _changed(old: Words, new: Words) -> bool:
    return old != new and UNKNOWN not in (old, new)
