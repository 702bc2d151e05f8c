"""Findings on the splits that a program states: splits that are undone, and splits into more parts
than divide a dimension."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.findings.indexed_program import LEAST_BYTES, Draft, IndexedProgram, Place
from jaxviz.ops import row_of
from jaxviz.sentences import sentence
from jaxviz.sentences.amounts import bytes_text

# Reshards: a value is split in another way, and then as before.
#
# The two exchanges between devices cancel each other. Only the program's own statements count
# (`with_sharding_constraint`, `jax.sharding.reshard`), for values of 1 MiB or more. Not reported:
# a dimension that is left to XLA, another mesh or kind of memory in between, and axes of one
# device.

SHARDING = ("sharding_constraint", "reshard")
"""The primitives that split a value."""


class Split(NamedTuple):
    """The split of a value over devices."""

    spec: str
    """The spec such as `P('data')`, without the `None` of the last dimensions."""
    place: tuple[tuple[schema.MeshAxis, ...], str] | None
    """The mesh and the kind of memory; None if the value's type has only the spec."""


def reshards(indexed: IndexedProgram) -> Iterator[Draft]:
    for place in indexed.places(*SHARDING):
        size = indexed.size(indexed.graphs[place[0]], indexed.eqn(place).outvars)
        if size >= LEAST_BYTES and indexed.is_user_line(place):
            between = eqns_since_split(indexed, place)
            if between:
                yield reshard_finding(indexed, [place, *between])


def eqns_since_split(indexed: IndexedProgram, place: Place) -> list[Place]:
    """The eqns that split a value again since it had the same split, last first. Empty if it never
    had this split, or that is unknown."""
    wanted, passed = split_by(indexed, place), list[Place]()
    before, split = split_before(indexed, place)
    while wanted and split and split.spec != wanted.spec and before:
        if split.place != wanted.place:
            return []
        passed.append(before)
        before, split = split_before(indexed, before)
    if (
        not wanted
        or not split
        or split.spec != wanted.spec
        or split.place not in (wanted.place, None)
    ):
        return []
    return passed


def split_by(indexed: IndexedProgram, place: Place) -> Split | None:
    """The split that an eqn states for its value. None if it states anything else besides, or if an
    axis has one device."""
    sharding = indexed.eqn(place).attributes
    if not isinstance(sharding, schema.Sharding):
        return None
    if any(axis.size == 1 and f"'{axis.name}'" in sharding.spec for axis in sharding.mesh):
        return None
    return Split(shortest(sharding.spec), (sharding.mesh, sharding.memory))


def shortest(spec: str) -> str:
    entries = spec.removeprefix("P(").removesuffix(")").split(", ")
    while entries and entries[-1] in ("None", ""):
        entries.pop()
    return "P(" + ", ".join(entries) + ")"


def split_before(indexed: IndexedProgram, place: Place) -> tuple[Place | None, Split | None]:
    """The previous eqn that split the value, if any, and the split it made."""
    graph, var = indexed.graphs[place[0]], indexed.eqn(place).invars[0]
    made = indexed.flow(place[0]).maker.get(var)
    if made is not None and graph.eqns[made].op in SHARDING:
        before = (place[0], made)
        return before, split_by(indexed, before)
    return None, split_of(indexed, place[0], var)


def split_of(indexed: IndexedProgram, number: int, var: int) -> Split | None:
    """The split of a value that no op of `SHARDING` made: that of its type, or that which the call
    has for an argument."""
    graph, call = indexed.graphs[number], indexed.jaxpr.call
    text = indexed.aval(graph, var).sharding or ""
    if not text and number == 0 and var in graph.invars and call is not None and call.shardings:
        text = call.shardings[graph.invars.index(var)]
    return Split(shortest(text), None) if text.startswith("P(") else None


def reshard_finding(indexed: IndexedProgram, places: list[Place]) -> Draft:
    graph, [var, *_] = indexed.graphs[places[0][0]], indexed.eqn(places[0]).outvars
    aval = indexed.aval(graph, var)
    spec, other = [split.spec for one in places[:2] if (split := split_by(indexed, one))]
    return Draft(
        what=sentence(
            "reshard",
            expression=indexed.expression_of(places),
            type=aval.text,
            spec=spec,
            other=other,
        ),
        cost=sentence("reshard cost", bytes=bytes_text(aval.bytes or 0)),
        places=places,
        bytes=aval.bytes,
    )


# Uneven splits: a constraint asks for more parts than divide a dimension.
#
# XLA pads such a value within the program, which costs little: 4,097 rows over 8 devices are 513
# each. JAX cannot pad a result, so it leaves the dimension whole on each device. Reported for
# results, and for a value if half of its parts or more contain only padding: notes below 1 MiB on
# each device. A result is followed from the constraint through elementwise operations, functions
# and loops. A result with a sharding of its own is not reported.


class UnevenSplit(NamedTuple):
    """A dimension that a constraint splits into more parts than divide it."""

    dimension: int
    size: int
    parts: int
    others: int
    """The number of parts along the other dimensions."""

    @property
    def padded(self) -> int:
        return math.ceil(self.size / self.parts) * self.parts


