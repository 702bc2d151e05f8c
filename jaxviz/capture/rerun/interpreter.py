"""Evaluates a jaxpr, and hands each value to a reader, in a jit of our own or eqn by eqn.

Loops, branches, calls and `shard_map` are entered; an eqn with other bodies is run whole. Debug
prints and callbacks are left out. A reader puts a mark beside each value, and gathers what it needs
(`tools/nan`, `tools/statistics`). `stepping.py` evaluates eqn by eqn.
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
    """An eqn on the path to an eqn, and the branch of it that ran."""

    jaxpr: Jaxpr
    eqn: int
    branch: int | None = None


class Around(NamedTuple):
    """The eqns that a jaxpr is evaluated in, the iteration of each loop, and the device."""

    path: tuple[Step, ...] = ()
    iterations: tuple[Any, ...] = ()
    device: Any = -1


class Carried(NamedTuple):
    """Values, a mark for each, and what a reader gathered from all that ran so far."""

    values: list[Any]
    marks: list[Any]
    gathered: Any


class Reader:
    """Reads the values of a run. By itself it has no marks and gathers nothing. Marks, and what is
    gathered, are pytrees of arrays. `run` is what evaluates."""

    unmarked: Any = None
    """The mark of a value that needs none."""

    def mark_of_constant(self, run: Interpreter, value: Any) -> Any:
        return self.unmarked

    def mark_of_part(self, run: Interpreter, value: Any, mark: Any) -> Any:
        """The mark of a part of a value."""
        return mark

    def mark_of_all(self, marks: Sequence[Any]) -> Any:
        """The mark of what is made of several, such as the iterations of a loop."""
        return self.unmarked

    def eqn(
        self, run: Interpreter, eqn: JaxprEqn, given: Carried, values: list[Any], here: Around
    ) -> Carried:
        """The results of an eqn that was not entered."""
        return Carried(values, [self.unmarked] * len(values), given.gathered)

    def evaluated(
        self, run: Interpreter, jaxpr: Jaxpr, values: dict[Any, Any], out: Carried, around: Around
    ) -> Carried:
        """The results of a jaxpr. `values` has those of its variables that `run` keeps."""
        return out

    def on_device(self, gathered: Any) -> Any:
        """The gathered values with which a device starts in a `shard_map`."""
        return gathered

    def of_devices(self, gathered: Any, rows: Any) -> Any:
        """The gathered values after a `shard_map`: `rows` has a row for each device."""
        return jax.tree.map(lambda row: row.max(0), rows)

    def reads_into(self, values: Sequence[Any]) -> Any:
        """True if these results make it worth to read the values within their eqn."""
        return True


class Interpreter:
    """Evaluates within a jit."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def run(self, jaxpr: Jaxpr, consts: Sequence[Any], given: Carried, around: Around) -> Carried:
        reader = self.reader
        values: dict[Any, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
        marks = {var: reader.mark_of_constant(self, values[var]) for var in jaxpr.constvars}
        values.update(zip(jaxpr.invars, given.values, strict=True))
        marks.update(zip(jaxpr.invars, given.marks, strict=True))

        def read(atoms: Sequence[Any], gathered: Any) -> Carried:
            found = [
                (atom.val, reader.mark_of_constant(self, atom.val))
                if isinstance(atom, Literal)
                else (values[atom], marks[atom])
                for atom in atoms
            ]
            return Carried([value for value, _ in found], [mark for _, mark in found], gathered)

        gathered = given.gathered
        for number, eqn in enumerate(jaxpr.eqns):
            if eqn.primitive.name in LEFT_OUT:
                continue
            if any(not isinstance(var.aval, ShapedArray) for var in eqn.outvars):
                name = eqn.primitive.name
                raise CaptureError(
                    f"the program cannot be followed through {name}: it has references."
                )
            here = around._replace(path=(*around.path, Step(jaxpr, number)))
            out = self.enter(eqn, read(eqn.invars, gathered), here)
            values.update(zip(eqn.outvars, out.values, strict=True))
            marks.update(zip(eqn.outvars, out.marks, strict=True))
            gathered = out.gathered
            for var in self.read_last(jaxpr, number):
                del values[var], marks[var]
        return reader.evaluated(self, jaxpr, values, read(jaxpr.outvars, gathered), around)

    def computed(self, fun: Callable[..., Any], *given: Any) -> Any:
        """The result of a function of arrays."""
        return fun(*given)

    def numbers(self, fun: Callable[..., Any], *given: Any) -> Any:
        """The result of a function of arrays, where a reader decides by it: few numbers."""
        return fun(*given)

    def results(self, eqn: JaxprEqn, values: list[Any]) -> list[Any]:
        """The results of an eqn that is not entered, for these operands."""
        return bound(eqn, values)

    def scan(
        self, iteration: Iteration, start: Any, xs: list[Any], length: int, reverse: bool
    ) -> Any:
        return lax.scan(_of_arrays(iteration), _arrays(start), xs, length=length, reverse=reverse)

    def loop(self, iteration: Iteration, start: Any) -> Any:
        """Iterations for as long as the first part of the state says."""
        return lax.while_loop(lambda state: state[0], _of_arrays(iteration), _arrays(start))

    def switch(self, index: Any, branches: Sequence[Iteration], *given: Any) -> Any:
        return lax.switch(index, [*map(_of_arrays, branches)], *_arrays(given))

    def read_last(self, jaxpr: Jaxpr, eqn: int) -> Sequence[Any]:
        """The variables that may be forgotten after an eqn."""
        return ()

    def enter(self, eqn: JaxprEqn, given: Carried, here: Around) -> Carried:
        """The results of an eqn."""
        name = eqn.primitive.name
        entered = {
            **dict.fromkeys(_CALLS, self._call),
            "scan": self._scan,
            "while": self._while,
            "cond": self._cond,
            "shard_map": self._shard_map,
        }.get(name, self._plain)
        return entered(eqn, given, here)

    def _body(self, body: JaxprInParams, given: Carried, here: Around) -> Carried:
        return self.run(body.jaxpr, body.consts, given, here)

    def _call(self, eqn: JaxprEqn, given: Carried, here: Around) -> Carried:
        bodies = list(jaxprs_in(eqn.params))
        if len(bodies) != 1:
            return self._plain(eqn, given, here)
        return self._body(bodies[0], given, here)

    def _plain(self, eqn: JaxprEqn, given: Carried, here: Around) -> Carried:
        return self.reader.eqn(self, eqn, given, self.results(eqn, given.values), here)

    def _scan(self, eqn: JaxprEqn, given: Carried, here: Around) -> Carried:
        roles = roles_of(eqn)
        split = roles.count(CONST), roles.count(CONST) + roles.count(CARRY)
        carries = split[1] - split[0]
        length, reverse = eqn.params["length"], eqn.params["reverse"]
        [body] = jaxprs_in(eqn.params)

        def iteration(state: Any, xs: Any) -> Any:
            count, gathered, carry, marks, of_ys = state
            place = length - 1 - count if reverse else count
            values = [*given.values[: split[0]], *carry, *xs]
            sliced = map(partial(self.reader.mark_of_part, self), xs, given.marks[split[1] :])
            marks = [*given.marks[: split[0]], *marks, *sliced]
            inside = here._replace(iterations=(*here.iterations, place))
            out = self._body(body, Carried(values, marks, gathered), inside)
            of_ys = map(self.reader.mark_of_all, zip(of_ys, out.marks[carries:], strict=True))
            carry = out.values[:carries], out.marks[:carries]
            return (count + 1, out.gathered, *carry, [*of_ys]), out.values[carries:]

        of_ys = [self.reader.mark_of_all([])] * (len(eqn.outvars) - carries)
        carry = given.values[slice(*split)], given.marks[slice(*split)]
        start = np.int32(0), given.gathered, *carry, of_ys
        (_, gathered, values, marks, of_ys), ys = self.scan(
            iteration, start, given.values[split[1] :], length, reverse
        )
        return Carried([*values, *ys], [*marks, *of_ys], gathered)

    def _while(self, eqn: JaxprEqn, given: Carried, here: Around) -> Carried:
        roles = roles_of(eqn)
        of_condition, of_body = roles.count(OF_CONDITION), roles.count(OF_BODY)
        first = of_condition + of_body
        held = list(jaxprs_in(eqn.params))
        labels = [body.label for body in bodies_of(eqn, held)]
        bodies = dict(zip(labels, held, strict=True))

        def condition(carry: Any, marks: Any, gathered: Any, count: Any) -> Any:
            values = [*given.values[:of_condition], *carry]
            marks = [*given.marks[:of_condition], *marks]
            inside = here._replace(iterations=(*here.iterations, count))
            out = self._body(bodies["condition"], Carried(values, marks, gathered), inside)
            return out.values[0], out.gathered

        def iteration(state: Any) -> Any:
            _, count, gathered, carry, marks = state
            values = [*given.values[of_condition:first], *carry]
            inputs = [*given.marks[of_condition:first], *marks]
            inside = here._replace(iterations=(*here.iterations, count))
            out = self._body(bodies["body"], Carried(values, inputs, gathered), inside)
            goes_on, gathered = condition(out.values, out.marks, out.gathered, count + 1)
            return goes_on, count + 1, gathered, out.values, out.marks

        carry = given.values[first:], given.marks[first:]
        goes_on, gathered = condition(*carry, given.gathered, np.int32(0))
        start = goes_on, np.int32(0), gathered, *carry
        _, _, gathered, values, marks = self.loop(iteration, start)
        return Carried(values, marks, gathered)

    def _cond(self, eqn: JaxprEqn, given: Carried, here: Around) -> Carried:
        def branch(number: int, body: JaxprInParams) -> Iteration:
            step = here.path[-1]._replace(branch=number)
            inside = here._replace(path=(*here.path[:-1], step))

            def run(values: Any, marks: Any, gathered: Any) -> Any:
                return self._body(body, Carried(values, marks, gathered), inside)

            return run

        branches = [branch(n, body) for n, body in enumerate(jaxprs_in(eqn.params))]
        operands = given.values[1:], given.marks[1:], given.gathered
        return Carried(*self.switch(given.values[0], branches, *operands))

    def _shard_map(self, eqn: JaxprEqn, given: Carried, here: Around) -> Carried:
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
        values, marks, gathered = mapped(given.values, _arrays(given.marks), given.gathered)
        marks = [self.reader.mark_of_all(of_devices) for of_devices in marks]
        return Carried(values, marks, self.reader.of_devices(given.gathered, gathered))


def bound(eqn: JaxprEqn, values: list[Any]) -> list[Any]:
    """The results of an eqn for these operands. In our `shard_map` JAX does not check what varies
    over devices, and then it has no eqns that say so."""
    if eqn.primitive.name in _VARIES:
        return values
    if eqn.primitive.name in _SUMS_OVER_DEVICES:
        groups = eqn.params.get("axis_index_groups")
        return [*lax.psum(tuple(values), eqn.params["axes"], axis_index_groups=groups)]
    return bound_again(eqn, values)


def _of_arrays(iteration: Iteration) -> Iteration:
    """A function of JAX's control flow, which takes no numbers of Python's or NumPy's."""
    return lambda *given: _arrays(iteration(*given))


def _arrays(values: Any) -> Any:
    return jax.tree.map(
        lambda value: value if isinstance(value, jax.Array) else jnp.asarray(value), values
    )
