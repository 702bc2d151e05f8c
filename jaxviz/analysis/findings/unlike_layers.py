"""A layer that casts to a wider float what its siblings leave narrow, by the code they share.

Siblings are groups of one name but for numbers, of one role, in groups of the same names. Told
where at least 3 of them repeat one another, and are at least half of all; of values of 1 MiB and
more; and only of lines that the others run too: what is written for one layer is meant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from jaxviz.amounts import bytes_text
from jaxviz.analysis.findings.searched import Found, Place, Searched
from jaxviz.analysis.findings.sentences import say
from jaxviz.analysis.findings.upcasts import FLOATS, LEAST_BYTES
from jaxviz.schema import Graph, Group

CAST = "convert_element_type"
FEWEST_ALIKE = 3
BUNDLES = ("repeat", "section")
Line = tuple[str, int]


class Unlike(NamedTuple):
    """A layer that most of its siblings differ from."""

    name: str
    start: int
    stop: int
    like: Group
    """One of the siblings that repeat one another."""
    others: int
    """How many those are."""


def unlike_layers(searched: Searched) -> Iterator[Found]:
    found: dict[Line, dict[Place, Unlike]] = {}
    widened = {place[0] for place in searched.by_op.get(CAST, ()) if is_wider(searched, place)}
    for number in widened:
        graph = searched.graphs[number]
        for one in unlike_groups(graph):
            for place in strays(searched, number, one):
                found.setdefault(line(searched, place), {}).setdefault(place, one)
    for places in found.values():
        yield told(searched, places)


def unlike_groups(graph: Graph) -> Iterator[Unlike]:
    families: dict[tuple[str, ...], list[Group]] = {}
    for index, group in enumerate(graph.groups):
        if group.kind not in BUNDLES:
            families.setdefault(family(graph, index), []).append(group)
    for members in families.values():
        alike = Counter(one.alike for one in members if one.alike >= 0)
        for number, count in alike.most_common(1):
            if count >= FEWEST_ALIKE and 2 * count >= len(members):
                rest = [one for one in members if one.alike != number]
                same = [one for one in members if one.alike == number]
                yield from (Unlike(m.name, m.start, m.stop, same[0], count) for m in rest)
                yield from between(same)


def between(same: list[Group]) -> Iterator[Unlike]:
    """What lies between two siblings and is about as long as they are: a layer of no name."""
    [like, *_] = same
    most = 2 * (like.stop - like.start) + 8
    for before, after in pairwise(same):
        if before.parent == after.parent and 0 < after.start - before.stop <= most:
            name = re.sub(r" ?\d+/\d+$", "", like.name)
            yield Unlike(name, before.stop, after.start, like, len(same))


def family(graph: Graph, index: int) -> tuple[str, ...]:
    """What siblings share: their role, and the names of a group and of those around it."""
    names = [graph.groups[index].role]
    at: int | None = index
    while at is not None:
        group = graph.groups[at]
        if group.kind not in BUNDLES:
            names.append(re.sub(r"\d+", "#", group.name))
        at = group.parent
    return tuple(names)


def strays(searched: Searched, number: int, one: Unlike) -> Iterator[Place]:
    """The casts to a wider float that a layer has more of than its sibling, on lines of both."""
    start, stop = one.like.start, one.like.stop
    known = Counter(cast[0] for cast in casts(searched, number, start, stop))
    lines = {line(searched, (number, at)) for at in range(start, stop)}
    for key, place in casts(searched, number, one.start, one.stop):
        known[key] -= 1
        if known[key] < 0 and line(searched, place) in lines:
            yield place


def casts(
    searched: Searched, number: int, start: int, stop: int
) -> Iterator[tuple[tuple[str, str, Line], Place]]:
    graph = searched.graphs[number]
    for index in range(start, stop):
        eqn, place = graph.eqns[index], (number, index)
        if eqn.op == CAST and is_wider(searched, place):
            before, after = (searched.aval(graph, one) for one in (eqn.invars[0], eqn.outvars[0]))
            yield (before.dtype, after.dtype, line(searched, place)), place


def is_wider(searched: Searched, place: Place) -> bool:
    """Whether a cast gives a large value a wider float, on a line that is known."""
    graph, eqn = searched.graphs[place[0]], searched.eqn(place)
    before, after = (searched.aval(graph, one) for one in (eqn.invars[0], eqn.outvars[0]))
    wider = 0 < FLOATS.get(before.dtype, 0) < FLOATS.get(after.dtype, 0)
    return wider and (after.bytes or 0) >= LEAST_BYTES and eqn.frame is not None


def line(searched: Searched, place: Place) -> Line:
    frame = searched.frame_of([place])
    return ("", 0) if frame is None else (frame.file, frame.line)


def told(searched: Searched, found: dict[Place, Unlike]) -> Found:
    place, one = next(iter(found.items()))
    graph, eqn = searched.graphs[place[0]], searched.eqn(place)
    before, after = (searched.aval(graph, var) for var in (eqn.invars[0], eqn.outvars[0]))
    results = ((searched.graphs[at[0]], searched.eqn(at).outvars[0]) for at in found)
    total = sum(searched.aval(*result).bytes or 0 for result in results)
    return Found(
        what=say("unlike", one.name, before.text, after.text, one.others),
        cost=say("unlike cost", bytes_text(total)),
        mend=say("unlike mend"),
        places=[*found],
        bytes=total,
    )
