"""Makes the records of groups of devices that communicate, from the forms of JAX, StableHLO and
HLO."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from jaxviz.schema import Groups, Pairs
from jaxviz.schema.params import MOST_DEVICES, in_order


def listed(
    groups: Sequence[Sequence[int]], axes: tuple[str, ...] = (), dimensions: tuple[int, ...] = ()
) -> Groups:
    """Groups that are lists of devices. Shorter ones are filled with -1, as in StableHLO."""
    size = max(map(len, groups), default=0)
    devices = [device for one in groups for device in (*one, *[-1] * (size - len(one)))]
    return Groups(
        axes=axes,
        count=len(groups),
        size=size,
        devices=tuple(devices) if len(devices) <= MOST_DEVICES else (),
        dims=(),
        order=(),
        dimensions=dimensions,
    )


def counted(
    count: int,
    size: int,
    dims: Iterable[int] = (),
    order: Iterable[int] = (),
    dimensions: tuple[int, ...] = (),
) -> Groups:
    """Groups of devices that are counted along `dims` in an order, as in XLA's
    `IotaReplicaGroupList`. Without `dims` the devices are unknown."""
    return Groups(
        axes=(),
        count=count,
        size=size,
        devices=(),
        dims=tuple(dims),
        order=tuple(order),
        dimensions=dimensions,
    )


Used = tuple[int, int, int]
"""An axis of a mesh along which groups lie: its number, the number of parts of it before this one,
and the number of devices in this part. A part of 0 devices is the whole axis."""


def along(
    sizes: Sequence[int],
    used: Iterable[Used],
    devices: Sequence[int] = (),
    dimensions: tuple[int, ...] = (),
) -> Groups:
    """Groups along axes of a mesh. `devices` lists the devices of a mesh that has them in another
    order."""
    parts = {axis: (before, some) if some else (1, sizes[axis]) for axis, before, some in used}
    dims: list[int] = []
    inside: list[int] = []
    for axis, size in enumerate(sizes):
        before, some = parts.get(axis, (1, 1))
        inside += [len(dims) + 1] if axis in parts else []
        dims += [before, some, size // (before * some)]
    order = [*(dim for dim in range(len(dims)) if dim not in inside), *inside]
    size = math.prod(dims[dim] for dim in inside)
    count = math.prod(dims) // size
    if not devices:
        return counted(count, size, dims, order, dimensions)
    if not len(devices) == count * size <= MOST_DEVICES:
        return counted(count, size, dimensions=dimensions)
    places = [devices[at] for at in in_order(dims, order)]
    groups = [places[at : at + size] for at in range(0, len(places), size)]
    return listed(groups, dimensions=dimensions)


def paired(pairs: Sequence[Sequence[int]], axes: tuple[str, ...] = ()) -> Pairs:
    """Pairs of a sending and a receiving device."""
    sources, targets = zip(*pairs, strict=True) if pairs else ((), ())
    return Pairs(axes=axes, sources=tuple(sources), targets=tuple(targets))
