"""How two eqns differ that are matched."""

from __future__ import annotations

from collections.abc import Iterator

from jaxviz import schema
from jaxviz.analysis.compare import words
from jaxviz.analysis.compare.values import Side
from jaxviz.analysis.compare.variables import Variables
from jaxviz.analysis.compare.words import Both, Marked

Types = tuple[schema.Aval, schema.Aval]

RESULT = frozenset({"shape", "new_sizes"})
"""Params that say again what the type of the result says."""
SIZES = RESULT | {"limit_indices", "slice_sizes", "sizes", "padding_config"}
"""Params that go with the sizes of operands."""


class Differing:
    """Of the eqns of two graphs, `one` of the stage `before` and `other` of `after`."""

    def __init__(
        self,
        before: Side,
        one: schema.Graph,
        after: Side,
        other: schema.Graph,
        variables: Variables,
    ) -> None:
        self.before = before
        self.after = after
        self.vars = one.vars
        self.others = other.vars
        self.variables = variables

    def mark(
        self, one: schema.Eqn, other: schema.Eqn, places: dict[int, int], alike: bool
    ) -> Marked | None:
        """Params and what they read come first, and then types, with the params that follow from
        them. `places` are results that are the same, `alike` says that params and bodies are."""
        found = [*(() if alike else said(one, other)), *self._operands(one, other)]
        types = [*self._types(one, other, places)]
        follows = self._sizes(one, other) if types else frozenset[str]()
        if any(before.partition("=")[0] not in follows for before, _ in found):
            return Marked("changed", *(" ".join(side) for side in zip(*found, strict=True)))
        return Marked("retyped", *words.retyped(types)) if types else None

    def _sizes(self, one: schema.Eqn, other: schema.Eqn) -> frozenset[str]:
        """The params that follow from types which are not the same."""
        pairs = zip(one.invars, other.invars, strict=False)
        return SIZES if any(self._are_retyped(a, b) for a, b in pairs) else RESULT

    def _operands(self, one: schema.Eqn, other: schema.Eqn) -> Iterator[Both]:
        """What they read, where that is not the same and no eqn that was added or removed says
        why."""
        if len(one.invars) != len(other.invars):
            yield f"{len(one.invars)} operands", f"{len(other.invars)} operands"
        else:
            for a, b in zip(one.invars, other.invars, strict=True):
                if self.variables.are_apart(a, b):
                    yield self.variables.told(a, b)
        if len(one.outvars) != len(other.outvars):
            yield f"{len(one.outvars)} results", f"{len(other.outvars)} results"

    def _types(self, one: schema.Eqn, other: schema.Eqn, places: dict[int, int]) -> Iterator[Types]:
        """Those of results and of literals that are not the same."""
        for a, b in places.items():
            yield from self._type(one.outvars[a], other.outvars[b])
        for a, b in zip(one.invars, other.invars, strict=False):
            if self.vars[a].literal and self.others[b].literal:
                yield from self._type(a, b)

    def _type(self, a: int, b: int) -> Iterator[Types]:
        if self._are_retyped(a, b):
            old, new = self.vars[a].aval, self.others[b].aval
            yield self.before.stage.avals[old], self.after.stage.avals[new]

    def _are_retyped(self, a: int, b: int) -> bool:
        return self.before.avals[self.vars[a].aval] != self.after.avals[self.others[b].aval]


def said(one: schema.Eqn, other: schema.Eqn) -> list[Both]:
    """What stands in the eqns themselves."""
    found = [
        *words.roles(one.roles, other.roles),
        *words.params(one.params, other.params),
        *words.bodies(one.bodies, other.bodies),
    ]
    if one.name != other.name and not any(key.startswith("name=") for key, _ in found):
        found.insert(0, (f"name={one.name}", f"name={other.name}"))
    return found
