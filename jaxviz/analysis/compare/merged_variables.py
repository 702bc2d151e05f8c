"""The variables of a merged graph, and the avals, frames and scopes that its eqns refer to.

An entry that both programs have appears once. A type that differs has both types in its text.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.compare.value_numbers import literal_value

Record = TypeVar("Record")

DROPPED = "_"
"""JAX's name for a result that nothing uses."""
_ARRAY_TYPE = re.compile(r"([^\[\]{}]+)\[([^\[\]]*)\]")


class MergedTables:
    """The avals, frames and scopes of a merged stage, each once. Those of the later stage come
    first, unchanged, then those of the earlier one that are used."""

    def __init__(self, before: schema.Stage, after: schema.Stage) -> None:
        self._before = before
        self._after = after
        self.avals = list(after.avals)
        self.frames = list(after.frames)
        self.scopes = list(after.scopes)
        self._avals = _first_places([*map(_aval_key, self.avals)])
        self._frames: dict[Hashable, int] = _first_places(self.frames)
        self._scopes: dict[Hashable, int] = _first_places(self.scopes)
        self._merged_avals: dict[tuple[int, int | None], int] = {}
        self._merged_frames: dict[int, int] = {}

    def aval(self, before: int, after: int | None) -> int:
        """The index of the aval of a variable that both programs have, or of the earlier one
        (`after` is None)."""
        found = self._merged_avals.get((before, after))
        if found is None:
            aval = self._before.avals[before]
            if after is not None:
                aval = merged_aval(aval, self._after.avals[after])
            found = _put(aval, _aval_key(aval), self.avals, self._avals)
            self._merged_avals[before, after] = found
        return found

    def scope(self, before: int) -> int:
        """The merged index of a scope of the earlier stage."""
        text = self._before.scopes[before]
        return _put(text, text, self.scopes, self._scopes)

    def frame(self, before: int | None) -> int | None:
        """The merged index of a frame of the earlier stage. Its callers are added before it."""
        missing: list[int] = []
        at = before
        while at is not None and at not in self._merged_frames:
            missing.append(at)
            at = self._before.frames[at].parent
        for each in reversed(missing):
            frame = self._before.frames[each]
            parent = None if frame.parent is None else self._merged_frames[frame.parent]
            merged = replace(frame, parent=parent)
            self._merged_frames[each] = _put(merged, merged, self.frames, self._frames)
        return None if before is None else self._merged_frames[before]

    def eqn(
        self,
        eqn: schema.Eqn,
        invars: tuple[int, ...],
        outvars: tuple[int, ...],
        bodies: tuple[schema.Body, ...],
    ) -> schema.Eqn:
        """An eqn of the earlier stage, with variables and bodies of the merged one. It has no cost,
        since the later program does not run it."""
        return replace(
            eqn,
            invars=invars,
            outvars=outvars,
            bodies=bodies,
            frame=self.frame(eqn.frame),
            call=self.frame(eqn.call),
            scope=self.scope(eqn.scope),
            trips=None,
            cost=None,
        )


def _first_places(records: Sequence[Hashable]) -> dict[Hashable, int]:
    return {record: at for at, record in reversed([*enumerate(records)])}


def _put(record: Record, key: Hashable, records: list[Record], places: dict[Hashable, int]) -> int:
    """The index of a record in `records`; a new record is appended."""
    at = places.setdefault(key, len(records))
    if at == len(records):
        records.append(record)
    return at


def _aval_key(aval: schema.Aval) -> Hashable:
    """A hashable key of an aval. The aval itself has a list as shape."""
    return (aval.text, aval.kind, str(aval.shape), aval.weak_type, aval.sharding, aval.memory)


