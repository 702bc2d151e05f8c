"""Values that XLA collects from other devices, because they are split otherwise than a line needs.

Nothing is said until a program is compiled, and then only of whole values that are put together of
parts (`all-gather`) of 1 MiB and more. Sums over devices are part of a computation that is split.
Parts of an argument are put together as its owner wants it (weights that are split to save memory),
and so are those of results; and a program that says anywhere how its values are to be split
(`with_sharding_constraint`, `shard_map`) has chosen what is sent. Nothing is said of what a loop
carries, because it may be an argument.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxviz.amounts import bytes_text
from jaxviz.analysis.findings.searched import LEAST_BYTES, Found, Place, Searched
from jaxviz.analysis.links.dataflow import OUTSIDE, Dataflow
from jaxviz.ops import row_of
from jaxviz.sentences import sentence

GATHERED = ("all-gather", "all-gather-done")
CHOOSING = ("shard_map", "xla_pmap", "device_put", "custom_partitioning")
PLACED = ("in_shardings", "out_shardings")
MOVES = {
    "get_tuple_element",
    "convert",
    "copy",
    "copy_done",
    "copy_start",
    "bitcast",
    "transpose",
    "reshape",
} | {
    *("slice", "dynamic_slice", "broadcast", "optimization_barrier", "pad", "concatenate"),
    *("all_gather", "all_gather_start", "all_gather_done", "all_to_all", "collective_permute"),
}
SHAPE_ONLY = {"convert_element_type", "broadcast_in_dim", "squeeze", "expand_dims"}
"""What changes no element: before it and after it is the value that is collected."""


def collectives(searched: Searched) -> Iterator[Found]:
    hlo = searched.hlo
    if hlo is None or not any(eqn.op in GATHERED for graph in hlo.graphs for eqn in graph.eqns):
        return
    if chooses(searched):
        return
    flow, found = Dataflow(hlo), dict[int | None, tuple[Place, int]]()
    for number, eqn in enumerate(flow.eqns):
        size = flow.result(number).bytes or 0
        if eqn.op not in GATHERED or size < LEAST_BYTES or not is_computed(flow, number):
            continue
        place = user_of(searched, flow, number)
        if place is not None:
            found.setdefault(searched.eqn(place).frame, (place, number))
    for place, number in found.values():
        yield told(searched, flow, place, number)


def chooses(searched: Searched) -> bool:
    """Whether a program says anywhere how a value is to be split or sent."""
    if any(op in CHOOSING or row_of(op).family == "collective" for op in searched.by_op):
        return True
    eqns = (searched.eqn(place) for place in searched.places("jit", "pjit"))
    return any(param.name in PLACED for eqn in eqns for param in eqn.params)


def is_computed(flow: Dataflow, number: int) -> bool:
    """Whether what is collected is made by the program, and is no argument as it came."""
    todo, seen = [number], {number}
    for one in todo:
        for made in flow.makers(one):
            if made == OUTSIDE:
                return False
            if flow.ops[made] in MOVES and made not in seen:
                seen.add(made)
                todo.append(made)
    return True


def user_of(searched: Searched, flow: Dataflow, number: int) -> Place | None:
    """The first eqn, on a line of the user's, that a collected value was collected for."""
    todo, seen, found = [number], {number}, list[int]()
    for one in todo:
        for user in flow.users(one):
            if flow.ops[user] in MOVES:
                todo += [user] if user not in seen else []
                seen.add(user)
            elif flow.eqns[user].origin:
                found.append(flow.eqns[user].origin[-1])
    places = (searched.place_of(origin) for origin in sorted(found))
    return next((place for place in places if searched.line_of(place) is not None), None)


def split_argument(searched: Searched, place: Place) -> tuple[str, ...]:
    """The argument that meets the value there and is split itself, as its name and how."""
    call, root = searched.jaxpr.call, searched.graphs[0]
    todo = [(place[0], var) for var in searched.eqn(place).invars]
    for number, var in todo:
        made = searched.flow(number).maker.get(var)
        if made is not None:
            eqn = searched.graphs[number].eqns[made]
            further = eqn.invars if row_of(eqn.op).name in MOVES | SHAPE_ONLY else []
            todo += [(number, one) for one in further]
        elif number > 0:
            todo += searched.fed(number, var) or []
        elif var in root.invars:
            at = root.invars.index(var)
            named = call.shardings[at] if call is not None and call.shardings else ""
            spec = searched.aval(root, var).sharding or named
            if spec and root.args[at]:
                return root.args[at], spec
    return ()


def told(searched: Searched, flow: Dataflow, place: Place, number: int) -> Found:
    whole, part = flow.result(number), flow.operand(number)
    parts = {"expression": searched.expression_of([place]), "whole": whole.text, "part": part.text}
    met = split_argument(searched, place)
    return Found(
        what=sentence("collective, split", argument=met[0], spec=met[1], **parts)
        if met
        else sentence("collective", **parts),
        cost=sentence("collective cost", bytes=bytes_text((whole.bytes or 0) - (part.bytes or 0))),
        places=[place],
        names=met[:1],
        bytes=whole.bytes,
    )
