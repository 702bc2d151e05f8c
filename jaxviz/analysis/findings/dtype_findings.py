"""Findings on dtypes: upcasts, and float64 that JAX does not give."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from jaxviz.analysis.findings.indexed_program import LEAST_BYTES, Finding, IndexedProgram, Place
from jaxviz.analysis.outliers import FLOATS
from jaxviz.schema import Aval, Frame
from jaxviz.sentences import sentence
from jaxviz.sentences.amounts import bytes_text

# Upcasts: a narrow float becomes wide because the other operand is wide.
#
# Reported for values of 1 MiB or more that stay wide: they are returned, or go into a product.
# Casts that a line asks for are not reported, nor operations with their results. The reason is the
# other operand of the same expression: an argument, a constant, a number of NumPy or JAX, or a
# line that made it wide from nothing narrower.

PRODUCTS = ("dot_general", "conv_general_dilated")
SHAPE_ONLY = ("broadcast_in_dim", "reshape", "transpose", "squeeze", "expand_dims")
MOST_STEPS = 2_000
"""The most eqns that are followed back from one value."""


class Origin(NamedTuple):
    """The source of a wide value."""

    kind: str
    """`name`, `number` or `line`."""
    text: str
    """The argument's path, the printed number, or the number of the line."""
    type: str


def upcasts(searched: IndexedProgram) -> Iterator[Finding]:
    casts: dict[Origin, list[Place]] = {}
    for place in searched.places("convert_element_type"):
        found = cause(searched, place)
        if found is not None and stays_wide(searched, place):
            casts.setdefault(found, []).append(place)
    for origin, places in casts.items():
        yield upcast_finding(searched, origin, places)


def cause(searched: IndexedProgram, place: Place) -> Origin | None:
    """The source of a wide operand that forces a cast no line asks for; None for any other cast. An
    argument as large as the value is wide on purpose: a target, or weights stored so."""
    before, after = searched.cast(place)
    width = FLOATS.get(before.dtype, 0)
    if before.weak_type or not 0 < width < FLOATS.get(after.dtype, 0):
        return None
    if (after.bytes or 0) < LEAST_BYTES or not searched.is_users(place):
        return None
    other = partner(searched, place)
    found = None if other is None else origin_of(searched, place[0], other, after.dtype)
    is_as_large = found is not None and found.kind == "name" and found.type == after.text
    return None if is_as_large else found


def partner(searched: IndexedProgram, place: Place) -> int | None:
    """The wide operand that is combined with a cast value in the expression of the cast."""
    graph, eqn = searched.graphs[place[0]], searched.eqn(place)
    flow = searched.flow(place[0])
    dtype = searched.aval(graph, eqn.outvars[0]).dtype
    values = [eqn.outvars[0]]
    for value in values:
        for index in flow.users.get(value, ()):
            user = graph.eqns[index]
            if user.call != eqn.call:
                continue
            if user.op in SHAPE_ONLY:
                values += user.outvars
            for var in user.invars:
                aval = searched.aval(graph, var)
                if var not in values and aval.dtype == dtype and not aval.weak_type:
                    return var
    return None


