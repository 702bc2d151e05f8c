"""The reasons why an op was compiled several times: differences between its programs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable

from jaxviz.schema import Variety
from jaxviz.schema.signature import OpProgram

MOST_PROGRAMS = 200
"""The most programs of one op at one line that are compared: the first ones."""


def reason_of(programs: Collection[OpProgram]) -> list[Variety]:
    """Differences between the programs of an op, with the number of each."""
    by_label: defaultdict[str, list[OpProgram]] = defaultdict(list)
    for one in programs:
        by_label[one.label].append(one)
    counts = {"program": len(by_label)} | {
        kind: max((_different(kind, own) for own in by_label.values()), default=0)
        for kind in ("shape", "dtype", "weak type", "static value", "placement")
    }
    return [Variety(kind=kind, count=count) for kind, count in counts.items() if count > 1]


def _different(kind: str, programs: Iterable[OpProgram]) -> int:
    """The number of different values. Static arguments are compared only between calls with the
    same types, because JAX derives some from these. Placements are compared between calls that are
    otherwise equal."""
    found: defaultdict[Hashable, set[Hashable]] = defaultdict(set)
    for one in programs:
        types = one.shapes, one.dtypes, one.weak
        match kind:
            case "shape":
                found[None].add(one.shapes)
            case "dtype":
                found[None].add(one.dtypes)
            case "weak type":
                found[one.shapes, one.dtypes].add(one.weak)
            case "static value":
                found[types].add(one.statics)
            case _:
                found[types, one.statics].add(one.placed)
    return max(map(len, found.values()), default=0)
