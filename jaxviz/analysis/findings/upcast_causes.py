"""The reasons why a narrow float becomes wide: casts that no line asks for, and the operand behind
each."""

from __future__ import annotations

import re
from typing import NamedTuple

from jaxviz.analysis.findings.indexed_program import IndexedProgram, Place
from jaxviz.analysis.outliers import BUNDLE_KINDS, FLOAT_BYTES
from jaxviz.ops import row_of
from jaxviz.schema import Aval, Graph
from jaxviz.schema.record import Sentence
from jaxviz.sentences import sentence

PRODUCTS = ("dot_general", "conv_general_dilated")
SHAPE_ONLY = ("broadcast_in_dim", "reshape", "transpose", "squeeze", "expand_dims")
ARITHMETIC = frozenset(
    ("add", "add_any", "sub", "mul", "div", "neg", "max", "min", "square", "integer_pow", "sqrt")
)
"""The ops of averages and of optimizers."""
ARRAYS = ("name", "constant")
"""The kinds of origins that are arguments or captured arrays."""
NUMBER = re.compile(r"\d+")
MOST_STEPS = 2_000
"""The most eqns that a search back from one value visits."""


LEAST_SHARE = 0.25
"""Below 1 MiB, the least part of a layer's bytes that makes a note."""


class Origin(NamedTuple):
    """The reason why a value is wide."""

    kind: str
    """`name`, `constant`, `number` or `line`."""
    text: str
    """The argument's path, the place of an array without a name, the printed number, or the number
    of the line."""
    type: str

    @property
    def in_any_layer(self) -> Origin:
        """`layers[…]['scale']` for `layers[3]['scale']`."""
        return self._replace(text=NUMBER.sub("…", self.text)) if self.kind == "name" else self


def cause_of_cast(indexed: IndexedProgram, place: Place) -> Origin | None:
    """The reason for a cast that no line asks for: why the other operand is wide. None for any
    other cast, and if an array as large as the value is wide: a target, weights, an optimizer's
    state and sums of gradients are wide on purpose."""
    before, after = indexed.cast(place)
    width = FLOAT_BYTES.get(before.dtype, 0)
    if before.weak_type or not 0 < width < FLOAT_BYTES.get(after.dtype, 0):
        return None
    other = partner(indexed, place) if indexed.is_user_line(place) else None
    found = None if other is None else origin_of(indexed, place[0], other, after.dtype)
    if found is None or (found.kind in ARRAYS and found.type == after.text):
        return None
    return None if meets_wide(indexed, place) else found


def meets_wide(indexed: IndexedProgram, place: Place) -> bool:
    """True if sums or products combine the value with an array of its size that is wide for
    another reason: an average, an optimizer's state, or a sum of gradients."""
    number, graph, users = place[0], indexed.graphs[place[0]], indexed.flow(place[0]).users
    [first] = indexed.eqn(place).outvars
    followed, seen = [first], {first}
    for value in followed:
        for index in users.get(value, ()):
            eqn = graph.eqns[index]
            if eqn.op not in ARITHMETIC:
                continue
            others = [var for var in eqn.invars if var not in seen]
            if any(is_stored_wide(indexed, number, var, graph.vars[first].aval) for var in others):
                return True
            same = [v for v in eqn.outvars if graph.vars[v].aval == graph.vars[first].aval]
            followed += [var for var in same if var not in seen]
            seen.update(same)
    return False


def is_stored_wide(indexed: IndexedProgram, number: int, var: int, aval: int) -> bool:
    """True if arithmetic on an argument, a captured array or zeros of one type makes a value."""
    todo, seen = [(number, var)], {(number, var)}
    for number, var in todo:
        graph = indexed.graphs[number]
        if graph.vars[var].aval != aval or graph.vars[var].literal or len(seen) > MOST_STEPS:
            continue
        made = indexed.flow(number).maker.get(var)
        if made is None:
            if number == 0 or var in graph.constvars:
                return True
            further = indexed.operands_for(number, var) or []
        else:
            eqn = graph.eqns[made]
            if eqn.op == "broadcast_in_dim" and graph.vars[eqn.invars[0]].name.startswith("0.0:"):
                return True
            further = [(number, one) for one in eqn.invars] if eqn.op in ARITHMETIC else []
        todo += [one for one in further if one not in seen]
        seen.update(further)
    return False


def partner(indexed: IndexedProgram, place: Place) -> int | None:
    """The wide operand that the expression of a cast combines with the cast value."""
    graph, eqn = indexed.graphs[place[0]], indexed.eqn(place)
    flow = indexed.flow(place[0])
    dtype = indexed.aval(graph, eqn.outvars[0]).dtype
    values = [eqn.outvars[0]]
    for value in values:
        for index in flow.users.get(value, ()):
            user = graph.eqns[index]
            if user.call != eqn.call:
                continue
            if user.op in SHAPE_ONLY:
                values += user.outvars
            for var in user.invars:
                aval = indexed.aval(graph, var)
                if var not in values and aval.dtype == dtype and not aval.weak_type:
                    return var
    return None


