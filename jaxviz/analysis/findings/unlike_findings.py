"""Findings on layers that are wider than their siblings."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from jaxviz.analysis import outliers
from jaxviz.analysis.findings.indexed_program import LEAST_BYTES, Draft, IndexedProgram, Place
from jaxviz.analysis.findings.upcast_causes import (
    LEAST_SHARE,
    SHAPE_ONLY,
    cause_of_cast,
    fix_of_upcast,
    short_dtype,
    widened_share,
)
from jaxviz.analysis.groups.facts.name_stacks import BACKWARD, FORWARD, ROLE_MARKS
from jaxviz.analysis.outliers import FLOAT_BYTES
from jaxviz.ops import row_of
from jaxviz.schema import Aval, Graph, Outlier
from jaxviz.sentences import sentence
from jaxviz.sentences.amounts import bytes_text

# Unlike layers: one layer casts to a wider float than the other layers of the same code.
#
# Reported for outliers (`analysis/outliers.py`) of 1 MiB or more, on lines that all these layers
# run. A line that only one layer runs is meant for it. Among many siblings, casts of any size are
# reported, also those on a line that only one layer runs, if no line asks for them. Later casts of
# that layer follow from it. So are wider weights, which a product takes without a cast. Among few
# siblings, smaller casts and weights are notes.

MANY_SIBLINGS = 8


def unlike_layers(indexed: IndexedProgram) -> Iterator[Draft]:
    found: dict[Hashable, dict[Place, Outlier]] = {}
    causes: dict[str, Hashable] = {}
    for one in indexed.jaxpr.strays:
        place = indexed.place_of(one.eqn)
        frame = indexed.frame_of([place])
        if frame is None or not (is_finding(indexed, place, one) or is_note(indexed, place, one)):
            continue
        line = frame.file, frame.line
        layer = one.layer.removesuffix(f" {ROLE_MARKS[BACKWARD]}")
        if not one.shared:
            causes.setdefault(layer, line)
        found.setdefault(causes.get(layer, line), {})[place] = one
    weights, reported = dict(wide_weights(indexed)), set[str]()
    for places in found.values():
        draft = unlike_layers_finding(indexed, places)
        layers = {one.layer for one in places.values()}
        if not draft.is_note or all(weights.get(layer, draft).is_note for layer in layers):
            reported |= layers
            yield draft
    yield from (draft for layer, draft in weights.items() if layer not in reported)


def is_summed(indexed: IndexedProgram, place: Place) -> bool:
    """True if only reductions use the result of a cast: sums may be wide on purpose."""
    graph, flow = indexed.graphs[place[0]], indexed.flow(place[0])
    values = [*indexed.eqn(place).outvars]
    for value in values:
        for index in flow.users.get(value, ()):
            user = graph.eqns[index]
            if user.op in SHAPE_ONLY:
                values += user.outvars
            elif row_of(user.op).family != "reduction":
                return False
    return {*values}.isdisjoint(graph.outvars)


def is_finding(indexed: IndexedProgram, place: Place, one: Outlier) -> bool:
    if one.shared and (indexed.cast(place)[1].bytes or 0) >= LEAST_BYTES:
        return not is_summed(indexed, place)
    return one.siblings >= MANY_SIBLINGS and is_unasked(indexed, place, one)


def is_unasked(indexed: IndexedProgram, place: Place, one: Outlier) -> bool:
    """True if no line asks one layer alone for its cast. Backward casts follow from others."""
    if one.layer.endswith(ROLE_MARKS[BACKWARD]) or is_summed(indexed, place):
        return False
    return one.shared or cause_of_cast(indexed, place) is not None


def is_note(indexed: IndexedProgram, place: Place, one: Outlier) -> bool:
    is_small = (indexed.cast(place)[1].bytes or 0) < LEAST_BYTES
    return (
        is_small
        and is_unasked(indexed, place, one)
        and widened_share(indexed, place) >= LEAST_SHARE
    )


def wide_weights(indexed: IndexedProgram) -> Iterator[tuple[str, Draft]]:
    """The layers with wider weights than many siblings. A product takes them without a cast."""
    for number, graph in enumerate(indexed.graphs):
        marked = {
            (group.start, group.stop)
            for group in graph.groups
            if group.unlike.key == "odd, weights" and group.role in ("", FORWARD)
        }
        for layer in outliers.unlike_layers(graph) if marked else ():
            if layer.is_group and (layer.start, layer.stop) in marked:
                draft = wide_weights_of(indexed, number, layer)
                if draft is not None:
                    yield layer.name, draft


def wide_weights_of(indexed: IndexedProgram, number: int, layer: outliers.Layer) -> Draft | None:
    """The finding or note on a layer's wide weights. None if they are as narrow as its siblings', a
    small part of its weights, or used on a line that its siblings do not run."""
    graph, sibling = indexed.graphs[number], layer.sibling
    own = weights_in(indexed, graph, layer.start, layer.stop)
    others = weights_in(indexed, graph, sibling.start, sibling.stop)
    at, wide = max(own, key=lambda one: FLOAT_BYTES[one[1].dtype])
    _, narrow = max(others, key=lambda one: FLOAT_BYTES[one[1].dtype])
    times = FLOAT_BYTES[wide.dtype] // FLOAT_BYTES[narrow.dtype]
    size = sum(aval.bytes or 0 for _, aval in own if aval.dtype == wide.dtype)
    is_note = layer.siblings < MANY_SIBLINGS and size < LEAST_BYTES
    is_part = is_note and size < LEAST_SHARE * sum(aval.bytes or 0 for _, aval in own)
    lines = {
        outliers.line_of(indexed.jaxpr, eqn) for eqn in graph.eqns[sibling.start : sibling.stop]
    }
    if times < 2 or is_part or outliers.line_of(indexed.jaxpr, graph.eqns[at]) not in lines:
        return None
    return Draft(
        what=sentence(
            "unlike, weights",
            layer=layer.name,
            wide=short_dtype(wide),
            siblings=layer.siblings,
            narrow=short_dtype(narrow),
        ),
        cost=sentence("unlike cost, promoted", times=times),
        places=[(number, at)],
        is_note=is_note,
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
    origin = cause_of_cast(indexed, place)
    is_note = not any(is_finding(indexed, *one) for one in found.items())
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
            is_note=is_note,
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
        is_note=is_note,
    )
