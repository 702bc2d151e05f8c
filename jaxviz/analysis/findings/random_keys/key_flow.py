"""Follows keys through eqns, bodies and loops, and records each use."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import prod

from jaxviz.analysis.findings.indexed_program import IndexedProgram
from jaxviz.analysis.findings.random_keys.key_rules import PARTS, RULES, rows
from jaxviz.analysis.findings.random_keys.key_values import (
    OPS,
    Keys,
    Path,
    Site,
    Step,
    all_keys,
    shape_of_keys,
    without_body,
)
from jaxviz.analysis.findings.random_keys.known_keys import KnownKeys
from jaxviz.schema import Body, Eqn, Graph

MOST_EQNS = 20_000
"""The most eqns with keys that are visited, counted again for each call of a body."""

SAME_CHOICE = ("convert_element_type", "clamp", "not")
"""The eqns between a value and the choice by it. `lax.switch` clamps its index."""
OPPOSITE = {"gt": None, "lt": None, "eq": None, "le": "gt", "ge": "lt", "ne": "eq"}
"""Each comparison with its opposite. The first three stand for all, so they have None."""

Results = dict[int, Hashable]
"""The known results of an eqn, by their index."""


class TooLarge(Exception):
    """The program has more eqns than are visited."""


class KeyFlow:
    """Follows all keys of a program: `known.uses` has their uses.

    Raises `TooLarge`.
    """

    def __init__(self, indexed: IndexedProgram) -> None:
        self.indexed, self.known = indexed, KnownKeys(indexed)
        self._with_keys: dict[int, bool] = {}
        self._steps: dict[int, list[int]] = {}
        self._visited = 0
        graph, values = indexed.graphs[0], dict[int, Hashable]()
        for var in (*graph.invars, *graph.constvars):
            shape = shape_of_keys(indexed.aval(graph, var))
            if shape is not None:
                root = self.known.root(("argument", var), name=indexed.name_of(var))
                values[var] = all_keys(root, shape)
        self.follow(0, values, ())

    def follow(self, number: int, values: dict[int, Hashable], path: Path) -> dict[int, Hashable]:
        """Visits the eqns of a graph. Returns its known values."""
        graph, steps = self.indexed.graphs[number], self._steps_of(number)
        self._visited += len(steps)
        if self._visited > MOST_EQNS:
            raise TooLarge
        for index in steps:
            eqn = graph.eqns[index]
            site = Site(graph, eqn, (*path, Step((number, index))), values)
            if eqn.op == "unstack":
                values |= rows(self.known, site)
            elif eqn.op in RULES:
                found = RULES[eqn.op](self.known, site)
                if found is not None:
                    values[eqn.outvars[0]] = found
            else:
                is_loop = eqn.op in ("scan", "while")
                results = Loop(self, site).results() if is_loop else self._results(site)
                values |= {eqn.outvars[at]: known for at, known in results.items()}
        return values

    def _steps_of(self, number: int) -> list[int]:
        """The eqns of a graph that are visited."""
        if number not in self._steps:
            graph = self.indexed.graphs[number]
            self._steps[number] = [
                index for index, eqn in enumerate(graph.eqns) if self._is_visited(graph, eqn)
            ]
        return self._steps[number]

    def _is_visited(self, graph: Graph, eqn: Eqn) -> bool:
        if eqn.op in (*PARTS, "unstack"):
            return shape_of_keys(self.indexed.aval(graph, eqn.outvars[0])) is not None
        if eqn.op in RULES:
            return True
        return eqn.trips != 0 and any(self._has_keys(body.graph) for body in eqn.bodies)

    def _has_keys(self, number: int) -> bool:
        """True if a graph, or a body in it, has an eqn of keys."""
        if number not in self._with_keys:
            self._with_keys[number] = any(
                eqn.op in OPS or any(self._has_keys(body.graph) for body in eqn.bodies)
                for eqn in self.indexed.graphs[number].eqns
            )
        return self._with_keys[number]

    def _results(self, site: Site) -> Results:
        """Visits the bodies of an eqn that are no loop. A result is known if all bodies agree."""
        first, *others = [
            self._body_results(site, number) for number in range(len(site.eqn.bodies))
        ]
        return {
            at: known
            for at, known in first.items()
            if all(other.get(at) == known for other in others)
        }

    def _body_results(self, site: Site, number: int) -> Results:
        body, roles, operands = site.eqn.bodies[number], site.eqn.roles, site.eqn.invars
        is_choice = roles[:1] in (("index",), ("pred",))
        choice = self._choice(site, number) if is_choice else None
        inner = {
            var: value
            for var, at in self.inputs(body)
            if (value := self._input(site, operands[at], body.graph, var)) is not None
        }
        step = site.path[-1]._replace(body=number, choice=choice)
        return self.outputs(body, self.follow(body.graph, inner, (*site.path[:-1], step)))

    def _input(self, site: Site, operand: int, number: int, var: int) -> Hashable:
        """Returns what is known of a body's input; None for some rows of an array of keys, as
        `pmap` and `shard_map` pass them."""
        keys, graph = self.known.keys(site, operand), self.indexed.graphs[number]
        if keys is None:
            return self.known.value(site, operand)
        shape = shape_of_keys(self.indexed.aval(graph, var))
        if shape is None or prod(shape) != len(keys.at):
            return None
        return keys._replace(shape=shape)

    def inputs(self, body: Body) -> list[tuple[int, int]]:
        """The inputs of a body that are operands, each with the operand's index."""
        invars = self.indexed.graphs[body.graph].invars
        return [(var, at) for var, at in zip(invars, body.inputs, strict=False) if at >= 0]

    def outputs(self, body: Body, values: Mapping[int, Hashable]) -> Results:
        outvars = self.indexed.graphs[body.graph].outvars
        return {
            at: values[var]
            for var, at in zip(outvars, body.outputs, strict=False)
            if at >= 0 and var in values
        }

    def _choice(self, site: Site, number: int) -> tuple[Hashable, int]:
        """The value that chooses a branch, and the branch. `not p` chooses as `p` does, the other
        way round."""
        maker, var = self.indexed.flow(site.path[-1].place[0]).maker, site.eqn.invars[0]
        while var in maker and (eqn := site.graph.eqns[maker[var]]).op in SAME_CHOICE:
            var = eqn.invars[1 if eqn.op == "clamp" else 0]
            number = 1 - number if eqn.op == "not" else number
        return self._comparison(self.known.value(site, var), number)

    def _comparison(self, value: Hashable, number: int) -> tuple[Hashable, int]:
        """`x <= y` chooses as `x > y` does, the other way round. Other values are returned."""
        if not isinstance(value, tuple) or value[0] != "made":
            return value, number
        _, path, at, var = value
        graph, maker = self.indexed.graphs[at], self.indexed.flow(at).maker
        eqn = graph.eqns[maker[var]] if var in maker else None
        if eqn is None or eqn.op not in OPPOSITE:
            return value, number
        operands = tuple(
            graph.vars[one].name if graph.vars[one].literal else one for one in eqn.invars
        )
        opposite = OPPOSITE[eqn.op]
        if opposite is None:
            return (eqn.op, path, at, operands), number
        return (opposite, path, at, operands), 1 - number


