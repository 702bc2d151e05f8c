"""The value of the program that an instruction of optimized HLO sends, if it is certain, and the
part of it that one device has."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.links.dataflow import OUTSIDE, Dataflow, Value
from jaxviz.ops import row_of
from jaxviz.schema.params import param_of


class Part(NamedTuple):
    """The part of a value that one device has; it follows from the sizes of part and whole."""

    value: str
    """The type of the whole value; for an input of the program, after its name."""
    dims: tuple[int, ...]
    """The dimensions that are split along the axes."""
    part: int
    """The size of these dimensions on one device."""
    of: int


def split(
    parts: Sequence[int], sizes: Sequence[int], value: str, dims: Sequence[int], devices: int
) -> Part | None:
    """Returns the part of each device, if each of the `devices` that exchange has one part."""
    if any(part < 1 or size % part for part, size in zip(parts, sizes, strict=True)):
        return None
    found = [at for at in range(len(dims)) if parts[at] < sizes[at]]
    part, size = (math.prod(of[at] for at in found) for of in (parts, sizes))
    if not found or part * devices != size:
        return None
    return Part(value, tuple(dims[at] for at in found), part, size)


def divides(local: schema.Aval, whole: schema.Aval) -> bool:
    """True if each dimension of `local` divides that of `whole`."""
    here, there = shape(local), shape(whole)
    pairs = zip(here, there, strict=len(here) == len(there))
    return len(here) == len(there) > 0 and all(a > 0 and b % a == 0 for a, b in pairs)


def shape(aval: schema.Aval) -> list[int]:
    """The dimensions; none if they are not numbers."""
    return [one for one in aval.shape or [] if isinstance(one, int)]


def size(aval: schema.Aval, dims: Sequence[int]) -> int:
    """The number of elements in some dimensions; 0 if these are unknown."""
    sizes = shape(aval)
    return math.prod(sizes[dim] if dim < len(sizes) else 0 for dim in dims)


def cut_along(piece: list[int], sizes: list[int], count: int) -> int | None:
    """The dimension along which the partitioner cuts a value into `count` pieces; None if a piece
    is something else. In a piece, this dimension becomes two, and the first of them is 1."""
    for dim, places in enumerate(sizes):
        if piece == [*sizes[:dim], 1, places // count, *sizes[dim + 1 :]] and places % count == 0:
            return dim
    return None


CUTS = ("slice", "bitcast", "reshape", "convert", "copy")
"""Instructions that cut a value into the pieces sent to each device."""


class SentValues:
    """The values that a stage of optimized HLO sends. `jaxpr` is the dataflow of its jaxpr."""

    def __init__(self, flow: Dataflow, jaxpr: Dataflow) -> None:
        self._flow, self._jaxpr = flow, jaxpr

    def origin(self, number: int) -> tuple[int, ...]:
        """The eqn that an instruction was made for, as `Eqn.origin`; empty if it is a guess."""
        eqn = self._flow.eqns[number]
        return () if eqn.guess else eqn.origin

    def named(self, asked: int, place: int) -> str:
        """An operand of an eqn of the jaxpr, as `Part.value`."""
        maker, value = self._jaxpr.sources(asked)[place]
        text = self._jaxpr.operand(asked, place).text
        is_input = maker == OUTSIDE and self._jaxpr.aval(value).text == text
        return f"{_input(self._jaxpr, value) if is_input else ''} {text}".lstrip()

    def values(self, source: tuple[int, Value], number: int) -> Iterator[tuple[schema.Aval, str]]:
        """The value that an instruction sends, if it is certain, with its name: an input of the
        program, the result of an eqn, or a value that a loop carries and only the receiving eqn
        uses."""
        made, value = self._before_casts(source)
        if made == OUTSIDE:
            yield from self._inputs(value)
            return
        asked, maker = self.origin(number), self.origin(made)
        if maker and self._is_result(maker[-1], asked[-1] if asked else OUTSIDE):
            whole = self._jaxpr.result(maker[-1])
            yield whole, whole.text
        elif asked and self._flow.ops[made] == "get_tuple_element":
            taken = self._operands(asked[-1])
            if len(taken) == 1 and self._flow.makers(made)[0] == OUTSIDE:
                whole = self._jaxpr.aval(taken.pop()[1])
                yield whole, whole.text

    def slices(self, made: int) -> Iterator[tuple[schema.Aval, str]]:
        """The input of the program that a loop slices in each iteration: one place of the first
        dimension and all of the others."""
        ops = self._flow.ops
        while made != OUTSIDE and ops[made] in ("bitcast", "reshape") and self._in_order(made):
            made = self._flow.makers(made)[0]
        if made == OUTSIDE or ops[made] != "dynamic_slice":
            return
        local = self._flow.operand(made)
        taken = shape(self._flow.result(made))
        for whole, name in self._loop_inputs(self._flow.makers(made)[0]):
            rest = shape(whole)[1:]
            if rest and divides(local, whole) and taken == [1, *shape(local)[1:]]:
                yield replace(whole, shape=rest), name

    def uncut(self, source: tuple[int, Value], by: Container[str] = CUTS) -> tuple[int, Value]:
        """The value before some instructions cut it into pieces, as in `Dataflow.sources`."""
        made, _ = source
        while made != OUTSIDE and self._flow.ops[made] in by and self._in_order(made):
            source = made, _ = self._flow.sources(made)[0]
        return source

    def _in_order(self, made: int) -> bool:
        """True if an instruction keeps the order of elements. A `bitcast` to another layout may
        not."""
        layouts = self._flow.operand(made).layout, self._flow.result(made).layout
        return self._flow.ops[made] != "bitcast" or all(map(_is_row_major, layouts))

    def _before_casts(self, source: tuple[int, Value]) -> tuple[int, Value]:
        while source[0] != OUTSIDE and self._flow.ops[source[0]] in ("convert", "copy"):
            source = self._flow.sources(source[0])[0]
        return source

    def _inputs(self, value: Value) -> Iterator[tuple[schema.Aval, str]]:
        name, root = _input(self._flow, value), self._jaxpr.stage.graphs[0]
        for var, arg in zip(root.invars, root.args, strict=True):
            if name and arg == name:
                whole = self._jaxpr.aval((0, var))
                yield whole, f"{name} {whole.text}"

    def _loop_inputs(self, part: int) -> Iterator[tuple[schema.Aval, str]]:
        """The input of the program that a loop passes to its body, which returns it unchanged."""
        flow = self._flow
        if part == OUTSIDE or flow.ops[part] != "get_tuple_element":
            return
        made, (graph, _) = flow.sources(part)[0]
        if made != OUTSIDE or [flow.ops[caller] for caller, _ in flow.callers[graph]] != ["while"]:
            return
        loop, index = flow.callers[graph][0][0], int(param_of(flow.eqns[part].params, "index"))
        operand, result = (
            flow.makers(loop)[0],
            flow.source(graph, flow.stage.graphs[graph].outvars[0])[0],
        )
        if all(one != OUTSIDE and flow.ops[one] == "tuple" for one in (operand, result)):
            made, value = self._before_casts(flow.sources(operand)[index])
            if made == OUTSIDE and flow.sources(result)[index][0] == part:
                yield from self._inputs(value)

    def _is_result(self, maker: int, asked: int) -> bool:
        """True if an instruction made for eqn `maker` is certain to contain its result, although
        the value is sent for eqn `asked`, or for an unknown one."""
        made = self._jaxpr.eqns[maker]
        if len(made.outvars) != 1:
            return False
        taken = set[tuple[int, Value]]() if asked == OUTSIDE else self._operands(asked)
        return maker in (one for one, _ in taken) or row_of(made.op).family == "elementwise"

    def _operands(self, asked: int) -> set[tuple[int, Value]]:
        """The values that an eqn of the jaxpr reads or slices."""
        found = set[tuple[int, Value]]()
        for source in self._jaxpr.sources(asked):
            while source[0] != OUTSIDE and self._jaxpr.ops[source[0]] == "slice":
                source = self._jaxpr.sources(source[0])[0]
            found.add(source)
        return found


def _input(flow: Dataflow, value: tuple[int, int]) -> str:
    """The name of a program's input; empty for an input of a loop's body."""
    graph, var = value
    first = flow.stage.graphs[0]
    return first.args[first.invars.index(var)] if graph == 0 and var in first.invars else ""


def _is_row_major(layout: str | None) -> bool:
    """True if the last dimension changes fastest and the first one slowest."""
    order = (layout or "").strip("{}").partition(":")[0].split(",")
    return order in ([""], [*map(str, reversed(range(len(order))))])
