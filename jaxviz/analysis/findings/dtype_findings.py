"""Findings on dtypes: upcasts, and requests for float64 that JAX ignores."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jaxviz.analysis.findings.indexed_program import LEAST_BYTES, Draft, IndexedProgram, Place
from jaxviz.analysis.findings.unlike_findings import unlike_layers
from jaxviz.analysis.findings.upcast_causes import (
    LEAST_SHARE,
    Origin,
    cause_of_cast,
    fix_of_upcast,
    short_dtype,
    stays_wide,
    widened_share,
)
from jaxviz.analysis.outliers import line_of
from jaxviz.schema import Frame
from jaxviz.sentences import sentence
from jaxviz.sentences.amounts import bytes_text

# Upcasts: a narrow float becomes wide because the other operand is wide.
#
# Reported for values of 1 MiB or more that stay wide: they are returned, or go into a product.
# Smaller ones are notes if they make a quarter of a layer's bytes wide. Casts that a line asks for
# are not reported, nor operations with their results. The cause is the other operand of the same
# expression: an argument, a captured array, a number of NumPy or JAX, or the result of a line that
# has no narrower operand.


def upcasts(indexed: IndexedProgram) -> Iterator[Draft]:
    if "convert_element_type" not in indexed.by_op:
        return
    large: dict[Origin, dict[Place, Origin]] = {}
    small: dict[Origin, dict[Place, Origin]] = {}
    reported = {place for draft in unlike_layers(indexed) for place in draft.places}
    lines = {line_of(indexed.jaxpr, indexed.eqn(place)) for place in reported}
    for place in indexed.places("convert_element_type"):
        origin = cause_of_cast(indexed, place)
        if origin is None or place in reported or not stays_wide(indexed, place):
            continue
        if (indexed.cast(place)[1].bytes or 0) >= LEAST_BYTES:
            large.setdefault(origin.in_any_layer, {})[place] = origin
        elif line_of(indexed.jaxpr, indexed.eqn(place)) not in lines:
            small.setdefault(origin.in_any_layer, {})[place] = origin
    for found in large.values():
        yield upcast_finding(indexed, found)
    for key, found in small.items():
        if key not in large and widened_share(indexed, next(iter(found))) >= LEAST_SHARE:
            yield upcast_finding(indexed, found)._replace(is_note=True)


def upcast_finding(indexed: IndexedProgram, found: dict[Place, Origin]) -> Draft:
    """The finding on casts with one origin, or with one in each of several layers."""
    places, origins = [*found], [*dict.fromkeys(found.values())]
    origin = origins[0] if len(origins) == 1 else origins[0].in_any_layer
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
        names=[one.text for one in origins if one.kind == "name"],
        bytes=after.bytes,
    )


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