def origin_of(indexed: IndexedProgram, number: int, var: int, dtype: str) -> Origin | None:
    """The reason why a value is wide; None if unknown, or if a cast or a product made it wide."""
    variable = indexed.graphs[number].vars[var]
    if variable.literal:
        text, _, kind = variable.name.rpartition(":")
        return Origin("number", text, kind)
    todo, seen = [(number, var)], {(number, var)}
    origins: list[Origin] = []
    for number, var in todo:
        made = indexed.flow(number).maker.get(var)
        further = (
            input_origin(indexed, number, var)
            if made is None
            else wide_operands(indexed, (number, made), dtype)
        )
        if further is None or len(seen) > MOST_STEPS:
            return None
        if isinstance(further, Origin):
            origins.append(further)
            continue
        todo += [one for one in further if one not in seen]
        seen.update(further)
    named = [one for one in origins if one.kind in ARRAYS]
    return next(iter(named or origins), None)


Steps = list[tuple[int, int]]
"""Values that make another value wide, as graph and variable."""


def input_origin(indexed: IndexedProgram, number: int, var: int) -> Steps | Origin | None:
    """The argument or the captured array that an input of a graph is, or the operands passed for
    it."""
    graph = indexed.graphs[number]
    name, type_text = indexed.name_of(var) if number == 0 else "", indexed.aval(graph, var).text
    if name:
        return Origin("name", name, type_text)
    if var in graph.constvars:
        return Origin("constant", f"{number}.{var}", type_text)
    return indexed.operands_for(number, var) if number > 0 else None


def wide_operands(indexed: IndexedProgram, place: Place, dtype: str) -> Steps | Origin | None:
    """The operands that make the result of an eqn wide, or the eqn's line if its operands have no
    other float type. A number is not one of the operands: it has the dtype of the others. Empty if
    the eqn only follows a promotion that has its own finding; None if the origin is unknown."""
    number, graph, eqn = place[0], indexed.graphs[place[0]], indexed.eqn(place)
    avals = [indexed.aval(graph, var) for var in eqn.invars]
    wide = [
        (number, var)
        for var, aval in zip(eqn.invars, avals, strict=True)
        if aval.dtype == dtype and not aval.weak_type and not graph.vars[var].literal
    ]
    if wide:
        return wide
    if any(aval.dtype in FLOAT_BYTES and aval.dtype != dtype for aval in avals):
        is_promoted = eqn.op == "convert_element_type" and partner(indexed, place) is not None
        return [] if is_promoted else None
    line = indexed.jaxpr.frames[eqn.frame].line if eqn.frame is not None else None
    result = indexed.aval(graph, eqn.outvars[0]).text
    return None if line is None else Origin("line", str(line), result)


def stays_wide(indexed: IndexedProgram, place: Place) -> bool:
    """True if the value, or a result of the same width computed from it, is returned or goes into a
    product. Reductions, such as the sums of a loss, may be wide on purpose."""
    graph, eqn, flow = indexed.graphs[place[0]], indexed.eqn(place), indexed.flow(place[0])
    dtype = indexed.aval(graph, eqn.outvars[0]).dtype
    returned = {*graph.outvars}
    todo, seen = [eqn.outvars[0]], {eqn.outvars[0]}
    for value in todo:
        if value in returned:
            return True
        for index in flow.users.get(value, ()):
            user = graph.eqns[index]
            if user.op in PRODUCTS or user.bodies:
                return True
            if row_of(user.op).family == "reduction":
                continue
            wide = [v for v in user.outvars if indexed.aval(graph, v).dtype == dtype]
            todo += [v for v in wide if v not in seen]
            seen.update(wide)
    return False


def widened_share(indexed: IndexedProgram, place: Place) -> float:
    """The part of a layer's bytes that are wide because of a cast."""
    graph, dtype = indexed.graphs[place[0]], indexed.cast(place)[1].dtype
    wide, total, widened = set[int](), 0, 0
    for index in layer_around(graph, place[1]):
        eqn = graph.eqns[index]
        is_wide = index == place[1] or not wide.isdisjoint(eqn.invars)
        for var in eqn.outvars:
            aval = indexed.aval(graph, var)
            total += aval.bytes or 0
            if is_wide and aval.dtype == dtype:
                wide.add(var)
                widened += aval.bytes or 0
    return widened / total if total else 0.0


def layer_around(graph: Graph, index: int) -> range:
    """The eqns of the innermost group around an eqn that has a product, or all eqns."""
    around = [
        range(group.start, group.stop)
        for group in graph.groups
        if group.start <= index < group.stop and group.kind not in BUNDLE_KINDS
    ]
    layers = (one for one in around if any(graph.eqns[at].op in PRODUCTS for at in one))
    return min(layers, key=len, default=range(len(graph.eqns)))


def fix_of_upcast(origin: Origin, narrow: str) -> Sentence:
    fixes = {
        "name": {"name": origin.text, "dtype": narrow},
        "constant": {"dtype": narrow},
        "line": {"dtype": narrow},
        "number": {},
    }
    return sentence(f"upcast fix, {origin.kind}", **fixes[origin.kind])


def short_dtype(aval: Aval) -> str:
    return aval.text.partition("[")[0]
