"""Evaluates a jaxpr with something beside its values, in a jit of our own or eqn by eqn.

Loops, branches, calls and `shard_map` are entered; an eqn with other bodies is run whole. Debug
prints and callbacks are left out. What stands beside the values a subclass says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
"""What is not repeated."""
_CALLS = {
    *("jit", "pjit", "closed_call", "core_call", "checkpoint", "remat2"),
    *("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr"),
}
_VARIES = {"pvary", "pcast", "pbroadcast"}
_SUMS_OVER_DEVICES = {"psum_invariant", "psum2"}


Turn = Callable[..., Any]


class Step(NamedTuple):
    """An eqn on the way to an eqn, and the branch of it that ran."""

    jaxpr: Jaxpr
    eqn: int
    branch: int | None = None


class Around(NamedTuple):
    """What a jaxpr is evaluated in."""

    path: tuple[Step, ...] = ()
    turns: tuple[Any, ...] = ()
    device: Any = -1


class Carried(NamedTuple):
    """Values, a mark for each, and what is known of all that ran so far."""

    values: list[Any]
    marks: list[Any]
    known: Any


class Interpreter:
    """Evaluates, and by itself has nothing beside the values: `None` as each mark, and `known`
    stays what it was; where devices differ it is the largest. Both are pytrees of arrays."""

    def mark_of_constant(self, value: Any) -> Any:
        return None

    def mark_of_part(self, value: Any, mark: Any) -> Any:
        """The mark of a part of a value."""
        return mark

    def mark_of_all(self, marks: Sequence[Any]) -> Any:
        """The mark of what is made of several, such as the turns of a loop."""
        return None

    def marks_of_eqn(
        self, eqn: JaxprEqn, given: Carried, values: list[Any], here: Around
    ) -> Carried:
        """The results of an eqn that was not entered."""
        return Carried(values, [None] * len(values), given.known)

    def known_after(self, jaxpr: Jaxpr, values: dict[Any, Any], known: Any, around: Around) -> Any:
        """What is known once a jaxpr was evaluated: `values` has those of all its variables."""
        return known

    def known_on_device(self, known: Any) -> Any:
        """What a device starts with in a `shard_map`."""
        return known

    def known_of_devices(self, known: Any, of_devices: Any) -> Any:
        """What is known after it: `of_devices` has a row for each."""
        return jax.tree.map(lambda rows: rows.max(0), of_devices)

    def results(self, eqn: JaxprEqn, values: list[Any]) -> list[Any]:
        """What an eqn that is not entered gives for these operands."""
        return bound(eqn, values)

    def scan(self, turn: Turn, start: Any, xs: list[Any], length: int, reverse: bool) -> Any:
        return lax.scan(_of_arrays(turn), _arrays(start), xs, length=length, reverse=reverse)

    def loop(self, turn: Turn, start: Any) -> Any:
        """Turns for as long as the first part of the state says."""
        return lax.while_loop(lambda state: state[0], _of_arrays(turn), _arrays(start))

    def switch(self, index: Any, branches: Sequence[Turn], *given: Any) -> Any:
        return lax.switch(index, [*map(_of_arrays, branches)], *_arrays(given))

    def read_last(self, jaxpr: Jaxpr, eqn: int) -> Sequence[Any]:
        """The variables that may be forgotten after an eqn."""
        return ()

    def run(self, jaxpr: Jaxpr, consts: Sequence[Any], given: Carried, around: Around) -> Carried:
        values: dict[Any, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
        marks = {var: self.mark_of_constant(values[var]) for var in jaxpr.constvars}
        values.update(zip(jaxpr.invars, given.values, strict=True))
        marks.update(zip(jaxpr.invars, given.marks, strict=True))

        def read(atoms: Sequence[Any], known: Any) -> Carried:
            found = [
                (atom.val, self.mark_of_constant(atom.val))
                if isinstance(atom, Literal)
                else (values[atom], marks[atom])
                for atom in atoms
            ]
            return Carried([value for value, _ in found], [mark for _, mark in found], known)

        known = given.known
        for number, eqn in enumerate(jaxpr.eqns):
            if eqn.primitive.name in LEFT_OUT:
                continue
            if any(not isinstance(var.aval, ShapedArray) for var in eqn.outvars):
                name = eqn.primitive.name
                raise CaptureError(
                    f"the program cannot be followed through {name}: it has references."
                )
            here = around._replace(path=(*around.path, Step(jaxpr, number)))
            out = self.enter(eqn, read(eqn.invars, known), here)
            values.update(zip(eqn.outvars, out.values, strict=True))
            marks.update(zip(eqn.outvars, out.marks, strict=True))
            known = out.known
            for var in self.read_last(jaxpr, number):
                del values[var], marks[var]
        return read(jaxpr.outvars, self.known_after(jaxpr, values, known, around))

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
        return self.marks_of_eqn(eqn, given, self.results(eqn, given.values), here)

    def _scan(self, eqn: JaxprEqn, given: Carried, here: Around) -> Carried:
        roles = roles_of(eqn)
        split = roles.count(CONST), roles.count(CONST) + roles.count(CARRY)
        carries = split[1] - split[0]
        length, reverse = eqn.params["length"], eqn.params["reverse"]
        [body] = jaxprs_in(eqn.params)

        def turn(state: Any, xs: Any) -> Any:
            count, known, carry, marks, of_ys = state
            place = length - 1 - count if reverse else count
            values = [*given.values[: split[0]], *carry, *xs]
            sliced = map(self.mark_of_part, xs, given.marks[split[1] :])
            marks = [*given.marks[: split[0]], *marks, *sliced]
            inside = here._replace(turns=(*here.turns, place))
            out = self._body(body, Carried(values, marks, known), inside)
            of_ys = map(self.mark_of_all, zip(of_ys, out.marks[carries:], strict=True))
            carry = out.values[:carries], out.marks[:carries]
            return (count + 1, out.known, *carry, [*of_ys]), out.values[carries:]

        of_ys = [self.mark_of_all([])] * (len(eqn.outvars) - carries)
        carry = given.values[slice(*split)], given.marks[slice(*split)]
        start = np.int32(0), given.known, *carry, of_ys
        (_, known, values, marks, of_ys), ys = self.scan(
            turn, start, given.values[split[1] :], length, reverse
        )
        return Carried([*values, *ys], [*marks, *of_ys], known)

    def _while(self, eqn: JaxprEqn, given: Carried, here: Around) -> Carried:
        roles = roles_of(eqn)
        of_condition, of_body = roles.count(OF_CONDITION), roles.count(OF_BODY)
        first = of_condition + of_body
        held = list(jaxprs_in(eqn.params))
        labels = [body.label for body in bodies_of(eqn, held)]
        bodies = dict(zip(labels, held, strict=True))

        def condition(carry: Any, marks: Any, known: Any, count: Any) -> Any:
            values = [*given.values[:of_condition], *carry]
            marks = [*given.marks[:of_condition], *marks]
            inside = here._replace(turns=(*here.turns, count))
            out = self._body(bodies["condition"], Carried(values, marks, known), inside)
            return out.values[0], out.known

        def turn(state: Any) -> Any:
            _, count, known, carry, marks = state
            values = [*given.values[of_condition:first], *carry]
            inputs = [*given.marks[of_condition:first], *marks]
            inside = here._replace(turns=(*here.turns, count))
            out = self._body(bodies["body"], Carried(values, inputs, known), inside)
            goes_on, known = condition(out.values, out.marks, out.known, count + 1)
            return goes_on, count + 1, known, out.values, out.marks

        carry = given.values[first:], given.marks[first:]
        goes_on, known = condition(*carry, given.known, np.int32(0))
        start = goes_on, np.int32(0), known, *carry
        _, _, known, values, marks = self.loop(turn, start)
        return Carried(values, marks, known)

    def _cond(self, eqn: JaxprEqn, given: Carried, here: Around) -> Carried:
        def branch(number: int, body: JaxprInParams) -> Turn:
            step = here.path[-1]._replace(branch=number)
            inside = here._replace(path=(*here.path[:-1], step))

            def run(values: Any, marks: Any, known: Any) -> Any:
                return self._body(body, Carried(values, marks, known), inside)

            return run

        branches = [branch(n, body) for n, body in enumerate(jaxprs_in(eqn.params))]
        operands = given.values[1:], given.marks[1:], given.known
        return Carried(*self.switch(given.values[0], branches, *operands))

    def _shard_map(self, eqn: JaxprEqn, given: Carried, here: Around) -> Carried:
        params = eqn.params
        axes = tuple(params["manual_axes" if "manual_axes" in params else "newly_manual_axes"])
        [body] = jaxprs_in(params)

        def on_device(values: Any, marks: Any, known: Any) -> Any:
            inside = here._replace(device=lax.axis_index(axes))
            parts = [*map(self.mark_of_part, values, marks)]
            out = self._body(body, Carried(values, parts, self.known_on_device(known)), inside)
            rows = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], (out.marks, out.known))
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
        values, marks, known = mapped(given.values, _arrays(given.marks), given.known)
        marks = [self.mark_of_all(of_devices) for of_devices in marks]
        return Carried(values, marks, self.known_of_devices(given.known, known))


def bound(eqn: JaxprEqn, values: list[Any]) -> list[Any]:
    """What an eqn gives for these operands. In a `shard_map` of ours JAX does not check what varies
    over devices, and then it has no eqns that say so."""
    if eqn.primitive.name in _VARIES:
        return values
    if eqn.primitive.name in _SUMS_OVER_DEVICES:
        groups = eqn.params.get("axis_index_groups")
        return [*lax.psum(tuple(values), eqn.params["axes"], axis_index_groups=groups)]
    return bound_again(eqn, values)


def _of_arrays(turn: Turn) -> Turn:
    """A function of JAX's control flow, which takes no numbers of Python's or NumPy's."""
    return lambda *given: _arrays(turn(*given))


def _arrays(values: Any) -> Any:
    return jax.tree.map(
        lambda value: value if isinstance(value, jax.Array) else jnp.asarray(value), values
    )
