"""Findings on devices: collectives, replicated arrays, host callbacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.findings.indexed_program import LEAST_BYTES, Draft, IndexedProgram, Place
from jaxviz.analysis.links.dataflow import OUTSIDE, Dataflow
from jaxviz.ops import row_of
from jaxviz.sentences import sentence
from jaxviz.sentences.amounts import bytes_text

# Collectives: XLA gathers a value from other devices, because a line needs another split of it.
#
# The finding needs the compiled program. It reports whole values of 1 MiB or more that an
# `all-gather` assembles. It does not report sums over devices (every split computation has some),
# parts of arguments and results (their owner chose the split, as for weights that are split to
# save memory), loop carries (they may be arguments), and programs that state a split themselves
# (`with_sharding_constraint`, `shard_map`).

GATHERED = ("all-gather", "all-gather-done")
SPLITTING = ("shard_map", "xla_pmap", "device_put", "custom_partitioning")
SHARDING_PARAMS = ("in_shardings", "out_shardings")
MOVEMENT = {
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
"""Ops that change no element: the gathered value is the same before and after them."""


def collectives(indexed: IndexedProgram) -> Iterator[Draft]:
    hlo = indexed.hlo
    if hlo is None or not any(eqn.op in GATHERED for graph in hlo.graphs for eqn in graph.eqns):
        return
    if states_split(indexed):
        return
    flow, found = Dataflow(hlo), dict[int | None, tuple[Place, int]]()
    for number, eqn in enumerate(flow.eqns):
        size = flow.result(number).bytes or 0
        if eqn.op not in GATHERED or size < LEAST_BYTES or not is_computed(flow, number):
            continue
        place = user_of(indexed, flow, number)
        if place is not None:
            found.setdefault(indexed.eqn(place).frame, (place, number))
    for place, number in found.values():
        yield collective_finding(indexed, flow, place, number)


def states_split(indexed: IndexedProgram) -> bool:
    """True if a program states a split of a value, or a collective, anywhere."""
    if any(op in SPLITTING or row_of(op).family == "collective" for op in indexed.by_op):
        return True
    eqns = (indexed.eqn(place) for place in indexed.places("jit", "pjit"))
    return any(param.name in SHARDING_PARAMS for eqn in eqns for param in eqn.params)


def is_computed(flow: Dataflow, number: int) -> bool:
    """True if the program computes the gathered value; false if it is an argument, perhaps
    moved."""
    todo, seen = [number], {number}
    for one in todo:
        for made in flow.makers(one):
            if made == OUTSIDE:
                return False
            if flow.ops[made] in MOVEMENT and made not in seen:
                seen.add(made)
                todo.append(made)
    return True


def user_of(indexed: IndexedProgram, flow: Dataflow, number: int) -> Place | None:
    """The first eqn on a line of the user that needs a gathered value."""
    todo, seen, found = [number], {number}, list[int]()
    for one in todo:
        for user in flow.users(one):
            if flow.ops[user] in MOVEMENT:
                todo += [user] if user not in seen else []
                seen.add(user)
            elif flow.eqns[user].origin:
                found.append(flow.eqns[user].origin[-1])
    places = (indexed.place_of(origin) for origin in sorted(found))
    return next((place for place in places if indexed.line_of(place) is not None), None)


def split_argument(indexed: IndexedProgram, place: Place) -> tuple[str, ...]:
    """The name and the split of an argument that an eqn uses, if it is split; else empty."""
    call, root = indexed.jaxpr.call, indexed.graphs[0]
    todo = [(place[0], var) for var in indexed.eqn(place).invars]
    for number, var in todo:
        made = indexed.flow(number).maker.get(var)
        if made is not None:
            eqn = indexed.graphs[number].eqns[made]
            further = eqn.invars if row_of(eqn.op).name in MOVEMENT | SHAPE_ONLY else []
            todo += [(number, one) for one in further]
        elif number > 0:
            todo += indexed.operands_for(number, var) or []
        elif var in root.invars:
            at = root.invars.index(var)
            named = call.shardings[at] if call is not None and call.shardings else ""
            spec = indexed.aval(root, var).sharding or named
            if spec and root.args[at]:
                return root.args[at], spec
    return ()


def collective_finding(indexed: IndexedProgram, flow: Dataflow, place: Place, number: int) -> Draft:
    whole, part = flow.result(number), flow.operand(number)
    parts = {"expression": indexed.expression_of([place]), "whole": whole.text, "part": part.text}
    argument = split_argument(indexed, place)
    return Draft(
        what=sentence("collective, split", argument=argument[0], spec=argument[1], **parts)
        if argument
        else sentence("collective", **parts),
        cost=sentence("collective cost", bytes=bytes_text((whole.bytes or 0) - (part.bytes or 0))),
        places=[place],
        names=argument[:1],
        bytes=whole.bytes,
    )


# Replicated arrays: every device has the whole array and reads only its part.
#
# Only the partitioner knows what a device reads, so the finding needs the compiled program.
# Reported for an argument or a captured array of 1 MiB or more that only `dynamic-slice`s at the
# number of the device use. An array that a device reads whole, such as weights under data
# parallelism, is replicated on purpose. Of an iota, XLA makes each device's part itself.

KEEPS_ELEMENTS = {"bitcast", "copy", "reshape", "transpose"}
"""Instructions that keep all elements of their operand."""
DEVICE = {"partition_id", "replica_id"}


class StoredArray(NamedTuple):
    """An array that each device stores whole."""

    aval: schema.Aval
    name: str
    users: list[int]
    """The instructions that use it."""


def replicated_arrays(indexed: IndexedProgram) -> Iterator[Draft]:
    hlo = indexed.hlo
    if hlo is None or not any(
        eqn.op == "partition-id" for graph in hlo.graphs for eqn in graph.eqns
    ):
        return
    flow = Dataflow(hlo)
    for one in whole_arguments(indexed, flow):
        yield from replicated_findings(indexed, flow, one, "replicated")
    for one in whole_constants(indexed, flow):
        key = "replicated" if one.name else "replicated, constant"
        fix = sentence("replicated fix, constant")
        for draft in replicated_findings(indexed, flow, one, key):
            yield draft._replace(fix=fix)


def whole_arguments(indexed: IndexedProgram, flow: Dataflow) -> Iterator[StoredArray]:
    root = flow.stage.graphs[0]
    shapes = {leaf.path: leaf.aval.shape for leaf in indexed.program.args}
    for var, path in zip(root.invars, root.args, strict=True):
        aval = flow.aval((0, var))
        if (aval.bytes or 0) >= LEAST_BYTES and aval.shape == shapes.get(path):
            yield StoredArray(aval, path, users_of_argument(flow, var))


def users_of_argument(flow: Dataflow, var: int) -> list[int]:
    return [
        number
        for number, through in enumerate(flow.transparent)
        if not through and OUTSIDE in flow.makers(number)
        if (OUTSIDE, (0, var)) in flow.sources(number)
    ]


def whole_constants(indexed: IndexedProgram, flow: Dataflow) -> Iterator[StoredArray]:
    """The captured arrays that each device stores. XLA may have several constants for one array, so
    those of one type count as one."""
    names: dict[str, list[str]] = {}
    for number, graph in enumerate(indexed.graphs):
        for var in graph.constvars:
            name = indexed.name_of(var) if number == 0 else ""
            names.setdefault(indexed.aval(graph, var).text, []).append(name)
    stored: dict[str, list[int]] = {}
    for number, op in enumerate(flow.ops if names else []):
        aval = flow.result(number) if op == "constant" else None
        if aval is not None and (aval.bytes or 0) >= LEAST_BYTES and aval.text in names:
            stored.setdefault(aval.text, []).append(number)
    for text, numbers in stored.items():
        if flow.leaving.isdisjoint(numbers):
            users = [user for number in numbers for user in flow.users(number)]
            [name, *others] = names[text]
            yield StoredArray(flow.result(numbers[0]), "" if others else name, users)


def parts_read(flow: Dataflow, users: list[int]) -> list[int]:
    """The instructions that take the device's part of an array; empty if anything else uses it."""
    todo, parts = [*users], list[int]()
    for one in todo:
        if flow.ops[one] in KEEPS_ELEMENTS and one not in flow.leaving:
            todo += flow.users(one)
        elif flow.ops[one] == "dynamic_slice" and is_start_by_device(flow, one):
            parts.append(one)
        else:
            return []
    return parts


