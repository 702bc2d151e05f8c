"""A layer that casts to a wider float what its siblings leave narrow, by the code they share.

Told of the program's strays (`analysis/strays`) of 1 MiB and more, and only of lines that the
others run too: what is written for one layer is meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxviz.amounts import bytes_text
from jaxviz.analysis.findings.searched import Found, Place, Searched
from jaxviz.analysis.findings.sentences import say
from jaxviz.analysis.findings.upcasts import LEAST_BYTES
from jaxviz.schema import Stray


def unlike_layers(searched: Searched) -> Iterator[Found]:
    found: dict[tuple[str, int], dict[Place, Stray]] = {}
    for one in searched.jaxpr.strays:
        place = searched.place_of(one.eqn)
        frame = searched.frame_of([place])
        if one.shared and frame is not None and result(searched, place) >= LEAST_BYTES:
            found.setdefault((frame.file, frame.line), {})[place] = one
    for places in found.values():
        yield told(searched, places)


def result(searched: Searched, place: Place) -> int:
    """The bytes of what a cast makes; 0 where they are not known."""
    graph, eqn = searched.graphs[place[0]], searched.eqn(place)
    return searched.aval(graph, eqn.outvars[0]).bytes or 0


def told(searched: Searched, found: dict[Place, Stray]) -> Found:
    place, one = next(iter(found.items()))
    graph, eqn = searched.graphs[place[0]], searched.eqn(place)
    before, after = (searched.aval(graph, var) for var in (eqn.invars[0], eqn.outvars[0]))
    total = sum(result(searched, at) for at in found)
    return Found(
        what=say("unlike", one.layer, before.text, after.text, one.siblings),
        cost=say("unlike cost", bytes_text(total)),
        mend=say("unlike mend"),
        places=[*found],
        bytes=total,
    )
