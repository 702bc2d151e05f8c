"""Says why XLA's partitioner has devices exchange something: how what an eqn needs is split.

Nothing is said that does not follow from shapes: an eqn that reduces a dimension of which each
device has a part is followed by a sum of the parts (`all-reduce`), where the part that is reduced,
times the devices that sum up, is the whole of it; and an operand of which each device has a part is
put together (`all-gather`) where it is certain which operand that is. Anything else, such as what
XLA moved, merged or padded, has no cause here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.links.dataflow import OUTSIDE, Dataflow
from jaxviz.ops import row_of

REDUCED = (
    "dimension {} of {} is split along {}: each device reduces {} of {}, and their results are "
    "combined"
)
SEVERAL_REDUCED = (
    "dimensions {} of {} are split along {}: each device reduces {} of {} places, and their "
    "results are combined"
)
AT_ONCE = " (one of {} values that are sent at once)"
GATHERED = "dimension {} of {} is split along {} before this, and whole on each device after it"
_REDUCTIONS = tuple(f"reduce_{how}" for how in ("sum", "max", "min", "prod", "and", "or"))
_WITHIN = ("reduce", "reduce_window", "convert", "bitcast", "copy", "reshape")
"""Instructions into which XLA turns one reduction."""


class _Part(NamedTuple):
    """What one device has of a value."""

    value: str
    """The type of the whole value, after its name where it is an input of the program."""
    dims: tuple[int, ...]
    """The dimensions that are split along the axes."""
    part: int
    """How many places a device has of these dimensions."""
    of: int


class Causes:
    """Of the collectives of optimized HLO. `jaxpr` is that of the same program."""

    def __init__(self, stage: schema.Stage, jaxpr: schema.Stage) -> None:
        self._stages = stage, jaxpr

    @cached_property
    def _flow(self) -> Dataflow:
        return Dataflow(self._stages[0])

    @cached_property
    def _jaxpr(self) -> Dataflow:
        return Dataflow(self._stages[1])

    def of(self, number: int, kind: str, axes: list[str], devices: int | None) -> str:
        """Why there is an instruction that the program does not ask for; empty where that is not
        certain."""
        if not axes or not devices:
            return ""
        if kind in ("all-reduce", "reduce-scatter"):
            found, said = self._reduced(number, devices), REDUCED
        elif kind == "all-gather":
            found, said = self._gathered(number, devices), GATHERED
        else:
            return ""
        if found is None:
            return ""
        said = said if len(found.dims) == 1 else SEVERAL_REDUCED
        dims, along = (" and ".join(map(str, some)) for some in (found.dims, axes))
        said = said.format(dims, found.value, along, f"{found.part:,}", f"{found.of:,}")
        at_once = len(self._flow.eqns[number].invars)
        return said + (AT_ONCE.format(f"{at_once:,}") if at_once > 1 else "")

    def _named(self, asked: int, place: int) -> str:
        """An operand of an eqn of the jaxpr, as `_Part.value`."""
        maker, value = self._jaxpr.sources[asked][place]
        text = self._jaxpr.operand(asked, place).text
        is_input = maker == OUTSIDE and self._jaxpr.aval(value).text == text
        return f"{_input(self._jaxpr, value) if is_input else ''} {text}".lstrip()

    def _reduced(self, number: int, devices: int) -> _Part | None:
        origin = self._origin(number)
        if not origin:
            return None
        asked = self._jaxpr.eqns[origin[-1]]
        makers = (self._before_converts(one) for one, _ in self._flow.sources[number])
        made = next((one for one in makers if self._is_for(one, origin)), OUTSIDE)
        if made == OUTSIDE or not asked.invars:
            return None
        whole, value = self._jaxpr.operand(origin[-1]), self._named(origin[-1], 0)
        if asked.op == "dot_general" and self._flow.ops[made] == "dot":
            dims, parts = self._contracted(made, asked, whole)
        elif asked.op in _REDUCTIONS and self._flow.ops[made] == "reduce":
            local = self._entering(made)
            dims = _numbers(_value(asked, "axes")) if _divides(local, whole) else ()
            parts = [_size(local, (dim,)) for dim in dims]
        else:
            return None
        return _split(parts, [_size(whole, (dim,)) for dim in dims], value, dims, devices)

    def _origin(self, number: int) -> list[int]:
        """The eqn that an instruction was made for, as `Eqn.origin`; empty where it is a guess."""
        eqn = self._flow.eqns[number]
        return [] if eqn.guess else eqn.origin

    def _before_converts(self, made: int) -> int:
        while made != OUTSIDE and self._flow.ops[made] == "convert":
            made = self._flow.sources[made][0][0]
        return made

    def _is_for(self, made: int, origin: list[int]) -> bool:
        return made != OUTSIDE and self._flow.eqns[made].origin == origin

    def _contracted(
        self, dot: int, asked: schema.Eqn, whole: schema.Aval
    ) -> tuple[tuple[int, ...], list[int]]:
        """The dimensions of a product's first operand that it sums over, and how many places of
        each a device has; none where XLA may have put them in another order."""
        found = re.match(r"\(\(\(([\d, ]*)\)", _value(asked, "dimension_numbers"))
        dims = _numbers(found[1]) if found else ()
        held = _numbers(_value(self._flow.eqns[dot], "lhs_contracting_dims"))
        sizes = {_size(whole, (dim,)) for dim in dims}
        if len(dims) != len(held) or len(sizes) < len(dims):
            return (), []
        return dims, [_size(self._flow.operand(dot), (dim,)) for dim in held]

    def _entering(self, number: int) -> schema.Aval:
        """What one device has of the operand of a reduction that XLA does in several steps."""
        flow, origin = self._flow, self._flow.eqns[number].origin
        while True:
            made = flow.sources[number][0][0]
            if not self._is_for(made, origin) or flow.ops[made] not in _WITHIN:
                return flow.operand(number)
            number = made

    def _gathered(self, number: int, devices: int) -> _Part | None:
        dims = _numbers(_value(self._flow.eqns[number], "dimensions"))
        local, after = self._flow.operand(number), self._flow.result(number)
        if len(dims) != 1 or len(self._flow.eqns[number].invars) != 1:
            return None
        for whole, value in self._values(number):
            if not _divides(local, whole) or not _divides(after, whole):
                continue
            sizes = [_size(of, dims) for of in (local, whole)]
            found = _split(sizes[:1], sizes[1:], value, dims, devices)
            if found and _size(after, dims) == found.of:
                return found
        return None

    def _values(self, number: int) -> Iterator[tuple[schema.Aval, str]]:
        """What is put together, where that is certain, with its name: an input of the program, or
        what an eqn makes."""
        made, value = self._flow.sources[number][0]
        while made != OUTSIDE and self._flow.ops[made] in ("convert", "copy"):
            made, value = self._flow.sources[made][0]
        if made == OUTSIDE:
            name, root = _input(self._flow, value), self._jaxpr.stage.graphs[0]
            for var, arg in zip(root.invars, root.args, strict=True):
                if name and arg == name:
                    whole = self._jaxpr.aval((0, var))
                    yield whole, f"{name} {whole.text}"
            return
        asked, maker = self._origin(number), self._origin(made)
        if maker and self._leaves(maker[-1], asked[-1] if asked else OUTSIDE):
            whole = self._jaxpr.result(maker[-1])
            yield whole, whole.text

    def _leaves(self, maker: int, asked: int) -> bool:
        """Whether an instruction that was made for an eqn can only have that eqn's result, where
        what it has is sent for another eqn, or nobody knows for which."""
        made = self._jaxpr.eqns[maker]
        if len(made.outvars) != 1:
            return False
        taken = asked != OUTSIDE and maker in (one for one, _ in self._jaxpr.sources[asked])
        return taken or row_of(made.op).family == "elementwise"


def _input(flow: Dataflow, value: tuple[int, int]) -> str:
    """The name of a program's input; empty for that of a loop's body."""
    graph, var = value
    held = flow.stage.graphs[graph]
    return held.args[held.invars.index(var)] if graph == 0 and var in held.invars else ""


def _split(
    parts: list[int], sizes: list[int], value: str, dims: tuple[int, ...], devices: int
) -> _Part | None:
    """Which of some dimensions are split, where as many devices as exchange have a part each."""
    if any(part < 1 or size % part for part, size in zip(parts, sizes, strict=True)):
        return None
    split = [at for at in range(len(dims)) if parts[at] < sizes[at]]
    part, size = (math.prod(of[at] for at in split) for of in (parts, sizes))
    if not split or part * devices != size:
        return None
    return _Part(value, tuple(dims[at] for at in split), part, size)


def _divides(local: schema.Aval, whole: schema.Aval) -> bool:
    """Whether each dimension of one value is a whole part of that of another."""
    here, there = _shape(local), _shape(whole)
    pairs = zip(here, there, strict=len(here) == len(there))
    return len(here) == len(there) > 0 and all(a > 0 and b % a == 0 for a, b in pairs)


def _shape(aval: schema.Aval) -> list[int]:
    """The dimensions; none where they are not numbers."""
    shape = aval.shape or []
    return [size for size in shape if isinstance(size, int)]


def _size(aval: schema.Aval, dims: tuple[int, ...]) -> int:
    """How many places there are in some dimensions; 0 where these are not known."""
    shape = _shape(aval)
    return math.prod(shape[dim] if dim < len(shape) else 0 for dim in dims)


def _value(eqn: schema.Eqn, name: str) -> str:
    return next((param.value for param in eqn.params if param.name == name), "")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text)))
