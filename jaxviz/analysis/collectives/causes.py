"""Finds why XLA's partitioner inserted a collective: how an operand of an eqn is split.

A cause follows only from shapes and from the devices that exchange:

- `all-reduce`: an eqn reduces a dimension that is split over devices, and their partial results are
  then summed. The part of a device times the number of devices, in one step or several, is the
  whole dimension.
- `all-gather`: the parts of an operand are put together.
- `all-to-all`: an operand is split along another dimension.
- `permute`: the edge of an operand is sent to the neighbouring device.

The last three are reported only if the operand is certain. Nothing else has a cause here: values
that XLA moved, merged or padded, and permutes into another order of devices.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from jaxviz import schema
from jaxviz.analysis.collectives.mesh_axes import step_of_pairs
from jaxviz.analysis.collectives.sent_values import (
    Part,
    SentValues,
    cut_along,
    divides,
    shape,
    size,
    split,
)
from jaxviz.analysis.links.dataflow import OUTSIDE, Dataflow
from jaxviz.sentences import sentence

_REDUCTIONS = tuple(f"reduce_{how}" for how in ("sum", "max", "min", "prod", "and", "or"))
_PERMUTE_KEYS = {1: "passed on", -1: "passed back"}
"""The sentence key for each distance to the receiving device along the axes."""
_REDUCTION_STEPS = ("reduce", "reduce_window", "convert", "bitcast", "copy", "reshape")
"""The instructions that XLA makes of one reduction."""


class Causes:
    """The causes of the collectives of optimized HLO. `jaxpr` is that of the same program, `found`
    has the collectives by their eqns."""

    def __init__(
        self,
        stage: schema.Stage,
        jaxpr: schema.Stage,
        found: Mapping[int, schema.Collective],
        mesh: Mapping[str, int],
    ) -> None:
        self._stages, self._found, self._mesh = (stage, jaxpr), found, mesh

    @cached_property
    def _flow(self) -> Dataflow:
        return Dataflow(self._stages[0])

    @cached_property
    def _jaxpr(self) -> Dataflow:
        return Dataflow(self._stages[1])

    @cached_property
    def _sent(self) -> SentValues:
        return SentValues(self._flow, self._jaxpr)

    def of(self, number: int) -> schema.Words:
        """Returns the reason for a collective that the program does not ask for; empty if it is
        uncertain."""
        kind = self._found[number].kind
        if kind == "permute":
            return self._permute_cause(number)
        if kind not in ("all-reduce", "reduce-scatter", "all-gather", "all-to-all"):
            return ""
        steps = [self._found[step] for step in self._steps(number)]
        devices = math.prod(step.devices or 0 for step in steps)
        if not devices or not all(step.axes for step in steps):
            return ""
        along = " and ".join(axis for step in steps for axis in step.axes)
        if kind == "all-to-all":
            return self._all_to_all_cause(number, along, devices)
        if kind == "all-gather":
            return self._gather_cause(number, along, devices)
        found = self._reduced_part(steps[0].eqn, devices)
        if found is None:
            return ""
        key = "reduced" if len(found.dims) == 1 else "several reduced"
        parts: dict[str, str | int] = {
            "dims": " and ".join(map(str, found.dims)),
            "value": found.value,
            "axes": along,
            "part": found.part,
            "of": found.of,
        }
        if len(steps) > 1:
            step = steps.index(self._found[number]) + 1
            return sentence(f"{key} in steps", **parts, steps=len(steps), step=step)
        at_once = len(self._flow.eqns[number].invars)
        if at_once > 1:
            return sentence(f"{key} at once", **parts, values=at_once)
        return sentence(key, **parts)

    def _steps(self, number: int) -> list[int]:
        """The consecutive sums that XLA makes of one sum, this one included."""
        steps = [number]
        while (before := self._flow.makers(steps[0])[0]) in self._found and (
            self._next(before) == steps[0]
        ):
            steps.insert(0, before)
        while (after := self._next(steps[-1])) is not None:
            steps.append(after)
        return steps

    def _next(self, number: int) -> int | None:
        """The next sum for the same eqn, if nothing else uses this one."""
        one = [number, *self._flow.users(number)]
        if len(one) != 2 or any(self._flow.ops[each] != "all_reduce" for each in one):
            return None
        origin, alone = self._sent.origin(number), len(self._flow.eqns[one[1]].invars) == 1
        return one[1] if origin and alone and self._sent.origin(one[1]) == origin else None

    def _reduced_part(self, number: int, devices: int) -> Part | None:
        origin = self._sent.origin(number)
        if not origin:
            return None
        eqn = self._jaxpr.eqns[origin[-1]]
        makers = (self._before_converts(one) for one in self._flow.makers(number))
        made = next((one for one in makers if self._has_origin(one, origin)), OUTSIDE)
        if made == OUTSIDE or not eqn.invars:
            return None
        whole, value = self._jaxpr.operand(origin[-1]), self._sent.named(origin[-1], 0)
        if eqn.op == "dot_general" and self._flow.ops[made] == "dot":
            dims, parts = self._summed_dimensions(made, eqn, whole)
        elif eqn.op in _REDUCTIONS and self._flow.ops[made] == "reduce":
            local = self._first_operand(made)
            along = eqn.attributes if divides(local, whole) else None
            dims = along.dimensions if isinstance(along, schema.Dimensions) else ()
            parts = [size(local, (dim,)) for dim in dims]
        else:
            return None
        return split(parts, [size(whole, (dim,)) for dim in dims], value, dims, devices)

    def _before_converts(self, made: int) -> int:
        while made != OUTSIDE and self._flow.ops[made] == "convert":
            made = self._flow.makers(made)[0]
        return made

    def _has_origin(self, made: int, origin: tuple[int, ...]) -> bool:
        return made != OUTSIDE and self._flow.eqns[made].origin == origin

    def _summed_dimensions(
        self, dot: int, eqn: schema.Eqn, whole: schema.Aval
    ) -> tuple[Sequence[int], list[int]]:
        """The dimensions that a product sums over, of its first operand, and their sizes on one
        device. Empty if XLA may have reordered them."""
        dims, local_dims = (
            one.attributes.lhs if isinstance(one.attributes, schema.Dot) else ()
            for one in (eqn, self._flow.eqns[dot])
        )
        sizes = {size(whole, (dim,)) for dim in dims}
        if len(dims) != len(local_dims) or len(sizes) < len(dims):
            return (), []
        return dims, [size(self._flow.operand(dot), (dim,)) for dim in local_dims]

    def _first_operand(self, number: int) -> schema.Aval:
        """The part on one device of the operand of a reduction, before the first of its steps."""
        flow, origin = self._flow, self._flow.eqns[number].origin
        while True:
            made = flow.makers(number)[0]
            if not self._has_origin(made, origin) or flow.ops[made] not in _REDUCTION_STEPS:
                return flow.operand(number)
            number = made

    def _gather_cause(self, number: int, along: str, devices: int) -> schema.Words:
        source = self._flow.sources(number)[0]
        found = self._gathered_part(number, devices, self._sent.values(source, number))
        if found:
            [dim] = found.dims
            return sentence("gathered", dim=dim, value=found.value, axes=along)
        found = self._gathered_part(number, devices, self._sent.slices(source[0]))
        if found is None:
            return ""
        return sentence("gathered in slices", dim=found.dims[0] + 1, value=found.value, axes=along)

    def _gathered_part(
        self, number: int, devices: int, values: Iterable[tuple[schema.Aval, str]]
    ) -> Part | None:
        groups = self._flow.eqns[number].attributes
        dims = groups.dimensions if isinstance(groups, schema.Groups) else ()
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

    def _all_to_all_cause(self, number: int, along: str, devices: int) -> schema.Words:
        start = {self._sent.uncut(one) for one in self._flow.sources(number)}
        if len(start) != 1 or len(self._flow.eqns[number].invars) != devices:
            return ""
        local = self._flow.aval(next(iter(start))[1])
        local_shape = shape(local)
        after = cut_along(shape(self._flow.operand(number)), local_shape, devices)
        for whole, value in self._sent.values(start.pop(), number):
            if after is None or not divides(local, whole):
                continue
            found = split(local_shape, shape(whole), value, range(len(local_shape)), devices)
            if found and len(found.dims) == 1 and found.dims[0] != after:
                [dim] = found.dims
                return sentence("other split", dim=dim, value=value, axes=along, other=after)
        return ""

    def _permute_cause(self, number: int) -> schema.Words:
        axes, flow = self._found[number].axes, self._flow
        pairs = flow.eqns[number].attributes
        if not isinstance(pairs, schema.Pairs):
            return ""
        key = _PERMUTE_KEYS.get(step_of_pairs(pairs, self._mesh))
        source = self._sent.uncut(flow.sources(number)[0], by=("slice",))
        local, sent = flow.aval(source[1]), shape(flow.operand(number))
        local_shape = shape(local)
        cut = [dim for dim in range(len(local_shape)) if sent[dim] != local_shape[dim]] or [
            *range(len(local_shape))
        ]
        for whole, value in self._sent.values(source, number):
            if key is None or not divides(local, whole):
                continue
            parts, sizes = ([of[dim] for dim in cut] for of in (local_shape, shape(whole)))
            devices = math.prod(self._mesh[axis] for axis in axes)
            found = split(parts, sizes, value, cut, devices)
            if found and len(found.dims) == 1:
                [dim] = found.dims
                along = " and ".join(axes)
                sizes = {"sent": sent[dim], "held": local_shape[dim]}
                return sentence(key, dim=dim, value=value, axes=along, **sizes)
        return ""
