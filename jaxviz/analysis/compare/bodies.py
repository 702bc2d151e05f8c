"""The bodies of an eqn that two programs have, each merged with that of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.compare.match import inside
from jaxviz.analysis.compare.sequences import woven
from jaxviz.analysis.compare.variables import Variables

if TYPE_CHECKING:
    from jaxviz.analysis.compare.merge import Merge


class Bodies:
    """`invars` and `outvars` are those of the merged eqn, whose variables are `variables`."""

    def __init__(
        self,
        merge: Merge,
        variables: Variables,
        one: schema.Eqn,
        other: schema.Eqn,
        invars: list[int],
        outvars: list[int],
    ) -> None:
        self.merge = merge
        self.variables = variables
        self.one = one
        self.other = other
        self.invars = invars
        self.outvars = outvars

    def merged(self) -> list[schema.Body]:
        """The later eqn's, and then those that only the earlier one has."""
        found: list[schema.Body] = []
        gone: list[schema.Body] = []
        for old, new in same_labels(self.one.bodies, self.other.bodies):
            both = None if old is None or new is None else self._both(old, new)
            if both is not None:
                found.append(both)
                continue
            if new is not None:
                found.append(replace(new, graph=self.merge.added(new.graph)))
            if old is not None:
                gone.append(old)
        return [*found, *map(self._gone, gone)]

    def _both(self, old: schema.Body, new: schema.Body) -> schema.Body | None:
        """None where they are not compared any more."""
        merge, twins = self.merge, self.variables.twins
        before, after = (self.one, old), (self.other, new)
        found = merge.both(
            old.graph, new.graph, lambda: inside(merge.before, before, merge.after, after, twins)
        )
        if found is None:
            return None
        number, matched = found
        if matched is None:
            return replace(new, graph=number)
        inputs = woven(len(old.inputs), len(new.inputs), matched.invars)
        outputs = woven(len(old.outputs), len(new.outputs), matched.outvars)
        fed, made = self._fed(old), self._made(old)
        return schema.Body(
            label=new.label,
            graph=number,
            inputs=[fed[a or 0] if b is None else new.inputs[b] for a, b in inputs],
            outputs=[made[a or 0] if b is None else new.outputs[b] for a, b in outputs],
        )

    def _gone(self, old: schema.Body) -> schema.Body:
        return schema.Body(
            label=old.label,
            graph=self.merge.removed(old.graph),
            inputs=self._fed(old),
            outputs=self._made(old),
        )

    def _fed(self, old: schema.Body) -> list[int]:
        return self._places(self.one.invars, old.inputs, self.invars)

    def _made(self, old: schema.Body) -> list[int]:
        return self._places(self.one.outvars, old.outputs, self.outvars)

    def _places(self, own: list[int], held: list[int], merged: list[int]) -> list[int]:
        """Where the earlier eqn's operands or results are among those of the merged one."""
        where = {var: at for at, var in reversed([*enumerate(merged)])}
        return [-1 if at < 0 else where.get(self.variables.known(own[at]), -1) for at in held]


def same_labels(
    before: list[schema.Body], after: list[schema.Body]
) -> list[tuple[schema.Body | None, schema.Body | None]]:
    """Bodies of one label are matched, and then the others in their order."""
    rest = list(before)
    twins: list[schema.Body | None] = []
    for body in after:
        twin = next((one for one in rest if one.label == body.label), None)
        if twin is not None:
            rest.remove(twin)
        twins.append(twin)
    for at, twin in enumerate(twins):
        if twin is None and rest:
            twins[at] = rest.pop(0)
    return [*zip(twins, after, strict=True), *((body, None) for body in rest)]
