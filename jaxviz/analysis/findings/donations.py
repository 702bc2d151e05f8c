"""Memory of arguments that results could take, and that which was donated for nothing.

XLA writes a result into a donated argument of the same type. Where a training step returns all of
its state anew, and that has 64 MiB or more, donating it halves what the state takes: below that
nobody would notice, and any other function may be called with what is needed again. Of what was
donated and fits no result it is told from 1 MiB on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from jaxviz.amounts import bytes_text
from jaxviz.analysis.findings.searched import Found, Searched, root_of
from jaxviz.schema import Eqn, Graph
from jaxviz.sentences import sentence

LEAST_STATE = 64 << 20
LEAST_WASTE = 1 << 20
PASSES = ("forward", "backward", "recompute", "metrics")


def donations(searched: Searched) -> Iterator[Found]:
    graph, call = searched.graphs[0], searched.jaxpr.call
    if call is None:
        return
    wasted = donated_in_vain(searched, call.donated) if call.donated else {}
    if sum(wasted.values()) >= LEAST_WASTE:
        yield told(searched, "donated in vain", wasted)
    given = searched.size(graph, graph.invars)
    if given >= LEAST_STATE and any(group.role == "backward" for group in graph.groups):
        state = returned_anew(searched, {*call.donated})
        if sum(state.values()) >= LEAST_STATE:
            yield told(searched, "not donated", state)


def donated_in_vain(searched: Searched, donated: list[int]) -> dict[str, int]:
    """The donated arguments, each with its bytes, for which no result of their type is left."""
    graph = searched.graphs[0]
    results = Counter(type_of(searched, var) for var in graph.outvars)
    wasted: dict[str, int] = {}
    for at in donated:
        kind = type_of(searched, graph.invars[at])
        if results[kind] > 0:
            results[kind] -= 1
        else:
            wasted[graph.args[at]] = on_a_device(searched, at)
    return wasted


def type_of(searched: Searched, var: int) -> tuple[str, str | None]:
    """What has to be the same so that one value can lie where another did."""
    aval = searched.aval(searched.graphs[0], var)
    return aval.text, aval.sharding


def returned_anew(searched: Searched, donated: set[int]) -> dict[str, int]:
    """The arguments, each with its bytes, that a training step updates: the update uses them, and
    for each of their leaves it makes a result of that type. So gradients are no new parameters."""
    graph = searched.graphs[0]
    update = of_the_update(graph)
    made = {var for eqn in update for var in eqn.outvars}
    used = {var for eqn in update for var in eqn.invars}
    results = Counter(type_of(searched, var) for var in graph.outvars if var in made)
    leaves: dict[str, list[int]] = {}
    for at, (path, var) in enumerate(zip(graph.args, graph.invars, strict=False)):
        if at in donated:
            results[type_of(searched, var)] -= 1
        else:
            leaves.setdefault(root_of(path), []).append(at)
    found: dict[str, int] = {}
    for root, held in leaves.items():
        variables = [graph.invars[at] for at in held]
        needed = Counter(type_of(searched, var) for var in variables)
        if root and needed <= results and used.issuperset(variables):
            results -= needed
            found[root] = sum(on_a_device(searched, at) for at in held)
    return found


def on_a_device(searched: Searched, at: int) -> int:
    """The bytes that one device has of an argument."""
    graph, call = searched.graphs[0], searched.jaxpr.call
    aval = searched.aval(graph, graph.invars[at])
    spec = aval.sharding or (call.shardings[at] if call and call.shardings else "")
    sizes = {axis.name: axis.size for axis in call.mesh} if call else {}
    parts = math.prod(size for axis, size in sizes.items() if f"'{axis}'" in spec)
    return -(-(aval.bytes or 0) // parts)


def of_the_update(graph: Graph) -> list[Eqn]:
    """The eqns that run neither forward nor backward."""
    passes = [group for group in graph.groups if group.role in PASSES]
    inside = {index for group in passes for index in range(group.start, group.stop)}
    return [eqn for index, eqn in enumerate(graph.eqns) if index not in inside]


def told(searched: Searched, key: str, sizes: dict[str, int]) -> Found:
    total = sum(sizes.values())
    names = "`, `".join([*sizes][:3])
    more = "" if len(sizes) <= 3 else f" (+{len(sizes) - 3})"
    call = searched.jaxpr.call
    many = ", devices" if call and math.prod(axis.size for axis in call.mesh) > 1 else ""
    return Found(
        what=sentence(f"{key}{many}", names=f"`{names}`{more}", bytes=bytes_text(total)),
        cost=sentence("donated in vain cost")
        if key == "donated in vain"
        else sentence(f"not donated cost{many}", bytes=bytes_text(total)),
        mend=sentence(f"{key} fix"),
        names=[*sizes],
        bytes=total,
        at=searched.definition,
    )
