"""Finds along which axes of a mesh devices exchange, from the groups that XLA writes: it numbers
devices along the last axis first."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product

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
        one for one in chosen if _along([(size, axis in one) for axis, size in mesh]) == groups
    )
    return next(along, ())


def axes_of_pairs(text: str, mesh: Mapping[str, int]) -> list[str]:
    """The axes along which the pairs of a permute lie: `{{0,1},{1,0}}`."""
    sizes = [*mesh.values()]
    pairs = [_numbers(one) for one in re.findall(r"\{(\d+,\d+)\}", text)]
    if max(map(max, pairs), default=0) >= math.prod(sizes):
        return []
    places = [[_place(device, sizes) for device in pair] for pair in pairs]
    return [axis for at, axis in enumerate(mesh) if any(a[at] != b[at] for a, b in places)]


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
        return _counted(int(found[2]), _numbers(found[3]), _numbers(found[4] or ""))
    if found := re.match(_ON_A_MESH, text):
        groups = _along([*_parts(found[1], found[4])])
        ids = _order(_numbers(found[2]), _numbers(found[3] or "")) if found[2] else None
        return groups if ids is None else _renamed(groups, ids)
    listed = re.findall(r"\{([\d,]+)\}", text)
    return frozenset(frozenset(_numbers(one)) for one in listed) or None


_ON_A_MESH = r"mesh\[([^\]]*)\](?:, device_ids=\(\[([\d,]+)\](?:T\(([\d,]+)\))?\))? \{([^}]*)\}"


def _renamed(groups: Groups, devices: list[int]) -> Groups | None:
    """Groups of places as those of the devices there."""
    if len(devices) != sum(map(len, groups)):
        return None
    return frozenset(frozenset(devices[at] for at in group) for group in groups)


def _numbers(text: str) -> list[int]:
    return [int(one) for one in text.split(",") if one]


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
    """The sizes of a mesh's axes, and which of them groups lie along, as `_along` takes them:
    `'a'=4,'b'=2` and `'a':(2)2`, the second half of `a`."""
    parts = re.findall(r"'([^']*)'(?::\((\d+)\)(\d+))?", used)
    for axis, size in re.findall(r"'([^']*)'=(\d+)", mesh):
        of = [(int(before or 1), int(some or size)) for name, before, some in parts if name == axis]
        before, some = of[0] if of else (1, 1)
        yield from ((before, False), (some, True), (int(size) // (before * some), False))


def _along(sizes: Sequence[tuple[int, bool]]) -> Groups:
    """The groups of devices that are at the same place along all axes but those that are True."""
    found: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for device, place in enumerate(product(*(range(size) for size, _ in sizes))):
        key = tuple(at for at, (_, inside) in zip(place, sizes, strict=True) if not inside)
        found[key].append(device)
    return frozenset(map(frozenset, found.values()))
