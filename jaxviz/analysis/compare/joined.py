"""One graph of a merged stage: the eqns of two graphs, those that are matched once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.compare import words
from jaxviz.analysis.compare.binders import binder, in_order
from jaxviz.analysis.compare.match import Matched, inside
from jaxviz.analysis.compare.sequences import woven
from jaxviz.analysis.compare.variables import Variables
from jaxviz.analysis.compare.words import Marked

if TYPE_CHECKING:
    from jaxviz.analysis.compare.merge import Merge

Two = tuple[int | None, int | None]
"""A place in the earlier graph, and the same in the later one; None where one has it not."""


class Joined:
    """Is made at once; asks `merge` for the numbers of bodies."""

    def __init__(self, merge: Merge, before: int, after: int, matched: Matched) -> None:
        self.merge = merge
        self.one = one = merge.before.graphs[before]
        self.other = other = merge.after.graphs[after]
        self.variables = Variables(merge.tables, one, other)
        self.variables.match(one.constvars, other.constvars, matched.constvars)
        self.variables.match(one.invars, other.invars, matched.invars)
        self.marks: list[Marked | None] = []
        self.inputs = woven(len(one.invars), len(other.invars), matched.invars)
        self.results = woven(len(one.outvars), len(other.outvars), matched.outvars)
        self.order = woven(len(one.eqns), len(other.eqns), matched.eqns)
        consts = woven(len(one.constvars), len(other.constvars), matched.constvars)
        constvars = self._all(one.constvars, other.constvars, consts)
        invars = self._all(one.invars, other.invars, self.inputs)
        eqns = [self._eqn(a, b) for a, b in self.order]
        outvars = self._all(one.outvars, other.outvars, self.results)
        self.graph = replace(
            other,
            vars=self.variables.records,
            constvars=constvars,
            invars=invars,
            outvars=outvars,
            args=paths(one.args, other.args, self.inputs),
            results=paths(one.results, other.results, self.results),
            eqns=eqns,
            groups=[],
        )

    def _all(self, one: list[int], other: list[int], order: list[Two]) -> list[int]:
        return [self._var(one, other, a, b) for a, b in order]

    def _var(self, one: list[int], other: list[int], a: int | None, b: int | None) -> int:
        if b is not None:
            return self.variables.of_after(other[b])
        assert a is not None
        return self.variables.of_before(one[a])

    def _eqn(self, a: int | None, b: int | None) -> schema.Eqn:
        if a is None:
            assert b is not None
            return self._added(self.other.eqns[b])
        if b is None:
            return self._removed(self.one.eqns[a])
        return self._both(self.one.eqns[a], self.other.eqns[b])

    def _added(self, eqn: schema.Eqn) -> schema.Eqn:
        self.marks.append(Marked("added"))
        bodies = [replace(body, graph=self.merge.added(body.graph)) for body in eqn.bodies]
        invars = [*map(self.variables.of_after, eqn.invars)]
        outvars = [*map(self.variables.of_after, eqn.outvars)]
        return replace(eqn, invars=invars, outvars=outvars, bodies=bodies)

    def _removed(self, eqn: schema.Eqn) -> schema.Eqn:
        self.marks.append(Marked("removed"))
        bodies = [replace(body, graph=self.merge.removed(body.graph)) for body in eqn.bodies]
        invars = [*map(self.variables.of_before, eqn.invars)]
        outvars = [*map(self.variables.of_before, eqn.outvars)]
        return self.merge.moved(eqn, invars, outvars, bodies)

    def _both(self, one: schema.Eqn, other: schema.Eqn) -> schema.Eqn:
        stages = self.merge.before.stage, self.merge.after.stage
        places = in_order(
            [binder(stages[0], self.one, var, None) for var in one.outvars],
            [binder(stages[1], self.other, var, None) for var in other.outvars],
        )
        self.variables.match(one.outvars, other.outvars, places)
        alike = len(one.invars) == len(other.invars)
        invars = [
            self.variables.operand(one.invars[at], var) if alike else self.variables.of_after(var)
            for at, var in enumerate(other.invars)
        ]
        alone = [var for at, var in enumerate(one.outvars) if at not in places]
        outvars = [
            *map(self.variables.of_after, other.outvars),
            *map(self.variables.of_before, alone),
        ]
        bodies = self._bodies(one, other, invars, outvars) if one.bodies or other.bodies else []
        self.marks.append(self._mark(one, other, places))
        params = words.merged_params(one.params, other.params)
        return replace(other, invars=invars, outvars=outvars, params=params, bodies=bodies)

    def _bodies(
        self, one: schema.Eqn, other: schema.Eqn, invars: list[int], outvars: list[int]
    ) -> list[schema.Body]:
        """The bodies of the later eqn, each merged with that of the earlier one, and then those
        that are no more."""
        found: list[schema.Body] = []
        gone: list[schema.Body] = []
        for old, new in same_labels(one.bodies, other.bodies):
            if new is None:
                gone += [] if old is None else [old]
                continue
            merged = None if old is None else self._merged(one, old, other, new, invars, outvars)
            if merged is None:
                gone += [] if old is None else [old]
                merged = replace(new, graph=self.merge.added(new.graph))
            found.append(merged)
        return [*found, *(self._gone(one, body, invars, outvars) for body in gone)]

    def _merged(
        self,
        one: schema.Eqn,
        old: schema.Body,
        other: schema.Eqn,
        new: schema.Body,
        invars: list[int],
        outvars: list[int],
    ) -> schema.Body | None:
        """None where they are not compared any more."""
        merge = self.merge
        found = merge.both(
            old.graph,
            new.graph,
            lambda: inside(
                merge.before, (one, old), merge.after, (other, new), self.variables.twins
            ),
        )
        if found is None:
            return None
        number, matched = found
        if matched is None:
            return replace(new, graph=number)
        inputs = woven(len(old.inputs), len(new.inputs), matched.invars)
        outputs = woven(len(old.outputs), len(new.outputs), matched.outvars)
        fed = self._places(one.invars, old.inputs, invars)
        made = self._places(one.outvars, old.outputs, outvars)
        return schema.Body(
            label=new.label,
            graph=number,
            inputs=[fed[a or 0] if b is None else new.inputs[b] for a, b in inputs],
            outputs=[made[a or 0] if b is None else new.outputs[b] for a, b in outputs],
        )

    def _gone(
        self, one: schema.Eqn, body: schema.Body, invars: list[int], outvars: list[int]
    ) -> schema.Body:
        return schema.Body(
            label=body.label,
            graph=self.merge.removed(body.graph),
            inputs=self._places(one.invars, body.inputs, invars),
            outputs=self._places(one.outvars, body.outputs, outvars),
        )

    def _places(self, own: list[int], held: list[int], merged: list[int]) -> list[int]:
        """Where the earlier eqn's operands or results are among those of the merged one."""
        where = {var: at for at, var in reversed([*enumerate(merged)])}
        literals = {at for at, var in enumerate(own) if self.one.vars[var].literal}
        return [
            -1 if at < 0 or at in literals else where.get(self.variables.of_before(own[at]), -1)
            for at in held
        ]

    def _mark(self, one: schema.Eqn, other: schema.Eqn, places: dict[int, int]) -> Marked | None:
        """How they differ: params and what they read first, else types."""
        found = [
            *words.params(one.params, other.params),
            *self._operands(one, other),
            *words.bodies(one.bodies, other.bodies),
        ]
        if one.name != other.name and not any(key.startswith("name=") for key, _ in found):
            found.insert(0, (f"name={one.name}", f"name={other.name}"))
        if found:
            return Marked("changed", *(" ".join(side) for side in zip(*found, strict=True)))
        if len(one.outvars) != len(other.outvars):
            counts = (f"{len(each.outvars)} results" for each in (one, other))
            return Marked("changed", *counts)
        types = [*self._types(one, other, places)]
        if any(a != b for a, b in types):
            return Marked("retyped", *words.retyped(types))
        return None

    def _types(
        self, one: schema.Eqn, other: schema.Eqn, places: dict[int, int]
    ) -> Iterator[tuple[schema.Aval, schema.Aval]]:
        """Of the results, and of literals."""
        pairs = [(one.outvars[a], other.outvars[b]) for a, b in places.items()]
        if len(one.invars) == len(other.invars):
            pairs += [
                (a, b)
                for a, b in zip(one.invars, other.invars, strict=True)
                if self.one.vars[a].literal and self.other.vars[b].literal
            ]
        avals, others = self.merge.before.stage.avals, self.merge.after.stage.avals
        for a, b in pairs:
            yield avals[self.one.vars[a].aval], others[self.other.vars[b].aval]

    def _operands(self, one: schema.Eqn, other: schema.Eqn) -> Iterator[words.Both]:
        """What they read, where that is not the same and no eqn that was added or removed says
        why."""
        if len(one.invars) != len(other.invars):
            yield f"{len(one.invars)} operands", f"{len(other.invars)} operands"
            return
        for a, b in zip(one.invars, other.invars, strict=True):
            if self.variables.are_apart(a, b):
                yield self.variables.told(a, b)

    def returned(self) -> list[words.Both]:
        """What both return, where it is not the same and nothing else says why."""
        pairs = [
            (self.one.outvars[a], self.other.outvars[b])
            for a, b in self.results
            if a is not None and b is not None
        ]
        return [self.variables.told(*pair) for pair in pairs if self.variables.are_apart(*pair)]

    def changes(self) -> Iterator[schema.Change]:
        """How inputs and results differ, of the program."""
        yield from self._retyped(self.one.invars, self.other.invars, self.inputs, self.graph.args)
        yield from self._retyped(
            self.one.outvars, self.other.outvars, self.results, self.graph.results
        )
        yield from (words.change("unknown", "", *both) for both in self.returned())

    def _retyped(
        self, one: list[int], other: list[int], order: list[Two], where: list[str]
    ) -> Iterator[schema.Change]:
        avals, others = self.merge.before.stage.avals, self.merge.after.stage.avals
        for (a, b), path in zip(order, where, strict=True):
            old = None if a is None else avals[self.one.vars[one[a]].aval]
            new = None if b is None else others[self.other.vars[other[b]].aval]
            yield from words.changes(path, old, new)


def paths(one: list[str], other: list[str], order: list[Two]) -> list[str]:
    """Those of the later graph, and of what it has no more those of the earlier one."""
    return [other[b] if b is not None else one[a or 0] for a, b in order]


def same_labels(
    before: list[schema.Body], after: list[schema.Body]
) -> list[tuple[schema.Body | None, schema.Body | None]]:
    """Bodies of one label are matched, and then the others in their order."""
    rest = list(before)
    found: list[tuple[schema.Body | None, schema.Body | None]] = []
    for body in after:
        twin = next((one for one in rest if one.label == body.label), None)
        if twin is not None:
            rest.remove(twin)
        found.append((twin, body))
    for at, (twin, body) in enumerate(found):
        if twin is None and rest:
            found[at] = rest.pop(0), body
    return [*found, *((body, None) for body in rest)]