def is_start_by_device(flow: Dataflow, part: int) -> bool:
    """True if the start of a part depends only on the number of the device."""
    todo = flow.makers(part)[1:]
    seen = set(todo)
    for one in todo:
        if one == OUTSIDE:
            return False
        further = set(flow.makers(one)) - seen
        todo += further
        seen |= further
    return any(flow.ops[one] in DEVICE for one in seen)


def place_of_part(indexed: IndexedProgram, flow: Dataflow, part: int) -> Place | None:
    """The eqn that reads a part, or the `shard_map` around it, which splits the array."""
    origins = (flow.eqns[number].origin for number in (part, *flow.users(part)))
    origin = next(filter(None, origins), None)
    if origin is None:
        return None
    place = indexed.place_of(origin[-1])
    for outer, eqn, _ in indexed.callers.get(place[0], ()):
        if eqn.op == "shard_map":
            return outer, indexed.graphs[outer].eqns.index(eqn)
    return place


def replicated_findings(
    indexed: IndexedProgram, flow: Dataflow, one: StoredArray, key: str
) -> Iterator[Draft]:
    parts = parts_read(flow, one.users)
    places = [place for part in parts for place in [place_of_part(indexed, flow, part)] if place]
    if places and indexed.line_of(places[0]) is not None:
        whole, read = one.aval, flow.result(parts[0])
        yield Draft(
            what=sentence(
                key,
                argument=one.name,
                whole=whole.text,
                expression=indexed.expression_of(places),
                part=read.text,
            ),
            cost=sentence(
                "replicated cost", bytes=bytes_text((whole.bytes or 0) - (read.bytes or 0))
            ),
            places=places,
            names=[one.name] if one.name else [],
            bytes=whole.bytes,
        )


