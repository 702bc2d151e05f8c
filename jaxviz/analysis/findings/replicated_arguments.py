"""Arguments that every device holds whole, and of which each reads its own part alone.

Only the partitioner knows what a device reads, so nothing is said until a program is compiled, and
then of an argument of 1 MiB and more whose one use is that a device takes its part of it (a
`dynamic-slice` that the number of the device decides). What is read whole anywhere (weights under
data parallelism) is meant to lie everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxviz.amounts import bytes_text
from jaxviz.analysis.findings.searched import LEAST_BYTES, Found, Place, Searched
from jaxviz.analysis.links.dataflow import OUTSIDE, Dataflow
from jaxviz.sentences import sentence

SAME = {"bitcast", "copy", "reshape", "transpose"}
"""What gives on all elements that it is given."""
DEVICE = {"partition_id", "replica_id"}


def replicated_arguments(searched: Searched) -> Iterator[Found]:
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
                yield from told(searched, flow, var, path, part)


def part_read(flow: Dataflow, var: int) -> int | None:
    """The one instruction that uses an argument, if it takes the device's part of it."""
    users = [
        number
        for number, through in enumerate(flow.through)
        if not through and OUTSIDE in flow.makers(number)
        if (OUTSIDE, (0, var)) in flow.sources(number)
    ]
    while len(users) == 1 and flow.ops[users[0]] in SAME and users[0] not in flow.kept:
        users = flow.users(users[0])
    if len(users) != 1 or flow.ops[users[0]] != "dynamic_slice":
        return None
    return users[0] if is_chosen_by_device(flow, users[0]) else None


def is_chosen_by_device(flow: Dataflow, part: int) -> bool:
    """Whether where a part begins follows from the number of the device, and from nothing else."""
    todo = flow.makers(part)[1:]
    seen = set(todo)
    for one in todo:
        if one == OUTSIDE:
            return False
        further = set(flow.makers(one)) - seen
        todo += further
        seen |= further
    return any(flow.ops[one] in DEVICE for one in seen)


def line_of_part(searched: Searched, number: int) -> Place:
    """The eqn that reads a part; of one that a `shard_map` holds the `shard_map`, which splits."""
    place = searched.place_of(number)
    for outer, eqn, _ in searched.holders.get(place[0], ()):
        if eqn.op == "shard_map":
            return outer, searched.graphs[outer].eqns.index(eqn)
    return place


def told(searched: Searched, flow: Dataflow, var: int, path: str, part: int) -> Iterator[Found]:
    whole, read, origin = flow.aval((0, var)), flow.result(part), flow.eqns[part].origin
    place = line_of_part(searched, origin[-1]) if origin else None
    if place is not None and searched.line_of(place) is not None:
        quoted = searched.expression_of([place])
        yield Found(
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
