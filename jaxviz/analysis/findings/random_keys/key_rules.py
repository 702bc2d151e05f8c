"""For each primitive, the keys of its result."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import lru_cache
from itertools import product
from math import prod

from jaxviz.analysis.findings.random_keys.key_values import (
    DRAWS,
    MOST_KEYS,
    Keys,
    Path,
    Site,
    Step,
    all_keys,
    loops_of,
    places,
    shape_of_keys,
)
from jaxviz.analysis.findings.random_keys.known_keys import KnownKeys
from jaxviz.schema import Eqn, Graph

Rule = Callable[[KnownKeys, Site], Hashable]
"""Returns what is known of the result; None if nothing is."""


def draw(known: KnownKeys, site: Site) -> None:
    if keys := known.keys(site, site.eqn.invars[0]):
        known.use(keys, site.path)


def split(known: KnownKeys, site: Site) -> Keys | None:
    keys, shape = known.keys(site, site.eqn.invars[0]), _shape(known, site)
    if keys is None:
        return None
    known.use(keys, site.path)
    if shape is None:
        return None
    loops = known.roots[keys.root].loops
    return all_keys(known.root(("split", keys, shape), loops, made_of=keys), shape)


def fold_in(known: KnownKeys, site: Site) -> Keys | None:
    """The same key with the same number makes the same key."""
    key, number = site.eqn.invars
    keys, shape = known.keys(site, key), _shape(known, site)
    if keys is None or shape is None:
        return None
    data = known.value(site, number)
    loops = known.roots[keys.root].loops | _loops_of_number(data)
    return all_keys(known.root(("fold_in", keys, data, shape), loops), shape)


def seed(known: KnownKeys, site: Site) -> Keys | None:
    data, shape = known.value(site, site.eqn.invars[0]), _shape(known, site)
    if shape is None:
        return None
    return all_keys(known.root(("seed", data, shape), _loops_of_number(data)), shape)


def clone(known: KnownKeys, site: Site) -> Keys | None:
    """A key that its maker wants to use once more."""
    shape = _shape(known, site)
    if shape is None:
        return None
    return all_keys(known.root(("clone", site.path), loops_of(site.path)), shape)


def wrap(known: KnownKeys, site: Site) -> Keys | None:
    """Raw keys as keys. The words of a root are numbered through, so words 2 and 3 are key 1."""
    raw = known.keys(site, site.eqn.invars[0])
    return None if raw is None else _wrapped(known, raw)


def _wrapped(known: KnownKeys, raw: Keys) -> Keys | None:
    words, root = raw.shape[-1], known.roots[raw.root]
    firsts = raw.at[::words]
    if any(first % words for first in firsts) or [*raw.at] != _words(firsts, words):
        return None
    outside = None if root.outside is None else _wrapped(known, root.outside)
    number = known.root(("keys", raw.root, words), root.loops, root.name, outside, root.is_slice)
    return Keys(number, places([first // words for first in firsts]), raw.shape[:-1])


def _words(firsts: Iterable[int], words: int) -> list[int]:
    return [first + word for first in firsts for word in range(words)]


def unwrap(known: KnownKeys, site: Site) -> Keys | None:
    keys, shape = known.keys(site, site.eqn.invars[0]), _shape(known, site)
    if keys is None or not shape:
        return None
    words, root = shape[-1], known.roots[keys.root]
    raw = known.root(("words", keys.root), root.loops, root.name)
    known.numbers["keys", raw, words] = keys.root  # wrapped again, they are the same keys
    return Keys(raw, places(_words((at * words for at in keys.at), words)), shape)


def same(known: KnownKeys, site: Site) -> Hashable:
    """A cast of a number that goes into a key."""
    return known.value(site, site.eqn.invars[0])


def part(known: KnownKeys, site: Site) -> Keys | None:
    """Some keys of an array, or all of them in another shape."""
    shape = _shape(known, site)
    keys = None if shape is None else known.keys(site, site.eqn.invars[0])
    chosen = None if keys is None else elements(site.graph, site.eqn, keys.shape)
    if keys is None or chosen is None or shape is None or len(chosen) != prod(shape):
        return None
    return Keys(keys.root, places([keys.at[at] for at in chosen]), shape)


def rows(known: KnownKeys, site: Site) -> dict[int, Keys]:
    """Each row of an array of keys, by the variable that has it: `key, sub = split(key)`."""
    keys = known.keys(site, site.eqn.invars[0])
    if keys is None or not any(one.name == "axis" and one.value == "0" for one in site.eqn.params):
        return {}
    shape, size = keys.shape[1:], prod(keys.shape[1:])
    return {
        var: Keys(keys.root, keys.at[row * size : (row + 1) * size], shape)
        for row, var in enumerate(site.eqn.outvars)
    }


def _shape(known: KnownKeys, site: Site) -> tuple[int, ...] | None:
    """The shape of the result, if it has keys."""
    return shape_of_keys(known.indexed.aval(site.graph, site.eqn.outvars[0]))


def _loops_of_number(data: Hashable) -> frozenset[Path]:
    """The loops in which a number may change: those around the eqn that made it."""
    if isinstance(data, tuple) and data[:1] == ("made",):
        return loops_of((*data[1], Step((0, 0))))
    return frozenset()


def elements(graph: Graph, eqn: Eqn, shape: tuple[int, ...]) -> list[int] | None:
    """The elements of the operand that the result has, in row-major order; None if not known."""
    if eqn.op in ("squeeze", "reshape"):
        return list(range(prod(shape)))
    ranges = _ranges(graph, eqn, shape)
    if ranges is None or prod(map(len, ranges)) > MOST_KEYS:
        return None
    steps = [prod(shape[at + 1 :]) for at in range(len(shape))]
    return [
        sum(one * step for one, step in zip(index, steps, strict=True))
        for index in product(*ranges)
    ]


def _ranges(graph: Graph, eqn: Eqn, shape: tuple[int, ...]) -> list[range] | None:
    """The indices that a slice takes of each dimension."""
    params = {param.name: _numbers(param.value) for param in eqn.params}
    if eqn.op == "slice":
        starts, stops = params.get("start_indices"), params.get("limit_indices")
        strides = params.get("strides") or (1,) * len(shape)
        if starts is None or stops is None:
            return None
        return [range(*one) for one in zip(starts, stops, strides, strict=True)]
    sizes = params.get("slice_sizes")
    begins = [_literal(graph.vars[var].name) for var in eqn.invars[1:]]
    if sizes is None or None in begins:
        return None
    # A slice that would leave the array begins earlier.
    within = zip((one for one in begins if one is not None), sizes, shape, strict=True)
    at = [min(begin, whole - size) for begin, size, whole in within]
    return [range(begin, begin + size) for begin, size in zip(at, sizes, strict=True)]


@lru_cache(maxsize=1_024)
def _numbers(text: str) -> tuple[int, ...] | None:
    """The numbers of a param such as `(1, 0)`."""
    return ast.literal_eval(text) if text.startswith("(") else None


def _literal(text: str) -> int | None:
    """The number of a literal such as `2:i32[]`."""
    number = text.partition(":")[0]
    return int(number) if number.isdecimal() else None


PARTS = ("slice", "dynamic_slice", "squeeze", "reshape")
"""The primitives whose results are some of the operand's elements."""
RULES: Mapping[str, Rule] = {
    **dict.fromkeys(DRAWS, draw),
    "random_split": split,
    "random_fold_in": fold_in,
    "random_wrap": wrap,
    "random_unwrap": unwrap,
    "random_seed": seed,
    "random_clone": clone,
    "convert_element_type": same,
    **dict.fromkeys(PARTS, part),
}
