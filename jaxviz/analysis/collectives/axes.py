"""Finds along which axes of a mesh devices exchange, from the groups that XLA writes: it numbers
devices along the last axis first."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product

from jaxviz.analysis.cost.values import numbers_in

Groups = frozenset[frozenset[int]]
MOST_DEVICES = 4096
"""Groups of more devices are not looked at."""


def axes_of_groups(text: str, mesh: Mapping[str, int]) -> list[str]:
    """The axes along which the devices of each group lie: `['data']` of `{{0,2},{1,3}}`, or of
    `[2,2]<=[2,2]T(1,0)`, on a mesh of `data` 2 and `model` 2. Empty where none fit, or `text` is of
    no form that is known."""
    return [*_axes_of_groups(text, tuple(mesh.items()))] if text else []


@lru_cache(maxsize=256)
def _axes_of_groups(text: str, mesh: tuple[tuple[str, int], ...]) -> tuple[str, ...]:
    if math.prod(size for _, size in mesh) > MOST_DEVICES:
        return ()
    groups = _groups(text)
    wide = [axis for axis, size in mesh if size > 1]
    chosen = (some for count in range(1, len(wide) + 1) for some in combinations(wide, count))
    along = (
        one for one in chosen if _grouped([(size, axis in one) for axis, size in mesh]) == groups
    )
    return next(along, ())


def axes_of_pairs(text: str, mesh: Mapping[str, int]) -> list[str]:
    """The axes along which the pairs of a permute lie: `{{0,1},{1,0}}`."""
    places = _places_of_pairs(text, mesh)
    return [axis for at, axis in enumerate(mesh) if any(a[at] != b[at] for a, b in places)]


def step_of_pairs(text: str, mesh: Mapping[str, int]) -> int:
    """How many places further along these axes each device sends that has one there: 1 of
    `{{0,1},{1,2},{2,3}}`, and of `{{0,1},{1,2},{2,3},{3,0}}`, where the first comes after the last.
    0 where not all send alike."""
    axes, places = axes_of_pairs(text, mesh), _places_of_pairs(text, mesh)
    devices, count = (math.prod(mesh[axis] for axis in of) for of in (mesh, axes))
    numbers = [[_along(place, axes, mesh) for place in pair] for pair in places]
    steps = {after - before for before, after in numbers}
    step = min(steps, key=lambda one: (abs(one), -one), default=0)
    around = {one for one in steps if one != step and (one - step) % count == 0}
    senders = devices if around else devices * (count - abs(step)) // count
    return step if steps == {step, *around} and len(places) == senders else 0


def _along(place: Sequence[int], axes: Sequence[str], mesh: Mapping[str, int]) -> int:
    """The number of a place along some axes."""
    number = 0
    for at, (axis, size) in zip(place, mesh.items(), strict=True):
        number = number * size + at if axis in axes else number
    return number


def _places_of_pairs(text: str, mesh: Mapping[str, int]) -> list[tuple[list[int], list[int]]]:
    """Where both devices of each pair are; none where one is not on the mesh."""
    sizes = [*mesh.values()]
    pairs = [(int(one), int(other)) for one, other in re.findall(r"\{(\d+),(\d+)\}", text)]
    if max(map(max, pairs), default=0) >= math.prod(sizes):
        return []
    return [(_place(one, sizes), _place(other, sizes)) for one, other in pairs]


def _place(device: int, sizes: Sequence[int]) -> list[int]:
    """Where a device is along each axis."""
    found: list[int] = []
    for size in reversed(sizes):
        device, at = divmod(device, size)
        found.append(at)
    return found[::-1]


def _groups(text: str) -> Groups | None:
    """The groups as HLO writes them; None where it writes them otherwise."""
    if found := re.match(r"\[(\d+),(\d+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?", text):
        return _counted(int(found[2]), numbers_in(found[3]), numbers_in(found[4] or ""))
    if found := re.match(_ON_A_MESH, text):
        groups = _grouped([*_parts(found[1], found[4])])
        ids = _order(numbers_in(found[2]), numbers_in(found[3] or "")) if found[2] else None
        return groups if ids is None else _renamed(groups, ids)
    listed = re.findall(r"\{([\d,]+)\}", text)
    return frozenset(frozenset(numbers_in(one)) for one in listed) or None


_ON_A_MESH = r"mesh\[([^\]]*)\](?:, device_ids=\(\[([\d,]+)\](?:T\(([\d,]+)\))?\))? \{([^}]*)\}"


def _renamed(groups: Groups, devices: list[int]) -> Groups | None:
    """Groups of places as those of the devices there."""
    if len(devices) != sum(map(len, groups)):
        return None
    return frozenset(frozenset(devices[at] for at in group) for group in groups)


def _counted(size: int, dims: list[int], order: list[int]) -> Groups:
    """Groups of so many, of devices that are counted along `dims` in another order."""
    devices = _order(dims, order)
    return frozenset(frozenset(devices[at : at + size]) for at in range(0, len(devices), size))


def _order(dims: list[int], order: list[int]) -> list[int]:
    """Devices that are numbered along `dims`, counted along these in another order."""
    steps = [math.prod(dims[at + 1 :]) for at in range(len(dims))]
    order = order or [*range(len(dims))]
    places = product(*(range(dims[at]) for at in order)) if dims else ()
    return [sum(steps[at] * one for at, one in zip(order, place, strict=True)) for place in places]


def _parts(mesh: str, used: str) -> Iterable[tuple[int, bool]]:
    """The sizes of a mesh's axes, and which of them groups lie along, as `_grouped` takes them:
    `'a'=4,'b'=2` and `'a':(2)2`, the second half of `a`."""
    parts = re.findall(r"'([^']*)'(?::\((\d+)\)(\d+))?", used)
    for axis, size in re.findall(r"'([^']*)'=(\d+)", mesh):
        of = [(int(before or 1), int(some or size)) for name, before, some in parts if name == axis]
        before, some = of[0] if of else (1, 1)
        yield from ((before, False), (some, True), (int(size) // (before * some), False))


def _grouped(sizes: Sequence[tuple[int, bool]]) -> Groups:
    """The groups of devices that are at the same place along all axes but those that are True."""
    found: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for device, place in enumerate(product(*(range(size) for size, _ in sizes))):
        key = tuple(at for at, (_, inside) in zip(place, sizes, strict=True) if not inside)
        found[key].append(device)
    return frozenset(map(frozenset, found.values()))
