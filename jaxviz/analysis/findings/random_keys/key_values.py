"""Keys, their roots, their uses, and the path of eqns that leads to each use."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod
from typing import NamedTuple

from jaxviz.analysis.findings.indexed_program import Place
from jaxviz.schema import Aval, Eqn, Graph

DRAWS = ("random_bits", "random_gamma")
MAKERS = ("random_seed", "random_wrap", "random_split", "random_fold_in", "random_clone")
OPS = (*DRAWS, *MAKERS)
"""The primitives without which a program has no keys."""
MOST_KEYS = 4_096
"""The most keys of an array: those of a larger one are not known."""


class Step(NamedTuple):
    """An eqn on the path to another one."""

    place: Place
    body: int = 0
    """The body of the eqn in which the path goes on."""
    choice: tuple[Hashable, int] | None = None
    """For a branch: the value that chooses it, and the branch's number."""
    turns: int | None = 1
    """The number of times that it runs the body; None if not known."""


Path = tuple[Step, ...]
"""The eqns around an eqn, from the program's first graph on, and the eqn itself."""


def without_body(path: Path) -> Path:
    """A path that is the same for all bodies of its last eqn."""
    return (*path[:-1], Step(path[-1].place))


def loops_of(path: Path) -> frozenset[Path]:
    """The loops around the last eqn of a path."""
    return frozenset(
        without_body(path[: at + 1]) for at, step in enumerate(path[:-1]) if step.turns != 1
    )


class Keys(NamedTuple):
    """An array of keys, or of the words of raw keys."""

    root: int
    at: Sequence[int]
    """The place of each key within the root, in row-major order: a range if there are no gaps, as
    hashing and comparing it takes no longer for many keys."""
    shape: tuple[int, ...]


def all_keys(root: int, shape: tuple[int, ...]) -> Keys:
    return Keys(root, range(prod(shape)), shape)


def places(at: list[int]) -> Sequence[int]:
    """Places as a range if there are no gaps, else as a tuple."""
    whole = range(at[0], at[0] + len(at)) if at else range(0)
    return whole if at == [*whole] else tuple(at)


class Root(NamedTuple):
    """The origin of keys."""

    loops: frozenset[Path]
    """The loops in whose iterations these are different keys."""
    name: str
    """The argument's path; empty for other origins."""
    outside: Keys | None
    """For an input of a loop's body: the operand. A carry is that in the first iteration."""
    is_slice: bool
    """True if each iteration has one row of `outside`."""
    made_of: Keys | None
    """The keys that they were split from."""


class Use(NamedTuple):
    """An eqn that draws from keys, or splits them."""

    path: Path
    root: int
    at: Sequence[int]
    loops: frozenset[Path]
    """The loops in whose iterations it uses different keys."""


class Site(NamedTuple):
    """An eqn that is visited, with the known values of its graph."""

    graph: Graph
    eqn: Eqn
    path: Path
    values: dict[int, Hashable]
    """By variable: keys, a literal, or the place where the value was made."""


def shape_of_keys(aval: Aval) -> tuple[int, ...] | None:
    """The shape of an array of keys, or of raw keys with their words; None for other values, and
    for too many keys."""
    sizes = [size for size in aval.shape or () if isinstance(size, int)]
    if aval.shape is None or len(sizes) < len(aval.shape) or prod(sizes) > MOST_KEYS:
        return None
    is_raw = aval.dtype == "uint32" and sizes[-1:] in ([2], [4])
    return tuple(sizes) if is_raw or aval.dtype.startswith("key<") else None
