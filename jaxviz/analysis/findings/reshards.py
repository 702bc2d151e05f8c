"""Values that are split otherwise, and then again as they were before.

The value from before is the same, and lies as it is wanted: what devices exchange on the way there
and back gives nothing, whoever else uses what lies between. Only what a program says itself is
looked at (`with_sharding_constraint`, `jax.sharding.reshard`), and values of 1 MiB and more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jaxviz.amounts import bytes_text
from jaxviz.analysis.findings.searched import Found, Place, Searched
from jaxviz.analysis.findings.sentences import say

LEAST_BYTES = 1 << 20
SHARDING = {"sharding_constraint": "sharding", "reshard": "dst_sharding"}
"""The primitives, and the parameter that says how each splits its value."""
_SPEC = re.compile(r"spec=P\w*\((.*?)\)(?:, memory_kind=\w+)?\)$")
_NOTHING_MORE = re.compile(r"(,? ?None)*,?$")


def reshards(searched: Searched) -> Iterator[Found]:
    for place in [one for op in SHARDING for one in searched.by_op.get(op, ())]:
        graph = searched.graphs[place[0]]
        aval = searched.aval(graph, searched.eqn(place).outvars[0])
        wanted, between = spec_of(searched, place), list[Place]()
        before: Place | None = place
        while before and (aval.bytes or 0) >= LEAST_BYTES and searched.is_users(place):
            between.append(before)
            before, spec = made_before(searched, before)
            if spec == wanted and len(between) > 1:
                yield told(searched, place, between[1:])
                break


def spec_of(searched: Searched, place: Place) -> str | None:
    """How an eqn splits its value, as `'data', None`; None where that is not all that it says."""
    eqn = searched.eqn(place)
    params = {param.name: param.value for param in eqn.params}
    if params.get("unconstrained_dims", "{}") not in ("{}", "frozenset()", "set()"):
        return None
    return written(params.get(SHARDING[eqn.op], ""))


def written(sharding: str) -> str | None:
    """The spec of a sharding, without the `None` of the last dimensions."""
    found = _SPEC.search(sharding)
    return found and _NOTHING_MORE.sub("", found[1])


def made_before(searched: Searched, place: Place) -> tuple[Place | None, str | None]:
    """The eqn of that kind that an eqn's value comes from, if any, and how the value was split."""
    graph, var = searched.graphs[place[0]], searched.eqn(place).invars[0]
    made = searched.flow(place[0]).maker.get(var)
    if made is not None and graph.eqns[made].op in SHARDING:
        before = (place[0], made)
        return before, spec_of(searched, before)
    return None, split_of(searched, place[0], var)


def split_of(searched: Searched, number: int, var: int) -> str | None:
    """How a value is split that no eqn of that kind has made: an argument, or by its type."""
    graph, call = searched.graphs[number], searched.jaxpr.call
    spec = searched.aval(graph, var).sharding or ""
    if not spec and number == 0 and var in graph.invars and call is not None and call.shardings:
        spec = call.shardings[graph.invars.index(var)]
    return written(f"spec={spec})") if spec.startswith("P") else None


def told(searched: Searched, place: Place, between: list[Place]) -> Found:
    graph = searched.graphs[place[0]]
    aval = searched.aval(graph, searched.eqn(place).outvars[0])
    specs = [f"P({spec_of(searched, one) or ''})" for one in (place, between[0])]
    return Found(
        what=say("reshard", searched.expression_of([place]), aval.text, *specs),
        cost=say("reshard cost", bytes_text(aval.bytes or 0)),
        mend=say("reshard mend"),
        places=[place, *between],
        bytes=aval.bytes,
    )
