"""Findings on dtypes: upcasts, layers that are wider than their siblings, and requests for float64
that JAX ignores."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from jaxviz.analysis import outliers
from jaxviz.analysis.findings.indexed_program import LEAST_BYTES, Draft, IndexedProgram, Place
from jaxviz.analysis.groups.facts.name_stacks import BACKWARD, FORWARD, ROLE_MARKS
from jaxviz.analysis.outliers import FLOAT_BYTES
from jaxviz.schema import Aval, Frame, Graph, Outlier
from jaxviz.schema.record import Sentence
from jaxviz.sentences import sentence
from jaxviz.sentences.amounts import bytes_text

# Upcasts: a narrow float becomes wide because the other operand is wide.
#
# Reported for values of 1 MiB or more that stay wide: they are returned, or go into a product.
# Casts that a line asks for are not reported, nor operations with their results. The cause is the
# other operand of the same expression: an argument, a constant, a number of NumPy or JAX, or the
# result of a line that has no narrower operand.

PRODUCTS = ("dot_general", "conv_general_dilated")
SHAPE_ONLY = ("broadcast_in_dim", "reshape", "transpose", "squeeze", "expand_dims")
MOST_STEPS = 2_000
"""The most eqns that a search back from one value visits."""


class Origin(NamedTuple):
    """The reason why a value is wide."""

    kind: str
    """`name`, `number` or `line`."""
    text: str
    """The argument's path, the printed number, or the number of the line."""
    type: str


def upcasts(indexed: IndexedProgram) -> Iterator[Draft]:
    casts: dict[Origin, list[Place]] = {}
    reported = {place for draft in unlike_layers(indexed) for place in draft.places}
    for place in indexed.places("convert_element_type"):
        found = cause_of_cast(indexed, place)
        if found is not None and place not in reported and stays_wide(indexed, place):
            casts.setdefault(found, []).append(place)
    for origin, places in casts.items():
        yield upcast_finding(indexed, origin, places)


def cause_of_cast(indexed: IndexedProgram, place: Place, least: int = LEAST_BYTES) -> Origin | None:
    """The reason for a cast that no line asks for: why the other operand is wide. None for any
    other cast, for results of less than `least` bytes, and if an argument as large as the value is
    wide: a target, or weights, are wide on purpose."""
    before, after = indexed.cast(place)
    width = FLOAT_BYTES.get(before.dtype, 0)
    if before.weak_type or not 0 < width < FLOAT_BYTES.get(after.dtype, 0):
        return None
    if (after.bytes or 0) < least or not indexed.is_user_line(place):
        return None
    other = partner(indexed, place)
    found = None if other is None else origin_of(indexed, place[0], other, after.dtype)
    is_as_large = found is not None and found.kind == "name" and found.type == after.text
    return None if is_as_large else found


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
    named = [one for one in origins if one.kind == "name"]
    return next(iter(named or origins), None)


Steps = list[tuple[int, int]]
"""Values that make another value wide, as graph and variable."""