class Loop:
    """Follows keys through the bodies of a loop, which are visited once: an iteration."""

    def __init__(self, flow: KeyFlow, site: Site) -> None:
        self.flow, self.eqn = flow, site.eqn
        step = site.path[-1]._replace(turns=site.eqn.trips)
        self.site = site._replace(path=(*site.path[:-1], step))
        self.carries = [at for at, role in enumerate(site.eqn.roles) if role == "carry"]
        self.unchanged: set[int] = set()
        """The operands among the carries that no iteration changes."""

    def results(self) -> Results:
        """Visits the bodies. Only results that no iteration changes are known."""
        before = len(self.flow.known.uses)
        results = self._iteration()
        self.unchanged = {at for at in self.carries if self._is_unchanged(at, results)}
        if self.unchanged:  # these are constants of the loop
            del self.flow.known.uses[before:]
            results = self._iteration()
        return {
            at: results[at] for at, operand in enumerate(self.carries) if operand in self.unchanged
        }

    def _iteration(self) -> Results:
        found: Results = {}
        for number, body in enumerate(self.eqn.bodies):
            path = (*self.site.path[:-1], self.site.path[-1]._replace(body=number))
            inputs = [(var, self._input(at)) for var, at in self.flow.inputs(body)]
            inner = {var: known for var, known in inputs if known is not None}
            found |= self.flow.outputs(body, self.flow.follow(body.graph, inner, path))
        return found

    def _input(self, operand: int) -> Hashable:
        """Returns what is known of an operand in each iteration."""
        role = self.eqn.roles[operand] if self.eqn.roles else ""
        known, var = self.flow.known, self.eqn.invars[operand]
        outside = known.keys(self.site, var)
        if role not in ("carry", "xs") or operand in self.unchanged:
            return outside or known.value(self.site, var)
        if outside is None:
            return None
        root, loop, is_slice = known.roots[outside.root], without_body(self.site.path), role == "xs"
        loops = root.loops | {loop}
        number = known.root((role, loop, operand), loops, root.name, outside, is_slice)
        return all_keys(number, outside.shape[1:] if is_slice else outside.shape)

    def _is_unchanged(self, operand: int, results: Results) -> bool:
        found = results.get(self.carries.index(operand))
        number = self.flow.known.numbers.get(("carry", without_body(self.site.path), operand))
        if number is None or not isinstance(found, Keys):
            return False
        return found == all_keys(number, found.shape)
