"""Values that are split otherwise, and then again as they were before.

The value from before is the same, and lies as it is wanted: what devices exchange on the way gives
nothing, whoever else uses what lies between. Only what a program says itself is looked at
(`with_sharding_constraint`, `jax.sharding.reshard`), and values of 1 MiB and more. Nothing is said
where a dimension is left to XLA, where another mesh or kind of memory is on the way, and of axes
that have one device.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from jaxviz import schema
from jaxviz.amounts import bytes_text
from jaxviz.analysis.findings.searched import LEAST_BYTES, Found, Place, Searched
from jaxviz.sentences import sentence

SHARDING = ("sharding_constraint", "reshard")
"""The primitives that split a value."""


class Split(NamedTuple):
    """How a value is split."""

    spec: str
    """As `P('data')`, without the `None` of the last dimensions."""
    place: tuple[tuple[schema.MeshAxis, ...], str] | None
    """The mesh and the kind of memory; None where the value's type has the spec alone."""


def reshards(searched: Searched) -> Iterator[Found]:
    for place in searched.places(*SHARDING):
        size = searched.size(searched.graphs[place[0]], searched.eqn(place).outvars)
        if size >= LEAST_BYTES and searched.is_users(place):
            between = way_back(searched, place)
            if between:
                yield told(searched, [place, *between])


def way_back(searched: Searched, place: Place) -> list[Place]:
    """The eqns, last first, between a value and itself as it was split before; none where it never
    was, or where that is not known."""
    wanted, passed = split_by(searched, place), list[Place]()
    before, split = made_before(searched, place)
    while wanted and split and split.spec != wanted.spec and before:
        if split.place != wanted.place:
            return []
        passed.append(before)
        before, split = made_before(searched, before)
    if (
        not wanted
        or not split
        or split.spec != wanted.spec
        or split.place not in (wanted.place, None)
    ):
        return []
    return passed


def split_by(searched: Searched, place: Place) -> Split | None:
    """How an eqn splits its value; None where that is not all that it says, or nothing by which
    several devices would differ."""
    said = searched.eqn(place).attributes
    if not isinstance(said, schema.Sharding):
        return None
    if any(axis.size == 1 and f"'{axis.name}'" in said.spec for axis in said.mesh):
        return None
    return Split(shortest(said.spec), (said.mesh, said.memory))


def shortest(spec: str) -> str:
    entries = spec.removeprefix("P(").removesuffix(")").split(", ")
    while entries and entries[-1] in ("None", ""):
        entries.pop()
    return "P(" + ", ".join(entries) + ")"


def made_before(searched: Searched, place: Place) -> tuple[Place | None, Split | None]:
    """The eqn of that kind that an eqn's value comes from, if any, and how the value was split."""
    graph, var = searched.graphs[place[0]], searched.eqn(place).invars[0]
    made = searched.flow(place[0]).maker.get(var)
    if made is not None and graph.eqns[made].op in SHARDING:
        before = (place[0], made)
        return before, split_by(searched, before)
    return None, split_of(searched, place[0], var)


def split_of(searched: Searched, number: int, var: int) -> Split | None:
    """How a value is split that no eqn of that kind has made: an argument, or by its type."""
    graph, call = searched.graphs[number], searched.jaxpr.call
    text = searched.aval(graph, var).sharding or ""
    if not text and number == 0 and var in graph.invars and call is not None and call.shardings:
        text = call.shardings[graph.invars.index(var)]
    return Split(shortest(text), None) if text.startswith("P(") else None


def told(searched: Searched, places: list[Place]) -> Found:
    graph, [var, *_] = searched.graphs[places[0][0]], searched.eqn(places[0]).outvars
    aval = searched.aval(graph, var)
    spec, other = [split.spec for one in places[:2] if (split := split_by(searched, one))]
    return Found(
        what=sentence(
            "reshard",
            expression=searched.expression_of(places),
            type=aval.text,
            spec=spec,
            other=other,
        ),
        cost=sentence("reshard cost", bytes=bytes_text(aval.bytes or 0)),
        places=places,
        bytes=aval.bytes,
    )