def input_origin(indexed: IndexedProgram, number: int, var: int) -> Steps | Origin | None:
    """The argument that an input of a graph is, or the operands passed for it."""
    if number > 0:
        return indexed.operands_for(number, var)
    name = indexed.name_of(var)
    return Origin("name", name, indexed.aval(indexed.graphs[0], var).text) if name else None


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
    product."""
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
            wide = [v for v in user.outvars if indexed.aval(graph, v).dtype == dtype]
            todo += [v for v in wide if v not in seen]
            seen.update(wide)
    return False


def upcast_finding(indexed: IndexedProgram, origin: Origin, places: list[Place]) -> Draft:
    before, after = indexed.cast(places[0])
    return Draft(
        what=sentence(
            f"upcast, {origin.kind}",
            expression=indexed.expression_of(places),
            before=before.text,
            after=after.text,
            type=origin.type,
            **{origin.kind: origin.text},
        ),
        cost=sentence(
            "upcast cost",
            bytes=bytes_text(after.bytes or 0),
            before=bytes_text(before.bytes or 0),
            dtype=short_dtype(after),
        ),
        fix=fix_of_upcast(origin, short_dtype(before)),
        places=places,
        names=[origin.text] if origin.kind == "name" else [],
        bytes=after.bytes,
    )


def fix_of_upcast(origin: Origin, narrow: str) -> Sentence:
    fixes = {
        "name": {"name": origin.text, "dtype": narrow},
        "line": {"dtype": narrow},
        "number": {},
    }
    return sentence(f"upcast fix, {origin.kind}", **fixes[origin.kind])


# Unlike layers: one layer casts to a wider float than the other layers of the same code.
#
# Reported for outliers (`analysis/outliers.py`) of 1 MiB or more, on lines that all these layers
# run. A line that only one layer runs is meant for it. Among many siblings, casts of any size are
# reported, also those on a line that only one layer runs, if no line asks for them. Later casts of
# that layer follow from it. So are wider weights, which a product takes without a cast.

MANY_SIBLINGS = 8


def unlike_layers(indexed: IndexedProgram) -> Iterator[Draft]:
    found: dict[Hashable, dict[Place, Outlier]] = {}
    causes: dict[str, Hashable] = {}
    for one in indexed.jaxpr.strays:
        place = indexed.place_of(one.eqn)
        frame = indexed.frame_of([place])
        if frame is not None and is_reported(indexed, place, one):
            line = frame.file, frame.line
            layer = one.layer.removesuffix(f" {ROLE_MARKS[BACKWARD]}")
            if not one.shared:
                causes.setdefault(layer, line)
            found.setdefault(causes.get(layer, line), {})[place] = one
    for places in found.values():
        yield unlike_layers_finding(indexed, places)
    reported = {one.layer for places in found.values() for one in places.values()}
    for layer, draft in wide_weights(indexed):
        if layer not in reported:
            yield draft


def is_reported(indexed: IndexedProgram, place: Place, one: Outlier) -> bool:
    if one.shared and (indexed.cast(place)[1].bytes or 0) >= LEAST_BYTES:
        return True
    if one.siblings < MANY_SIBLINGS or one.layer.endswith(ROLE_MARKS[BACKWARD]):
        return False
    return one.shared or cause_of_cast(indexed, place, 0) is not None


def wide_weights(indexed: IndexedProgram) -> Iterator[tuple[str, Draft]]:
    """The layers with wider weights than many siblings. A product takes them without a cast."""
    for number, graph in enumerate(indexed.graphs):
        marked = {
            (group.start, group.stop)
            for group in graph.groups
            if group.unlike.key == "odd, weights" and group.role in ("", FORWARD)
        }
        for layer in outliers.unlike_layers(graph) if marked else ():
            is_marked = layer.is_group and (layer.start, layer.stop) in marked
            if not is_marked or layer.siblings < MANY_SIBLINGS:
                continue
            own = weights_in(indexed, graph, layer.start, layer.stop)
            others = weights_in(indexed, graph, layer.sibling.start, layer.sibling.stop)
            at, wide = max(own, key=lambda one: FLOAT_BYTES[one[1].dtype])
            _, narrow = max(others, key=lambda one: FLOAT_BYTES[one[1].dtype])
            times = FLOAT_BYTES[wide.dtype] // FLOAT_BYTES[narrow.dtype]
            if times > 1:
                yield (
                    layer.name,
                    Draft(
                        what=sentence(
                            "unlike, weights",
                            layer=layer.name,
                            wide=short_dtype(wide),
                            siblings=layer.siblings,
                            narrow=short_dtype(narrow),
                        ),
                        cost=sentence("unlike cost, promoted", times=times),
                        places=[(number, at)],
                    ),
                )


def weights_in(
    indexed: IndexedProgram, graph: Graph, start: int, stop: int
) -> list[tuple[int, Aval]]:
    """The floats among the inputs of a graph that some eqns take, each with the eqn's index."""
    inputs = {*graph.invars, *graph.constvars}
    taken = (
        (at, indexed.aval(graph, var))
        for at in range(start, stop)
        for var in graph.eqns[at].invars
        if var in inputs
    )
    return [(at, aval) for at, aval in taken if aval.dtype in FLOAT_BYTES]


