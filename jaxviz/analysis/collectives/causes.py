"""Says why XLA's partitioner has devices exchange something: how what an eqn needs is split.

Nothing is said that does not follow from shapes: an eqn that reduces a dimension of which each
device has a part is followed by a sum of the parts (`all-reduce`), where the part that is reduced,
times the devices that sum up, in one step or in several, is the whole of it; an operand of which
each device has a part is put together (`all-gather`), or split along another dimension
(`all-to-all`), where it is certain which operand that is. Anything else has no cause here: what XLA
moved, merged or padded, and permutes, which it makes for halos and for other orders of devices.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.collectives.parts import Part, cut_along, divides, shape, size, split
from jaxviz.analysis.cost.values import numbers_in
from jaxviz.analysis.links.dataflow import OUTSIDE, Dataflow, Value
from jaxviz.ops import row_of
from jaxviz.schema.params import param_of

REDUCED = (
    "dimension {} of {} is split along {}: each device reduces {} of {}, and their results are "
    "combined"
)
SEVERAL_REDUCED = (
    "dimensions {} of {} are together split along {}: each device reduces {} of {} places, and "
    "their results are combined"
)
IN_STEPS = " in {} steps, of which this is number {}"
AT_ONCE = " (one of {} values that are sent at once)"
GATHERED = "dimension {} of {} is split along {} before this, and whole on each device after it"
SLICED = " (a slice of it at a time)"
MOVED = "dimension {} of {} is split along {} before this, and dimension {} after it"
_REDUCTIONS = tuple(f"reduce_{how}" for how in ("sum", "max", "min", "prod", "and", "or"))
_WITHIN = ("reduce", "reduce_window", "convert", "bitcast", "copy", "reshape")
"""Instructions into which XLA turns one reduction."""
_CUTTING = ("slice", "bitcast", "reshape", "convert", "copy")
"""Instructions with which XLA cuts a value into what it sends to each device."""


class Causes:
    """Of the collectives of optimized HLO. `jaxpr` is that of the same program."""

    def __init__(
        self, stage: schema.Stage, jaxpr: schema.Stage, found: Mapping[int, schema.Collective]
    ) -> None:
        """`found`: the collectives, by their eqns."""
        self._stages, self._found = (stage, jaxpr), found

    @cached_property
    def _flow(self) -> Dataflow:
        return Dataflow(self._stages[0])

    @cached_property
    def _jaxpr(self) -> Dataflow:
        return Dataflow(self._stages[1])

    def of(self, number: int) -> str:
        """Why there is an instruction that the program does not ask for; empty where that is not
        certain."""
        kind = self._found[number].kind
        if kind not in ("all-reduce", "reduce-scatter", "all-gather", "all-to-all"):
            return ""
        steps = [self._found[step] for step in self._steps(number)]
        devices = math.prod(step.devices or 0 for step in steps)
        if not devices or not all(step.axes for step in steps):
            return ""
        along = " and ".join(axis for step in steps for axis in step.axes)
        if kind == "all-to-all":
            return self._moved(number, along, devices)
        if kind == "all-gather":
            return self._put_together(number, along, devices)
        found = self._reduced(steps[0].eqn, devices)
        if found is None:
            return ""
        dims = " and ".join(map(str, found.dims))
        said = REDUCED if len(found.dims) == 1 else SEVERAL_REDUCED
        said = said.format(dims, found.value, along, f"{found.part:,}", f"{found.of:,}")
        if len(steps) > 1:
            return said + IN_STEPS.format(len(steps), steps.index(self._found[number]) + 1)
        at_once = len(self._flow.eqns[number].invars)
        return said + (AT_ONCE.format(f"{at_once:,}") if at_once > 1 else "")

    def _steps(self, number: int) -> list[int]:
        """The sums in a row that XLA makes of one, this one among them."""
        steps = [number]
        while (before := self._flow.sources[steps[0]][0][0]) in self._found and (
            self._next(before) == steps[0]
        ):
            steps.insert(0, before)
        while (after := self._next(steps[-1])) is not None:
            steps.append(after)
        return steps

    def _next(self, number: int) -> int | None:
        """The sum that follows another for the same eqn and is all that uses it."""
        one = [number, *self._flow.users[number]]
        if len(one) != 2 or any(self._flow.ops[each] != "all_reduce" for each in one):
            return None
        origin, alone = self._origin(number), len(self._flow.eqns[one[1]].invars) == 1
        return one[1] if origin and alone and self._origin(one[1]) == origin else None

    def _named(self, asked: int, place: int) -> str:
        """An operand of an eqn of the jaxpr, as `Part.value`."""
        maker, value = self._jaxpr.sources[asked][place]
        text = self._jaxpr.operand(asked, place).text
        is_input = maker == OUTSIDE and self._jaxpr.aval(value).text == text
        return f"{_input(self._jaxpr, value) if is_input else ''} {text}".lstrip()

    def _reduced(self, number: int, devices: int) -> Part | None:
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
            dims = numbers_in(param_of(asked.params, "axes")) if divides(local, whole) else ()
            parts = [size(local, (dim,)) for dim in dims]
        else:
            return None
        return split(parts, [size(whole, (dim,)) for dim in dims], value, dims, devices)

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
    ) -> tuple[Sequence[int], list[int]]:
        """The dimensions of a product's first operand that it sums over, and how many places of
        each a device has; none where XLA may have put them in another order."""
        found = re.match(r"\(\(\(([\d, ]*)\)", param_of(asked.params, "dimension_numbers"))
        dims = numbers_in(found[1]) if found else ()
        held = numbers_in(param_of(self._flow.eqns[dot].params, "lhs_contracting_dims"))
        sizes = {size(whole, (dim,)) for dim in dims}
        if len(dims) != len(held) or len(sizes) < len(dims):
            return (), []
        return dims, [size(self._flow.operand(dot), (dim,)) for dim in held]

    def _entering(self, number: int) -> schema.Aval:
        """What one device has of the operand of a reduction that XLA does in several steps."""
        flow, origin = self._flow, self._flow.eqns[number].origin
        while True:
            made = flow.sources[number][0][0]
            if not self._is_for(made, origin) or flow.ops[made] not in _WITHIN:
                return flow.operand(number)
            number = made

    def _put_together(self, number: int, along: str, devices: int) -> str:
        source = self._flow.sources[number][0]
        found = self._gathered(number, devices, self._values(source, number))
        if found:
            return GATHERED.format(*found.dims, found.value, along)
        found = self._gathered(number, devices, self._slices(source[0]))
        return GATHERED.format(found.dims[0] + 1, found.value, along) + SLICED if found else ""

    def _gathered(
        self, number: int, devices: int, values: Iterable[tuple[schema.Aval, str]]
    ) -> Part | None:
        dims = numbers_in(param_of(self._flow.eqns[number].params, "dimensions"))
        local, after = self._flow.operand(number), self._flow.result(number)
        if len(dims) != 1 or len(self._flow.eqns[number].invars) != 1:
            return None
        for whole, value in values:
            if not divides(local, whole) or not divides(after, whole):
                continue
            sizes = [size(of, dims) for of in (local, whole)]
            found = split(sizes[:1], sizes[1:], value, dims, devices)
            if found and size(after, dims) == found.of:
                return found
        return None

    def _moved(self, number: int, along: str, devices: int) -> str:
        start = {self._uncut(one) for one in self._flow.sources[number]}
        if len(start) != 1 or len(self._flow.eqns[number].invars) != devices:
            return ""
        local = self._flow.aval(next(iter(start))[1])
        held = shape(local)
        after = cut_along(shape(self._flow.operand(number)), held, devices)
        for whole, value in self._values(start.pop(), number):
            if after is None or not divides(local, whole):
                continue
            found = split(held, shape(whole), value, range(len(held)), devices)
            if found and len(found.dims) == 1 and found.dims[0] != after:
                return MOVED.format(found.dims[0], value, along, after)
        return ""

    def _uncut(self, source: tuple[int, Value]) -> tuple[int, Value]:
        """The value that is cut into pieces, as `Dataflow.sources` has it."""
        made, _ = source
        while made != OUTSIDE and self._flow.ops[made] in _CUTTING and self._in_order(made):
            source = made, _ = self._flow.sources[made][0]
        return source

    def _in_order(self, made: int) -> bool:
        """Whether an instruction leaves places in their order: a `bitcast` of another layout may
        not."""
        layouts = self._flow.operand(made).layout, self._flow.result(made).layout
        orders = [numbers_in((layout or "").partition(":")[0]) for layout in layouts]
        return self._flow.ops[made] != "bitcast" or all(
            order == sorted(order, reverse=True) for order in orders
        )

    def _values(self, source: tuple[int, Value], number: int) -> Iterator[tuple[schema.Aval, str]]:
        """What is sent, where that is certain, with its name: an input of the program, or what an
        eqn makes."""
        made, value = self._unconverted(source)
        if made == OUTSIDE:
            yield from self._inputs(value)
            return
        asked, maker = self._origin(number), self._origin(made)
        if maker and self._leaves(maker[-1], asked[-1] if asked else OUTSIDE):
            whole = self._jaxpr.result(maker[-1])
            yield whole, whole.text

    def _unconverted(self, source: tuple[int, Value]) -> tuple[int, Value]:
        while source[0] != OUTSIDE and self._flow.ops[source[0]] in ("convert", "copy"):
            source = self._flow.sources[source[0]][0]
        return source

    def _inputs(self, value: Value) -> Iterator[tuple[schema.Aval, str]]:
        name, root = _input(self._flow, value), self._jaxpr.stage.graphs[0]
        for var, arg in zip(root.invars, root.args, strict=True):
            if name and arg == name:
                whole = self._jaxpr.aval((0, var))
                yield whole, f"{name} {whole.text}"

    def _slices(self, made: int) -> Iterator[tuple[schema.Aval, str]]:
        """What a loop takes of one of the program's inputs in a turn, where it takes one place of
        the first dimension and all of the others."""
        ops = self._flow.ops
        while made != OUTSIDE and ops[made] in ("bitcast", "reshape") and self._in_order(made):
            made = self._flow.sources[made][0][0]
        if made == OUTSIDE or ops[made] != "dynamic_slice":
            return
        local = self._flow.operand(made)
        taken = numbers_in(param_of(self._flow.eqns[made].params, "dynamic_slice_sizes"))
        for whole, name in self._handed_on(self._flow.sources[made][0][0]):
            rest = shape(whole)[1:]
            if rest and divides(local, whole) and taken == [1, *shape(local)[1:]]:
                yield replace(whole, shape=rest), name

    def _handed_on(self, part: int) -> Iterator[tuple[schema.Aval, str]]:
        """The program's input that a loop's body is given and hands on as it is."""
        flow = self._flow
        if part == OUTSIDE or flow.ops[part] != "get_tuple_element":
            return
        made, (graph, _) = flow.sources[part][0]
        if made != OUTSIDE or [flow.ops[holder] for holder, _ in flow.held_by[graph]] != ["while"]:
            return
        loop, index = flow.held_by[graph][0][0], int(param_of(flow.eqns[part].params, "index"))
        given, left = (
            flow.sources[loop][0][0],
            flow.source(graph, flow.stage.graphs[graph].outvars[0])[0],
        )
        if all(one != OUTSIDE and flow.ops[one] == "tuple" for one in (given, left)):
            made, value = self._unconverted(flow.sources[given][index])
            if made == OUTSIDE and flow.sources[left][index][0] == part:
                yield from self._inputs(value)

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
