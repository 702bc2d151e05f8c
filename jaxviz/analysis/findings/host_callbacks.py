"""Calls of Python in a loop of a program.

Told where one run makes 8 calls or more, or an unknown number, on a line of the user's. A callback
in a branch is called now and then, as it should be.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxviz.analysis.findings.searched import Found, Place, Searched
from jaxviz.sentences import sentence

CALLBACKS = ("pure_callback", "io_callback", "debug_callback", "debug_print")
FEWEST_CALLS = 8
LOOPS = ("scan", "while")
CHOICES = ("cond", "switch")


def host_callbacks(searched: Searched) -> Iterator[Found]:
    found: dict[int, list[Place]] = {}
    for place in searched.places(*CALLBACKS):
        eqn = searched.eqn(place)
        if searched.is_users(place) and eqn.frame is not None:
            found.setdefault(eqn.frame, []).append(place)
    for places in found.values():
        looped = [calls for place in places for calls in [calls_of(searched, place[0])] if calls]
        if not looped or (all(n > 0 for n in looped) and sum(looped) < FEWEST_CALLS):
            continue
        is_known = all(calls > 0 for calls in looped)
        yield Found(
            what=sentence("callback", expression=searched.expression_of(places)),
            cost=sentence("callback cost, known", calls=sum(looped)) if is_known else None,
            places=places,
        )


UNKNOWN = -1


def calls_of(searched: Searched, graph: int) -> int:
    """How often one run of the program runs a graph because of loops; 0 where none holds it, or
    where it is in a branch, and -1 where a loop's turns are not known."""
    calls, is_looped, seen = 1, False, {graph}
    while graph != 0:
        holders = searched.holders.get(graph, ())
        if len(holders) != 1:
            return 0
        graph, eqn, _ = holders[0]
        if eqn.op in CHOICES or graph in seen:
            return 0
        seen.add(graph)
        if eqn.op in LOOPS:
            is_looped = True
            calls = UNKNOWN if eqn.trips is None or calls < 0 else calls * eqn.trips
    return calls if is_looped else 0