def uneven_splits(indexed: IndexedProgram) -> Iterator[Draft]:
    found: dict[tuple[int | None, UnevenSplit], list[Place]] = {}
    for place in indexed.places("sharding_constraint"):
        frame = indexed.frame_of([place])
        split = None if frame is None or frame.library else uneven_split(indexed, place)
        if split is not None:
            found.setdefault((indexed.eqn(place).frame, split), []).append(place)
    for (_, split), places in found.items():
        yield from uneven_split_findings(indexed, split, places)


def uneven_split(indexed: IndexedProgram, place: Place) -> UnevenSplit | None:
    """The first dimension that a constraint splits into more parts than divide it."""
    sharding = indexed.eqn(place).attributes
    if not isinstance(sharding, schema.Sharding):
        return None
    sizes = {axis.name: axis.size for axis in sharding.mesh}
    parts = [math.prod(sizes[name] for name in names) for names in axes_of(sharding.spec)]
    shape = indexed.aval(indexed.graphs[place[0]], indexed.eqn(place).outvars[0]).shape
    for dimension, (size, count) in enumerate(zip(shape or (), parts, strict=False)):
        if isinstance(size, int) and size > 0 and size % count:
            return UnevenSplit(dimension, size, count, math.prod(parts) // count)
    return None


def axes_of(spec: str) -> list[tuple[str, ...]]:
    """The mesh axes that split each dimension: `[("data",), ()]` for `P('data', None)`. Raises
    ValueError for a spec of another form."""
    entries = ast.literal_eval(f"[{spec.removeprefix('P(').removesuffix(')')}]")
    return [one if isinstance(one, tuple) else (one,) if one else () for one in entries]


def uneven_split_findings(
    indexed: IndexedProgram, split: UnevenSplit, places: list[Place]
) -> Iterator[Draft]:
    number, eqn = places[0][0], indexed.eqn(places[0])
    aval = indexed.aval(indexed.graphs[number], eqn.outvars[0])
    whole = (aval.bytes or 0) // split.others
    part = whole * split.padded // (split.size * split.parts)
    parts = {
        "expression": indexed.expression_of(places),
        "type": aval.text,
        "dimension": split.dimension,
        "parts": split.parts,
        "size": split.size,
    }
    if any(is_result(indexed, place) for place in places):
        yield Draft(
            what=sentence("indivisible", **parts),
            cost=sentence("indivisible cost", bytes=bytes_text(whole), part=bytes_text(part)),
            fix=sentence(
                "indivisible fix", dimension=split.dimension, size=split.size, padded=split.padded
            ),
            places=places,
            bytes=whole,
            is_note=whole < LEAST_BYTES,
        )
    elif 2 * split.size <= split.parts:
        yield Draft(
            what=sentence("indivisible, padded", **parts),
            cost=sentence(
                "indivisible cost, padded", idle=split.parts - split.size, parts=split.parts
            ),
            fix=sentence("indivisible fix, padded", parts=split.parts),
            places=places,
            bytes=part,
            is_note=part < LEAST_BYTES,
        )


def is_result(indexed: IndexedProgram, place: Place) -> bool:
    """True if the value of an eqn is a result of the program that has no sharding of its own,
    perhaps after elementwise operations."""
    call, root = indexed.jaxpr.call, indexed.graphs[0]
    todo = [(place[0], indexed.eqn(place).outvars[0])]
    seen = {*todo}
    for number, var in todo:
        if number == 0 and var in root.outvars:
            at = len(root.invars) + root.outvars.index(var)
            if call is None or not call.shardings or not call.shardings[at]:
                return True
        further = [*same_split(indexed, number, var), *results_for(indexed, number, var)]
        todo += [one for one in further if one not in seen]
        seen.update(further)
    return False


def same_split(indexed: IndexedProgram, number: int, var: int) -> Iterator[tuple[int, int]]:
    """The values that are split like a value that they are computed from, as graph and variable."""
    graph = indexed.graphs[number]
    shape = indexed.aval(graph, var).shape
    for index in indexed.flow(number).users.get(var, ()):
        eqn = graph.eqns[index]
        if eqn.op == "convert_element_type" or row_of(eqn.op).family == "elementwise":
            yield from ((number, one) for one in eqn.outvars)
        for body in eqn.bodies:
            inner = indexed.graphs[body.graph]
            for one, operand in zip(inner.invars, body.inputs, strict=False):
                is_same = operand >= 0 and eqn.invars[operand] == var
                if is_same and indexed.aval(inner, one).shape == shape:
                    yield body.graph, one


def results_for(indexed: IndexedProgram, number: int, var: int) -> Iterator[tuple[int, int]]:
    """The results of the callers of a graph that a value becomes, as graph and variable."""
    graph = indexed.graphs[number]
    for outer, eqn, body in indexed.callers.get(number, ()):
        if not any(param.name == "out_shardings" for param in eqn.params):
            for one, result in zip(graph.outvars, body.outputs, strict=False):
                if one == var and result >= 0:
                    yield outer, eqn.outvars[result]
