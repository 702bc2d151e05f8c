"""Findings on devices: collectives, reshards, replicated arguments, host callbacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.findings.indexed_program import LEAST_BYTES, Finding, IndexedProgram, Place
from jaxviz.analysis.links.dataflow import OUTSIDE, Dataflow
from jaxviz.ops import row_of
from jaxviz.sentences import sentence
from jaxviz.sentences.amounts import bytes_text

# Collectives: XLA gathers a value from other devices, because a line needs it split differently.
#
# The finding needs the compiled program. It reports whole values of 1 MiB or more that an
# `all-gather` assembles. It does not report sums over devices (part of any split computation),
# parts of arguments and results (their owner chose the split, as for weights that are split to
# save memory), loop carries (they may be arguments), and programs that state a split themselves
# (`with_sharding_constraint`, `shard_map`).

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
"""Ops that change no element: the collected value is the same before and after them."""


def collectives(searched: IndexedProgram) -> Iterator[Finding]:
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
        yield collective_finding(searched, flow, place, number)


def chooses(searched: IndexedProgram) -> bool:
    """True if a program states anywhere how a value is split or sent."""
    if any(op in CHOOSING or row_of(op).family == "collective" for op in searched.by_op):
        return True
    eqns = (searched.eqn(place) for place in searched.places("jit", "pjit"))
    return any(param.name in PLACED for eqn in eqns for param in eqn.params)


def is_computed(flow: Dataflow, number: int) -> bool:
    """True if the program computes the collected value, so that it is no unchanged argument."""
    todo, seen = [number], {number}
    for one in todo:
        for made in flow.makers(one):
            if made == OUTSIDE:
                return False
            if flow.ops[made] in MOVES and made not in seen:
                seen.add(made)
                todo.append(made)
    return True


def user_of(searched: IndexedProgram, flow: Dataflow, number: int) -> Place | None:
    """The first eqn on a user's line that needs a collected value."""
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


def split_argument(searched: IndexedProgram, place: Place) -> tuple[str, ...]:
    """The argument that meets the value there and is split itself: its name and its split."""
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


def collective_finding(
    searched: IndexedProgram, flow: Dataflow, place: Place, number: int
) -> Finding:
    whole, part = flow.result(number), flow.operand(number)
    parts = {"expression": searched.expression_of([place]), "whole": whole.text, "part": part.text}
    met = split_argument(searched, place)
    return Finding(
        what=sentence("collective, split", argument=met[0], spec=met[1], **parts)
        if met
        else sentence("collective", **parts),
        cost=sentence("collective cost", bytes=bytes_text((whole.bytes or 0) - (part.bytes or 0))),
        places=[place],
        names=met[:1],
        bytes=whole.bytes,
    )


# Reshards: a value is split differently, and then as before.
#
# The value before is the same, so the exchange between devices gains nothing. Only the program's
# own statements count (`with_sharding_constraint`, `jax.sharding.reshard`), for values of 1 MiB
# or more. Not reported: a dimension that is left to XLA, another mesh or kind of memory on the
# way, and axes of one device.

SHARDING = ("sharding_constraint", "reshard")
"""The primitives that split a value."""


class Split(NamedTuple):
    """The split of a value over devices."""

    spec: str
    """The spec such as `P('data')`, without the `None` of the last dimensions."""
    place: tuple[tuple[schema.MeshAxis, ...], str] | None
    """The mesh and the kind of memory; None if the value's type has only the spec."""


def reshards(searched: IndexedProgram) -> Iterator[Finding]:
    for place in searched.places(*SHARDING):
        size = searched.size(searched.graphs[place[0]], searched.eqn(place).outvars)
        if size >= LEAST_BYTES and searched.is_users(place):
            between = way_back(searched, place)
            if between:
                yield reshard_finding(searched, [place, *between])


def way_back(searched: IndexedProgram, place: Place) -> list[Place]:
    """The eqns, last first, between a value and its earlier equal split; none if there was no such
    split, or it is unknown."""
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


def split_by(searched: IndexedProgram, place: Place) -> Split | None:
    """The split that an eqn states for its value; None if it states more than that, or a split over
    axes of one device."""
    sharding = searched.eqn(place).attributes
    if not isinstance(sharding, schema.Sharding):
        return None
    if any(axis.size == 1 and f"'{axis.name}'" in sharding.spec for axis in sharding.mesh):
        return None
    return Split(shortest(sharding.spec), (sharding.mesh, sharding.memory))


def shortest(spec: str) -> str:
    entries = spec.removeprefix("P(").removesuffix(")").split(", ")
    while entries and entries[-1] in ("None", ""):
        entries.pop()
    return "P(" + ", ".join(entries) + ")"


def made_before(searched: IndexedProgram, place: Place) -> tuple[Place | None, Split | None]:
    """The previous eqn that split the value, if any, and the split of the value before."""
    graph, var = searched.graphs[place[0]], searched.eqn(place).invars[0]
    made = searched.flow(place[0]).maker.get(var)
    if made is not None and graph.eqns[made].op in SHARDING:
        before = (place[0], made)
        return before, split_by(searched, before)
    return None, split_of(searched, place[0], var)