def unlike_layers_finding(indexed: IndexedProgram, found: dict[Place, Outlier]) -> Draft:
    place, one = next(iter(found.items()))
    before, after = indexed.cast(place)
    total = sum(indexed.cast(at)[1].bytes or 0 for at in found)
    origin = cause_of_cast(indexed, place, 0)
    if one.shared or origin is None:
        return Draft(
            what=sentence(
                "unlike",
                layer=one.layer,
                before=before.text,
                after=after.text,
                siblings=one.siblings,
            ),
            cost=sentence("unlike cost", bytes=bytes_text(total)),
            places=[*found],
            bytes=total,
        )
    narrow, wide = short_dtype(before), short_dtype(after)
    return Draft(
        what=sentence(
            "unlike, promoted",
            layer=one.layer,
            wide=wide,
            siblings=one.siblings,
            narrow=narrow,
            expression=indexed.expression_of([place]),
        ),
        cost=sentence(
            "unlike cost, promoted", times=FLOAT_BYTES[after.dtype] // FLOAT_BYTES[before.dtype]
        ),
        fix=fix_of_upcast(origin, narrow),
        places=[*found],
        bytes=total,
    )


def short_dtype(aval: Aval) -> str:
    return aval.text.partition("[")[0]


# float64 that a line requests and does not get, because 64 bits are disabled in JAX.
#
# Reported only for calls that made an eqn. The records do not show NumPy's computations, nor a
# call on an array that is float32 already.

WIDE = "float64"
NUMPY_NAMES = ("np", "numpy", "onp")


def wide_requests(indexed: IndexedProgram) -> Iterator[Draft]:
    if not any(WIDE in listing.text for listing in indexed.program.listings):
        return
    if any(aval.dtype in (WIDE, "complex128") for aval in indexed.jaxpr.avals):
        return
    requesting = {
        number
        for number, frame in enumerate(indexed.jaxpr.frames)
        if requests_float64(indexed, frame)
    }
    found: dict[int, list[Place]] = {}
    for number, graph in enumerate(indexed.graphs if requesting else []):
        for index, eqn in enumerate(graph.eqns):
            results = {indexed.aval(graph, var).dtype for var in eqn.outvars}
            if eqn.call in requesting and eqn.call == eqn.frame and "float32" in results:
                found.setdefault(eqn.call, []).append((number, index))
    for places in found.values():
        yield Draft(
            what=sentence(WIDE, expression=indexed.expression_of(places)),
            places=places,
        )


def requests_float64(indexed: IndexedProgram, frame: Frame) -> bool:
    """True if a frame's expression is a call that requests float64."""
    text = "" if frame.library else indexed.text_of(frame)
    if WIDE not in text:
        return False
    try:
        call = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    if not isinstance(call, ast.Call) or dotted_name(call.func)[:1] in (
        [one] for one in NUMPY_NAMES
    ):
        return False
    arguments = [*call.args, *(one.value for one in call.keywords if one.arg == "dtype")]
    return dotted_name(call.func)[-1:] == [WIDE] or any(is_wide(one) for one in arguments)


def is_wide(node: ast.expr) -> bool:
    """True if an argument is `jnp.float64`, `np.float64` or `"float64"`."""
    return dotted_name(node)[-1:] == [WIDE] or (
        isinstance(node, ast.Constant) and node.value == WIDE
    )


def dotted_name(node: ast.expr) -> list[str]:
    """`["jnp", "float64"]` for `jnp.float64`; parts of another kind are omitted."""
    if isinstance(node, ast.Attribute):
        return [*dotted_name(node.value), node.attr]
    return [node.id] if isinstance(node, ast.Name) else []
