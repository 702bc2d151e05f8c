"""Evaluates a jaxpr and passes each value to a reader, within a jit of our own. `stepping.py` does
the same eqn by eqn.

Loops, branches, calls and `shard_map` are entered; an eqn with other bodies runs as a whole. Debug
prints and callbacks are left out. A reader computes a mark for each value, and gathers the numbers
that it needs (`tools/nan`, `tools/statistics`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import ShapedArray
from jax.extend.core import Jaxpr, JaxprEqn, Literal
from jax.sharding import PartitionSpec

from jaxviz.capture._jax import bound_again
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.jaxprs.structure import (
    CARRY,
    CONST,
    OF_BODY,
    OF_CONDITION,
    JaxprInParams,
    bodies_of,
    roles_of,
)
from jaxviz.capture.jaxprs.walk import jaxprs_in

LEFT_OUT = {"debug_callback", "debug_print"}
"""Primitives that are not repeated."""
_CALLS = {
    *("jit", "pjit", "closed_call", "core_call", "checkpoint", "remat2"),
    *("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr"),
}
_VARIES = {"pvary", "pcast", "pbroadcast"}
_SUMS_OVER_DEVICES = {"psum_invariant", "psum2"}


Iteration = Callable[..., Any]


class Step(NamedTuple):
    """An eqn on the path to another one, and the branch of it that ran."""

    jaxpr: Jaxpr
    eqn: int
    branch: int | None = None


class Location(NamedTuple):
    """Where a jaxpr is evaluated: the eqns that contain it, the iteration of each loop, the
    device."""

    path: tuple[Step, ...] = ()
    iterations: tuple[Any, ...] = ()
    device: Any = -1


class Carried(NamedTuple):
    """Values, a mark for each, and the numbers that a reader has gathered so far."""

    values: list[Any]
    marks: list[Any]
    gathered: Any


class Reader:
    """Reads the values of a run. This base class has no marks and gathers nothing. Marks and
    gathered numbers are pytrees of arrays. `run` is the interpreter."""

    unmarked: Any = None
    """The mark of values without information."""

    def mark_of_constant(self, run: Interpreter, value: Any) -> Any:
        return self.unmarked

    def mark_of_part(self, run: Interpreter, value: Any, mark: Any) -> Any:
        """The mark of a part of a value."""
        return mark

    def mark_of_all(self, marks: Sequence[Any]) -> Any:
        """The mark of a value made of several others, such as the iterations of a loop."""
        return self.unmarked

    def eqn(
        self, run: Interpreter, eqn: JaxprEqn, inputs: Carried, values: list[Any], here: Location
    ) -> Carried:
        """The results of an eqn that was not entered."""
        return Carried(values, [self.unmarked] * len(values), inputs.gathered)

    def evaluated(
        self,
        run: Interpreter,
        jaxpr: Jaxpr,
        values: dict[Any, Any],
        out: Carried,
        location: Location,
    ) -> Carried:
        """The results of a jaxpr. `values` has the variables that `run` has not dropped."""
        return out

    def on_device(self, gathered: Any) -> Any:
        """The gathered numbers with which a device starts in a `shard_map`."""
        return gathered

    def of_devices(self, gathered: Any, rows: Any) -> Any:
        """The gathered numbers after a `shard_map`; `rows` has a row for each device."""
        return jax.tree.map(lambda row: row.max(0), rows)

    def reads_into(self, values: Sequence[Any]) -> Any:
        """True if the reader has to read the values within the eqn of these results."""
        return True


class Interpreter:
    """Evaluates within a jit."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def run(
        self, jaxpr: Jaxpr, consts: Sequence[Any], inputs: Carried, location: Location
    ) -> Carried:
        reader = self.reader
        values: dict[Any, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
        marks = {var: reader.mark_of_constant(self, values[var]) for var in jaxpr.constvars}
        values.update(zip(jaxpr.invars, inputs.values, strict=True))
        marks.update(zip(jaxpr.invars, inputs.marks, strict=True))

        def read(atoms: Sequence[Any], gathered: Any) -> Carried:
            found = [
                (atom.val, reader.mark_of_constant(self, atom.val))
                if isinstance(atom, Literal)
                else (values[atom], marks[atom])
                for atom in atoms
            ]
            return Carried([value for value, _ in found], [mark for _, mark in found], gathered)

        gathered = inputs.gathered
        for number, eqn in enumerate(jaxpr.eqns):
            if eqn.primitive.name in LEFT_OUT:
                continue
            if any(not isinstance(var.aval, ShapedArray) for var in eqn.outvars):
                name = eqn.primitive.name
                raise CaptureError(
                    f"the program cannot be followed through {name}: it has references."
                )
            here = location._replace(path=(*location.path, Step(jaxpr, number)))
            out = self.enter(eqn, read(eqn.invars, gathered), here)
            values.update(zip(eqn.outvars, out.values, strict=True))
            marks.update(zip(eqn.outvars, out.marks, strict=True))
            gathered = out.gathered
            for var in self.read_last(jaxpr, number):
                del values[var], marks[var]
        return reader.evaluated(self, jaxpr, values, read(jaxpr.outvars, gathered), location)

    def computed(self, fun: Callable[..., Any], *args: Any) -> Any:
        """The result of a function of arrays."""
        return fun(*args)

    def numbers(self, fun: Callable[..., Any], *args: Any) -> Any:
        """Like `computed`, for few numbers on which a reader decides something."""
        return fun(*args)

    def results(self, eqn: JaxprEqn, values: list[Any]) -> list[Any]:
        """The results of an eqn that is not entered, for these operands."""
        return bound(eqn, values)

    def scan(
        self, iteration: Iteration, start: Any, xs: list[Any], length: int, reverse: bool
    ) -> Any:
        return lax.scan(_of_arrays(iteration), _arrays(start), xs, length=length, reverse=reverse)

    def loop(self, iteration: Iteration, start: Any) -> Any:
        """Iterations as long as the first part of the state is true."""
        return lax.while_loop(lambda state: state[0], _of_arrays(iteration), _arrays(start))

    def switch(self, index: Any, branches: Sequence[Iteration], *operands: Any) -> Any:
        return lax.switch(index, [*map(_of_arrays, branches)], *_arrays(operands))

    def read_last(self, jaxpr: Jaxpr, eqn: int) -> Sequence[Any]:
        """The variables that may be dropped after an eqn."""
        return ()

    def enter(self, eqn: JaxprEqn, inputs: Carried, here: Location) -> Carried:
        """The results of an eqn. A loop, branch, call or `shard_map` is evaluated by its bodies."""
        name = eqn.primitive.name
        entered = {
            **dict.fromkeys(_CALLS, self._call),
            "scan": self._scan,
            "while": self._while,
            "cond": self._cond,
            "shard_map": self._shard_map,
        }.get(name, self._plain)
        return entered(eqn, inputs, here)

    def _body(self, body: JaxprInParams, inputs: Carried, here: Location) -> Carried:
        return self.run(body.jaxpr, body.consts, inputs, here)

    def _call(self, eqn: JaxprEqn, inputs: Carried, here: Location) -> Carried:
        bodies = list(jaxprs_in(eqn.params))
        if len(bodies) != 1:
            return self._plain(eqn, inputs, here)
        return self._body(bodies[0], inputs, here)

    def _plain(self, eqn: JaxprEqn, inputs: Carried, here: Location) -> Carried:
        return self.reader.eqn(self, eqn, inputs, self.results(eqn, inputs.values), here)

    def _scan(self, eqn: JaxprEqn, inputs: Carried, here: Location) -> Carried:
        roles = roles_of(eqn)
        split = roles.count(CONST), roles.count(CONST) + roles.count(CARRY)
        carries = split[1] - split[0]
        length, reverse = eqn.params["length"], eqn.params["reverse"]
        [body] = jaxprs_in(eqn.params)

        def iteration(state: Any, xs: Any) -> Any:
            count, gathered, carry, marks, of_ys = state
            place = length - 1 - count if reverse else count
            values = [*inputs.values[: split[0]], *carry, *xs]
            sliced = map(partial(self.reader.mark_of_part, self), xs, inputs.marks[split[1] :])
            marks = [*inputs.marks[: split[0]], *marks, *sliced]
            inside = here._replace(iterations=(*here.iterations, place))
            out = self._body(body, Carried(values, marks, gathered), inside)
            of_ys = map(self.reader.mark_of_all, zip(of_ys, out.marks[carries:], strict=True))
            carry = out.values[:carries], out.marks[:carries]
            return (count + 1, out.gathered, *carry, [*of_ys]), out.values[carries:]

        of_ys = [self.reader.mark_of_all([])] * (len(eqn.outvars) - carries)
        carry = inputs.values[slice(*split)], inputs.marks[slice(*split)]
        start = np.int32(0), inputs.gathered, *carry, of_ys
        (_, gathered, values, marks, of_ys), ys = self.scan(
            iteration, start, inputs.values[split[1] :], length, reverse
        )
        return Carried([*values, *ys], [*marks, *of_ys], gathered)

    def _while(self, eqn: JaxprEqn, inputs: Carried, here: Location) -> Carried:
        roles = roles_of(eqn)
        of_condition, of_body = roles.count(OF_CONDITION), roles.count(OF_BODY)
        first = of_condition + of_body
        jaxprs = list(jaxprs_in(eqn.params))
        labels = [body.label for body in bodies_of(eqn, jaxprs)]
        bodies = dict(zip(labels, jaxprs, strict=True))

        def condition(carry: Any, marks: Any, gathered: Any, count: Any) -> Any:
            values = [*inputs.values[:of_condition], *carry]
            marks = [*inputs.marks[:of_condition], *marks]
            inside = here._replace(iterations=(*here.iterations, count))
            out = self._body(bodies["condition"], Carried(values, marks, gathered), inside)
            return out.values[0], out.gathered

        def iteration(state: Any) -> Any:
            _, count, gathered, carry, marks = state
            values = [*inputs.values[of_condition:first], *carry]
            marks = [*inputs.marks[of_condition:first], *marks]
            inside = here._replace(iterations=(*here.iterations, count))
            out = self._body(bodies["body"], Carried(values, marks, gathered), inside)
            goes_on, gathered = condition(out.values, out.marks, out.gathered, count + 1)
            return goes_on, count + 1, gathered, out.values, out.marks

        carry = inputs.values[first:], inputs.marks[first:]
        goes_on, gathered = condition(*carry, inputs.gathered, np.int32(0))
        start = goes_on, np.int32(0), gathered, *carry
        _, _, gathered, values, marks = self.loop(iteration, start)
        return Carried(values, marks, gathered)

    def _cond(self, eqn: JaxprEqn, inputs: Carried, here: Location) -> Carried:
        def branch(number: int, body: JaxprInParams) -> Iteration:
            step = here.path[-1]._replace(branch=number)
            inside = here._replace(path=(*here.path[:-1], step))

            def run(values: Any, marks: Any, gathered: Any) -> Any:
                return self._body(body, Carried(values, marks, gathered), inside)

            return run

        branches = [branch(n, body) for n, body in enumerate(jaxprs_in(eqn.params))]
        state = inputs.values[1:], inputs.marks[1:], inputs.gathered
        return Carried(*self.switch(inputs.values[0], branches, *state))

    def _shard_map(self, eqn: JaxprEqn, inputs: Carried, here: Location) -> Carried:
        params = eqn.params
        axes = tuple(params["manual_axes" if "manual_axes" in params else "newly_manual_axes"])
        [body] = jaxprs_in(params)

        def on_device(values: Any, marks: Any, gathered: Any) -> Any:
            inside = here._replace(device=lax.axis_index(axes))
            parts = [*map(partial(self.reader.mark_of_part, self), values, marks)]
            out = self._body(body, Carried(values, parts, self.reader.on_device(gathered)), inside)
            rows = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], (out.marks, out.gathered))
            return out.values, *rows

        whole = PartitionSpec(axes)
        mapped = jax.shard_map(
            on_device,
            mesh=params["mesh"],
            in_specs=([*params["in_specs"]], PartitionSpec(), PartitionSpec()),
            out_specs=([*params["out_specs"]], whole, whole),
            axis_names={*axes},
            check_vma=False,
        )
        values, marks, gathered = mapped(inputs.values, _arrays(inputs.marks), inputs.gathered)
        marks = [self.reader.mark_of_all(of_devices) for of_devices in marks]
        return Carried(values, marks, self.reader.of_devices(inputs.gathered, gathered))


def bound(eqn: JaxprEqn, values: list[Any]) -> list[Any]:
    """The results of an eqn for these operands. Our `shard_map` does not check which values vary
    over devices, so JAX's eqns that declare this are left out."""
    if eqn.primitive.name in _VARIES:
        return values
    if eqn.primitive.name in _SUMS_OVER_DEVICES:
        groups = eqn.params.get("axis_index_groups")
        return [*lax.psum(tuple(values), eqn.params["axes"], axis_index_groups=groups)]
    return bound_again(eqn, values)


def _of_arrays(iteration: Iteration) -> Iteration:
    """The function with arrays as results: JAX's control flow takes no Python or NumPy numbers."""
    return lambda *args: _arrays(iteration(*args))


def _arrays(values: Any) -> Any:
    return jax.tree.map(
        lambda value: value if isinstance(value, jax.Array) else jnp.asarray(value), values
    )
