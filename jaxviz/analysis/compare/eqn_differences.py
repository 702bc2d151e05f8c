"""The differences of two matching eqns, inputs or results, as text.

An eqn is *changed* if its params, bodies or operands differ. It is *retyped* if only its types
differ, perhaps with params that follow from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.calls import ABSENT
from jaxviz.analysis.compare.merged_variables import MergedVariables
from jaxviz.analysis.compare.value_numbers import NumberedStage

LONGEST_PARAM = 190
"""The most characters shown of each of two params that differ."""
MOST_RETYPES = 4
"""The most pairs of types that are listed for an eqn."""
RESULT_PARAMS = frozenset({"shape", "new_sizes"})
"""Params that the type of the result contains, too."""
OPERAND_PARAMS = RESULT_PARAMS | {"limit_indices", "slice_sizes", "sizes", "padding_config"}
"""Params that follow from the sizes of operands."""

Params = tuple[schema.Param, ...]
TextPair = tuple[str, str]
"""The texts of one value in the earlier and in the later program."""
AvalPair = tuple[schema.Aval, schema.Aval]
"""The avals of one value in the earlier and in the later program."""


class EqnMark(NamedTuple):
    """The difference of a merged eqn, as in `schema.Mark`."""

    kind: str
    """`added`, `removed`, `moved`, `changed` or `retyped`."""
    before: str = ""
    after: str = ""


class EqnDifferences:
    """The differences of matching eqns of the graph `one` of stage `before` and the graph `other`
    of stage `after`."""

    def __init__(
        self,
        before: NumberedStage,
        one: schema.Graph,
        after: NumberedStage,
        other: schema.Graph,
        variables: MergedVariables,
    ) -> None:
        self.before = before
        self.after = after
        self.vars = one.vars
        self.other_vars = other.vars
        self.variables = variables

    def mark(
        self, one: schema.Eqn, other: schema.Eqn, places: dict[int, int], same_operation: bool
    ) -> EqnMark | None:
        """The difference of two eqns; None if they are equal.

        `places` maps each result to the matching one. With `same_operation`, op, params and bodies
        are equal. An eqn is retyped if its types differ and everything else that differs follows
        from them.
        """
        own = [] if same_operation else list(own_differences(one, other))
        found = [*own, *self._operands(one, other)]
        types = [*self._types(one, other, places)]
        derived = self._derived_params(one, other) if types else frozenset[str]()
        if any(before.partition("=")[0] not in derived for before, _ in found):
            return EqnMark("changed", *(" ".join(side) for side in zip(*found, strict=True)))
        return EqnMark("retyped", *type_changes(types)) if types else None

    def _derived_params(self, one: schema.Eqn, other: schema.Eqn) -> frozenset[str]:
        """The params that follow from the types that differ."""
        pairs = zip(one.invars, other.invars, strict=False)
        return OPERAND_PARAMS if any(self._retyped(a, b) for a, b in pairs) else RESULT_PARAMS

    def _operands(self, one: schema.Eqn, other: schema.Eqn) -> Iterator[TextPair]:
        """The operands that differ, unless an added or removed eqn explains the difference."""
        if len(one.invars) != len(other.invars):
            yield f"{len(one.invars)} operands", f"{len(other.invars)} operands"
        else:
            for a, b in zip(one.invars, other.invars, strict=True):
                if self.variables.differ(a, b):
                    yield self.variables.names(a, b)
        if len(one.outvars) != len(other.outvars):
            yield f"{len(one.outvars)} results", f"{len(other.outvars)} results"

    def _types(
        self, one: schema.Eqn, other: schema.Eqn, places: dict[int, int]
    ) -> Iterator[AvalPair]:
        """The types of results and of literals that differ."""
        pairs = [(one.outvars[a], other.outvars[b]) for a, b in places.items()]
        for a, b in zip(one.invars, other.invars, strict=False):
            if self.vars[a].literal and self.other_vars[b].literal:
                pairs.append((a, b))
        for a, b in pairs:
            if self._retyped(a, b):
                old, new = self.vars[a].aval, self.other_vars[b].aval
                yield self.before.stage.avals[old], self.after.stage.avals[new]

    def _retyped(self, a: int, b: int) -> bool:
        old, new = self.vars[a].aval, self.other_vars[b].aval
        return self.before.avals[old] != self.after.avals[new]


def with_change(mark: EqnMark | None, before: str, after: str) -> EqnMark:
    """The mark of an eqn with one more change."""
    if mark is None or mark.kind != "changed":
        return EqnMark("changed", before, after)
    return EqnMark("changed", f"{mark.before} {before}", f"{mark.after} {after}")


def own_differences(one: schema.Eqn, other: schema.Eqn) -> Iterator[TextPair]:
    """The differences in the eqns themselves: name, roles of operands, params and bodies."""
    params = [*_params(one.params, other.params)]
    if one.name != other.name and not any(key.startswith("name=") for key, _ in params):
        yield f"name={one.name}", f"name={other.name}"
    if one.roles != other.roles:
        yield _count_roles(one.roles), _count_roles(other.roles)
    yield from params
    labels, others = [body.label for body in one.bodies], [body.label for body in other.bodies]
    if labels != others:
        yield f"bodies: {', '.join(labels)}", f"bodies: {', '.join(others)}"


def _params(before: Params, after: Params) -> Iterator[TextPair]:
    """Each param that differs: `axes=(0,)` and `axes=(1,)`."""
    if before == after:
        return
    old, new = ({param.name: param for param in each} for each in (before, after))
    for name in sorted({**old, **new}):
        one, other = old.get(name), new.get(name)
        if one != other:
            values = shortened(_value(one), _value(other), LONGEST_PARAM)
            yield f"{name}={values[0]}", f"{name}={values[1]}"


def _count_roles(roles: tuple[str, ...]) -> str:
    """`operands: 1 const, 2 carry`."""
    counts = ", ".join(f"{count} {role}" for role, count in Counter(roles).items() if role)
    return f"operands: {counts or 'none'}"


def merged_params(before: Params, after: Params) -> Params:
    """The params of both eqns by name; a value that differs reads `before → after`."""
    if before == after:
        return after
    old, new = ({param.name: param for param in each} for each in (before, after))
    return tuple(_merged_param(old.get(name), new.get(name)) for name in sorted({**old, **new}))


def _merged_param(before: schema.Param | None, after: schema.Param | None) -> schema.Param:
    if before == after and after is not None:
        return after
    either = after or before
    assert either is not None
    value = " → ".join(shortened(_value(before), _value(after), LONGEST_PARAM))
    sizes = [param.size for param in (before, after) if param is not None]
    return schema.Param(name=either.name, value=value, size=max(len(value), *sizes))


def _value(param: schema.Param | None) -> str:
    return ABSENT if param is None else param.value


def shortened(before: str, after: str, width: int) -> TextPair:
    """Two texts of at most `width` characters, cut around their first difference."""
    if max(len(before), len(after)) <= width:
        return before, after
    pairs = enumerate(zip(before, after, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(before), len(after)))
    start = max(at - width // 3, 0)
    return _cut(before, start, width - 2), _cut(after, start, width - 2)


def _cut(text: str, start: int, width: int) -> str:
    stop = start + width
    return ("…" if start else "") + text[start:stop] + ("…" if stop < len(text) else "")


def type_changes(pairs: Sequence[AvalPair]) -> TextPair:
    """The types that differ: each pair once, with its number."""
    counts = Counter((_full_type(one), _full_type(other)) for one, other in pairs)
    shown = [
        (f"{one}{_times(count)}", f"{other}{_times(count)}")
        for (one, other), count in counts.most_common(MOST_RETYPES)
    ]
    if len(counts) > MOST_RETYPES:
        shown.append(("…", "…"))
    return ", ".join(one for one, _ in shown), ", ".join(other for _, other in shown)


def _full_type(aval: schema.Aval) -> str:
    details = [one for one in (aval.sharding, aval.memory) if one]
    return f"{_type(aval)} ({', '.join(details)})" if details else _type(aval)


def _type(aval: schema.Aval) -> str:
    return f"~{aval.text}" if aval.weak_type else aval.text


def _times(count: int) -> str:
    return f" × {count}" if count > 1 else ""


def leaf_changes(
    where: str, before: schema.Aval | None, after: schema.Aval | None
) -> Iterator[schema.Change]:
    """The differences of an input or a result of the program at the path `where`. An aval is None
    if the program does not have it."""
    if before is None or after is None:
        texts = (one.text if one else ABSENT for one in (before, after))
        yield schema.Change("pytree", where, *texts)
        return
    for kind, differs in (
        ("shape", before.shape != after.shape),
        ("dtype", (before.kind, before.dtype) != (after.kind, after.dtype)),
        ("sharding", before.sharding != after.sharding),
    ):
        if differs:
            yield schema.Change(kind, where, before.text, after.text)
    if before.weak_type != after.weak_type:
        yield schema.Change("weak type", where, _type(before), _type(after))