class MergedVariables:
    """The variables of a merged graph. Matching variables appear once, under their later name."""

    def __init__(self, tables: MergedTables, before: schema.Graph, after: schema.Graph) -> None:
        self.records: list[schema.Var] = []
        self.matched: dict[int, int] = {}
        """Maps variables of the earlier graph to matching ones of the later graph."""
        self._tables = tables
        self._before = before.vars
        self._after = after.vars
        self._taken = {var.name for var in after.vars}
        self._index: dict[tuple[int | None, int | None], int] = {}
        self._matched_back: dict[int, int] = {}

    def match(
        self, before: tuple[int, ...], after: tuple[int, ...], places: dict[int, int]
    ) -> None:
        """Records that `before[a]` and `after[b]` match for each `a: b` in `places`."""
        for a, b in places.items():
            one, other = before[a], after[b]
            if self._before[one].literal or self._after[other].literal:
                continue
            if one not in self.matched and other not in self._matched_back:
                self.matched[one] = other
                self._matched_back[other] = one

    def differ(self, before: int, after: int) -> bool:
        """True if two variables certainly differ: both are in both graphs and do not match, or one
        is a literal and the other is not the same literal."""
        one, other = self._before[before], self._after[after]
        if one.literal or other.literal:
            both = one.literal and other.literal
            return not both or literal_value(one.name) != literal_value(other.name)
        match = self.matched.get(before)
        return match != after and match is not None and after in self._matched_back

    def of_after(self, var: int) -> int:
        """The merged variable of one of the later graph."""
        return self._put(self._matched_back.get(var), var)

    def of_before(self, var: int) -> int:
        """The merged variable of one of the earlier graph."""
        return self._put(var, self.matched.get(var))

    def merged_index(self, before: int) -> int:
        """The merged variable of one of the earlier graph, or -1 if there is none yet."""
        return self._index.get((before, self.matched.get(before)), -1)

    def operand(self, before: int, after: int) -> int:
        """The merged operand of two matching eqns. Literals that differ are written as
        `2.0→3.0:f32[]`."""
        one, other = self._before[before], self._after[after]
        if one.literal and other.literal and one != other:
            return self._put(before, after)
        return self.of_after(after)

    def names(self, before: int, after: int) -> tuple[str, str]:
        """The names of two variables; literals by their values."""
        one, other = self._before[before], self._after[after]
        return (
            literal_value(one.name) if one.literal else self.records[self.of_before(before)].name,
            literal_value(other.name) if other.literal else self.records[self.of_after(after)].name,
        )

    def _put(self, before: int | None, after: int | None) -> int:
        found = self._index.setdefault((before, after), len(self.records))
        if found == len(self.records):
            self.records.append(self._record(before, after))
        return found

    def _record(self, before: int | None, after: int | None) -> schema.Var:
        if before is None:
            assert after is not None
            return self._after[after]
        one = self._before[before]
        if after is None:
            aval = self._tables.aval(one.aval, None)
            return schema.Var(name=self._fresh_name(one), aval=aval, literal=one.literal)
        other = self._after[after]
        aval = self._tables.aval(one.aval, other.aval)
        if other.literal:
            value = arrow(literal_value(one.name), literal_value(other.name))
            text = f"{value}:{self._tables.avals[aval].text}"
            return schema.Var(name=text, aval=aval, literal=True)
        if other.name == DROPPED and one.name != DROPPED:
            return schema.Var(name=self._fresh_name(one), aval=aval, literal=False)
        return schema.Var(name=other.name, aval=aval, literal=False)

    def _fresh_name(self, var: schema.Var) -> str:
        """The earlier name followed by underscores, since the later graph may use it for another
        variable."""
        if var.literal or var.name == DROPPED:
            return var.name
        name = f"{var.name}_"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def merged_aval(before: schema.Aval, after: schema.Aval) -> schema.Aval:
    """`after`, with both types in its text: `f32[8→5,32]`, `f32→bf16[8]`, `f32[8]→f32[8,1]`."""
    if before == after:
        return after
    return replace(after, text=_merged_type(before, after))


def _merged_type(before: schema.Aval, after: schema.Aval) -> str:
    whole = f"{_type(before, after)}→{_type(after, before)}"
    if before.text == after.text or before.weak_type != after.weak_type:
        return whole
    one, other = _ARRAY_TYPE.fullmatch(before.text), _ARRAY_TYPE.fullmatch(after.text)
    if one and other:
        dims, sizes = one[2].split(","), other[2].split(",")
        if len(dims) == len(sizes) and bool(one[2]) == bool(other[2]):
            return f"{arrow(one[1], other[1])}[{','.join(map(arrow, dims, sizes))}]"
    return whole


def arrow(before: str, after: str) -> str:
    """`before→after`, or the one text if both are equal."""
    return after if before == after else f"{before}→{after}"


def _type(aval: schema.Aval, other: schema.Aval) -> str:
    """The type, with details that its text omits and that the other does not have: `~f32[]` is
    weak, as JAX writes it, and `f32[8]@P('x')` has a sharding."""
    weak = "~" if aval.weak_type and not other.weak_type else ""
    rest = [
        str(own or "default")
        for own, others in ((aval.sharding, other.sharding), (aval.memory, other.memory))
        if own != others and aval.text == other.text
    ]
    return f"{weak}{aval.text}{''.join(f'@{one}' for one in rest)}".replace(" ", "")