# Host callbacks: calls of Python in a loop.
#
# Reported if one run makes 8 calls or more, or an unknown number, on a line of the user. A
# callback in a branch is not reported, because it may run rarely.

CALLBACKS = ("pure_callback", "io_callback", "debug_callback", "debug_print")
FEWEST_CALLS = 8
LOOPS = ("scan", "while")
CHOICES = ("cond", "switch")


def host_callbacks(indexed: IndexedProgram) -> Iterator[Draft]:
    found: dict[int, list[Place]] = {}
    for place in indexed.places(*CALLBACKS):
        eqn = indexed.eqn(place)
        if indexed.is_user_line(place) and eqn.frame is not None:
            found.setdefault(eqn.frame, []).append(place)
    for places in found.values():
        looped = [calls for place in places for calls in [calls_of(indexed, place[0])] if calls]
        if not looped or (all(n > 0 for n in looped) and sum(looped) < FEWEST_CALLS):
            continue
        is_known = all(calls > 0 for calls in looped)
        yield Draft(
            what=sentence("callback", expression=indexed.expression_of(places)),
            cost=sentence("callback cost, known", calls=sum(looped)) if is_known else None,
            places=places,
        )


UNKNOWN = -1


def calls_of(indexed: IndexedProgram, graph: int) -> int:
    """The number of times that loops run a graph in one run of the program: 0 if it is in no loop,
    or in a branch; -1 if the iterations of a loop are unknown."""
    calls, is_looped, seen = 1, False, {graph}
    while graph != 0:
        callers = indexed.callers.get(graph, ())
        if len(callers) != 1:
            return 0
        graph, eqn, _ = callers[0]
        if eqn.op in CHOICES or graph in seen:
            return 0
        seen.add(graph)
        if eqn.op in LOOPS:
            is_looped = True
            calls = UNKNOWN if eqn.trips is None or calls < 0 else calls * eqn.trips
    return calls if is_looped else 0
