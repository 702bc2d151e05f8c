"""A layer that casts to a wider float what its siblings leave narrow, by the code they share.

Told of the program's strays (`analysis/strays`) of 1 MiB and more, and only of lines that the
others run too: what is written for one layer is meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxviz.amounts import bytes_text
from jaxviz.analysis.findings.searched import LEAST_BYTES, Found, Place, Searched
from jaxviz.schema import Stray
from jaxviz.sentences import sentence


def unlike_layers(searched: Searched) -> Iterator[Found]:
    found: dict[tuple[str, int], dict[Place, Stray]] = {}
    for one in searched.jaxpr.strays:
        place = searched.place_of(one.eqn)
        frame = searched.frame_of([place])
        is_large = (searched.cast(place)[1].bytes or 0) >= LEAST_BYTES
        if one.shared and frame is not None and is_large:
            found.setdefault((frame.file, frame.line), {})[place] = one
    for places in found.values():
        yield told(searched, places)


def told(searched: Searched, found: dict[Place, Stray]) -> Found:
    place, one = next(iter(found.items()))
    before, after = searched.cast(place)
    total = sum(searched.cast(at)[1].bytes or 0 for at in found)
    return Found(
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
