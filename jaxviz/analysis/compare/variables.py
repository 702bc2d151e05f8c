"""The variables of a merged graph: those that are matched once, under their later name."""

from __future__ import annotations

from jaxviz import schema
from jaxviz.analysis.compare import words
from jaxviz.analysis.compare.tables import Tables
from jaxviz.analysis.compare.values import value_of

DROPPED = "_"


class Variables:
    def __init__(self, tables: Tables, before: schema.Graph, after: schema.Graph) -> None:
        self.records: list[schema.Var] = []
        self.twins: dict[int, int] = {}
        """Of the earlier graph's variables those that are matched."""
        self._tables = tables
        self._before = before.vars
        self._after = after.vars
        self._taken = {var.name for var in after.vars}
        self._index: dict[tuple[int | None, int | None], int] = {}
        self._matched: dict[int, int] = {}

    def match(self, before: list[int], after: list[int], places: dict[int, int]) -> None:
        for a, b in places.items():
            one, other = before[a], after[b]
            if self._before[one].literal or self._after[other].literal:
                continue
            if one not in self.twins and other not in self._matched:
                self.twins[one] = other
                self._matched[other] = one

    def are_apart(self, before: int, after: int) -> bool:
        """Whether both are in both graphs, but not the same, or one is a literal."""
        one, other = self._before[before], self._after[after]
        if one.literal or other.literal:
            both = one.literal and other.literal
            return not both or value_of(one.name) != value_of(other.name)
        twin = self.twins.get(before)
        return twin != after and twin is not None and after in self._matched

    def of_after(self, var: int) -> int:
        return self._put(self._matched.get(var), var)

    def of_before(self, var: int) -> int:
        return self._put(var, self.twins.get(var))

    def known(self, before: int) -> int:
        """That of an earlier one where there is one, else -1."""
        return self._index.get((before, self.twins.get(before)), -1)

    def operand(self, before: int, after: int) -> int:
        """What both read: a literal that differs reads `2.0→3.0:f32[]`."""
        one, other = self._before[before], self._after[after]
        if one.literal and other.literal and one != other:
            return self._put(before, after)
        return self.of_after(after)

    def told(self, before: int, after: int) -> tuple[str, str]:
        """What they are called: literals by their values."""
        one, other = self._before[before], self._after[after]
        return (
            value_of(one.name) if one.literal else self.records[self.of_before(before)].name,
            value_of(other.name) if other.literal else self.records[self.of_after(after)].name,
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
            return schema.Var(name=self._fresh(one), aval=aval, literal=one.literal)
        other = self._after[after]
        aval = self._tables.aval(one.aval, other.aval)
        if other.literal:
            text = words.literal(one, other, self._tables.avals[aval].text)
            return schema.Var(name=text, aval=aval, literal=True)
        if other.name == DROPPED and one.name != DROPPED:
            return schema.Var(name=self._fresh(one), aval=aval, literal=False)
        return schema.Var(name=other.name, aval=aval, literal=False)

    def _fresh(self, var: schema.Var) -> str:
        """The earlier name with an underscore behind it."""
        if var.literal or var.name == DROPPED:
            return var.name
        name = f"{var.name}_"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name