def origin_of(searched: IndexedProgram, number: int, var: int, dtype: str) -> Origin | None:
    """The source of the width of a value; None if a cast or a product asked for it, or if
    unknown."""
    met = searched.graphs[number].vars[var]
    if met.literal:
        text, _, kind = met.name.rpartition(":")
        return Origin("number", text, kind)
    todo, seen = [(number, var)], {(number, var)}
    origins: list[Origin] = []
    for number, var in todo:
        made = searched.flow(number).maker.get(var)
        further = (
            passed(searched, number, var)
            if made is None
            else wide_operands(searched, (number, made), dtype)
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
"""Values that give another value its width, as graph and variable."""


def passed(searched: IndexedProgram, number: int, var: int) -> Steps | Origin | None:
    """The source of a graph's input: an argument, or an operand of the eqn around it."""
    if number > 0:
        return searched.fed(number, var)
    name = searched.name_of(var)
    return Origin("name", name, searched.aval(searched.graphs[0], var).text) if name else None


def wide_operands(searched: IndexedProgram, place: Place, dtype: str) -> Steps | Origin | None:
    """The operands that give the result of an eqn its width. A number took its width from the
    others."""
    number, graph, eqn = place[0], searched.graphs[place[0]], searched.eqn(place)
    avals = [searched.aval(graph, var) for var in eqn.invars]
    wide = [
        (number, var)
        for var, aval in zip(eqn.invars, avals, strict=True)
        if aval.dtype == dtype and not aval.weak_type and not graph.vars[var].literal
    ]
    if wide:
        return wide
    if any(aval.dtype in FLOATS and aval.dtype != dtype for aval in avals):
        is_met = eqn.op == "convert_element_type" and partner(searched, place) is not None
        return [] if is_met else None
    line = searched.jaxpr.frames[eqn.frame].line if eqn.frame is not None else None
    result = searched.aval(graph, eqn.outvars[0]).text
    return None if line is None else Origin("line", str(line), result)


def stays_wide(searched: IndexedProgram, place: Place) -> bool:
    """True if the value, or a result of the same width computed from it, is returned or goes into a
    product."""
    graph, eqn, flow = searched.graphs[place[0]], searched.eqn(place), searched.flow(place[0])
    dtype = searched.aval(graph, eqn.outvars[0]).dtype
    returned = {*graph.outvars}
    todo, seen = [eqn.outvars[0]], {eqn.outvars[0]}
    for value in todo:
        if value in returned:
            return True
        for index in flow.users.get(value, ()):
            user = graph.eqns[index]
            if user.op in PRODUCTS or user.bodies:
                return True
            wide = [v for v in user.outvars if searched.aval(graph, v).dtype == dtype]
            todo += [v for v in wide if v not in seen]
            seen.update(wide)
    return False


def upcast_finding(searched: IndexedProgram, origin: Origin, places: list[Place]) -> Finding:
    before, after = searched.cast(places[0])
    narrow, wide = short_dtype(before), short_dtype(after)
    fixes = {
        "name": {"name": origin.text, "dtype": narrow},
        "line": {"dtype": narrow},
        "number": {},
    }
    return Finding(
        what=sentence(
            f"upcast, {origin.kind}",
            expression=searched.expression_of(places),
            before=before.text,
            after=after.text,
            type=origin.type,
            **{origin.kind: origin.text},
        ),
        cost=sentence(
            "upcast cost",
            bytes=bytes_text(after.bytes or 0),
            before=bytes_text(before.bytes or 0),
            dtype=wide,
        ),
        fix=sentence(f"upcast fix, {origin.kind}", **fixes[origin.kind]),
        places=places,
        names=[origin.text] if origin.kind == "name" else [],
        bytes=after.bytes,
    )


def short_dtype(aval: Aval) -> str:
    return aval.text.partition("[")[0]


# float64 that a line asks for and does not get, because 64 bits are disabled in JAX.
#
# Reported only for calls that have an eqn of their own. The records do not show what NumPy
# computes, and arrays that are float32 already.

WIDE = "float64"
OF_NUMPY = ("np", "numpy", "onp")


def wide_requests(searched: IndexedProgram) -> Iterator[Finding]:
    if not any(WIDE in listing.text for listing in searched.program.listings):
        return
    if any(aval.dtype in (WIDE, "complex128") for aval in searched.jaxpr.avals):
        return
    asking = {number for number, frame in enumerate(searched.jaxpr.frames) if asks(searched, frame)}
    found: dict[int, list[Place]] = {}
    for number, graph in enumerate(searched.graphs if asking else []):
        for index, eqn in enumerate(graph.eqns):
            arguments = {searched.aval(graph, var).dtype for var in eqn.outvars}
            if eqn.call in asking and eqn.call == eqn.frame and "float32" in arguments:
                found.setdefault(eqn.call, []).append((number, index))
    for places in found.values():
        yield Finding(
            what=sentence(WIDE, expression=searched.expression_of(places)),
            places=places,
        )


def asks(searched: IndexedProgram, frame: Frame) -> bool:
    """True if the expression of a frame is a call that asks for float64."""
    text = "" if frame.library else searched.text_of(frame)
    if WIDE not in text:
        return False
    try:
        call = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    if not isinstance(call, ast.Call) or names(call.func)[:1] in ([one] for one in OF_NUMPY):
        return False
    arguments = [*call.args, *(one.value for one in call.keywords if one.arg == "dtype")]
    return names(call.func)[-1:] == [WIDE] or any(is_wide(one) for one in arguments)


def is_wide(node: ast.expr) -> bool:
    """True if an argument is `jnp.float64`, `np.float64` or `"float64"`."""
    return names(node)[-1:] == [WIDE] or (isinstance(node, ast.Constant) and node.value == WIDE)


def names(node: ast.expr) -> list[str]:
    """`["jnp", "float64"]` for `jnp.float64`. Other parts are left out."""
    if isinstance(node, ast.Attribute):
        return [*names(node.value), node.attr]
    return [node.id] if isinstance(node, ast.Name) else []