def split_of(searched: IndexedProgram, number: int, var: int) -> Split | None:
    """The split of a value that no such eqn made: that of an argument, or of its type."""
    graph, call = searched.graphs[number], searched.jaxpr.call
    text = searched.aval(graph, var).sharding or ""
    if not text and number == 0 and var in graph.invars and call is not None and call.shardings:
        text = call.shardings[graph.invars.index(var)]
    return Split(shortest(text), None) if text.startswith("P(") else None


def reshard_finding(searched: IndexedProgram, places: list[Place]) -> Finding:
    graph, [var, *_] = searched.graphs[places[0][0]], searched.eqn(places[0]).outvars
    aval = searched.aval(graph, var)
    spec, other = [split.spec for one in places[:2] if (split := split_by(searched, one))]
    return Finding(
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


# Replicated arguments: every device has the whole argument and reads only its part.
#
# Only the partitioner knows what a device reads, so the finding needs the compiled program.
# Reported for an argument of 1 MiB or more whose only use is a `dynamic-slice` at the number of
# the device. What any device reads whole (weights under data parallelism) is meant to be
# everywhere.

SAME = {"bitcast", "copy", "reshape", "transpose"}
"""Instructions that keep all elements of their operand."""
DEVICE = {"partition_id", "replica_id"}


def replicated_arguments(searched: IndexedProgram) -> Iterator[Finding]:
    hlo = searched.hlo
    if hlo is None or not any(eqn.op == "partition-id" for eqn in hlo.graphs[0].eqns):
        return
    flow, root = Dataflow(hlo), hlo.graphs[0]
    whole = {leaf.path: leaf.aval.shape for leaf in searched.program.args}
    for var, path in zip(root.invars, root.args, strict=True):
        aval = flow.aval((0, var))
        if (aval.bytes or 0) >= LEAST_BYTES and aval.shape == whole.get(path):
            part = part_read(flow, var)
            if part is not None:
                yield from replicated_finding(searched, flow, var, path, part)


def part_read(flow: Dataflow, var: int) -> int | None:
    """The one instruction that uses an argument, if it takes the device's part of it."""
    users = [
        number
        for number, through in enumerate(flow.transparent)
        if not through and OUTSIDE in flow.makers(number)
        if (OUTSIDE, (0, var)) in flow.sources(number)
    ]
    while len(users) == 1 and flow.ops[users[0]] in SAME and users[0] not in flow.leaving:
        users = flow.users(users[0])
    if len(users) != 1 or flow.ops[users[0]] != "dynamic_slice":
        return None
    return users[0] if is_chosen_by_device(flow, users[0]) else None


def is_chosen_by_device(flow: Dataflow, part: int) -> bool:
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


def line_of_part(searched: IndexedProgram, number: int) -> Place:
    """The eqn that reads a part. If a `shard_map` contains it, this is the `shard_map`, which
    splits."""
    place = searched.place_of(number)
    for outer, eqn, _ in searched.holders.get(place[0], ()):
        if eqn.op == "shard_map":
            return outer, searched.graphs[outer].eqns.index(eqn)
    return place


def replicated_finding(
    searched: IndexedProgram, flow: Dataflow, var: int, path: str, part: int
) -> Iterator[Finding]:
    whole, read, origin = flow.aval((0, var)), flow.result(part), flow.eqns[part].origin
    place = line_of_part(searched, origin[-1]) if origin else None
    if place is not None and searched.line_of(place) is not None:
        quoted = searched.expression_of([place])
        yield Finding(
            what=sentence(
                "replicated",
                argument=path,
                whole=whole.text,
                expression=quoted,
                part=read.text,
            ),
            cost=sentence(
                "replicated cost", bytes=bytes_text((whole.bytes or 0) - (read.bytes or 0))
            ),
            places=[place],
            names=[path],
            bytes=whole.bytes,
        )


# Host callbacks: calls of Python in a loop.
#
# Reported if one run makes 8 calls or more, or an unknown number, on a line of the user. A
# callback in a branch is rare, as it should be.

CALLBACKS = ("pure_callback", "io_callback", "debug_callback", "debug_print")
FEWEST_CALLS = 8
LOOPS = ("scan", "while")
CHOICES = ("cond", "switch")


def host_callbacks(searched: IndexedProgram) -> Iterator[Finding]:
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
        yield Finding(
            what=sentence("callback", expression=searched.expression_of(places)),
            cost=sentence("callback cost, known", calls=sum(looped)) if is_known else None,
            places=places,
        )


UNKNOWN = -1


def calls_of(searched: IndexedProgram, graph: int) -> int:
    """The number of times that loops run a graph in one run of the program. 0 if none contains it,
    or it is in a branch; -1 if a loop's iterations are unknown."""
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
