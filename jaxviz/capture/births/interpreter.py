"""Evaluates a jaxpr with a mark beside each value, to be traced in a jit of our own.

Loops, branches, calls and `shard_map` are entered; an eqn with other bodies is run whole. Debug
prints and callbacks are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jax.core import ShapedArray
from jax.extend.core import Jaxpr, JaxprEqn, Literal
from jax.sharding import PartitionSpec

from jaxviz.capture._jax import bound_again
from jaxviz.capture.births.marks import (
    CLEAN_MARK,
    CONSTANT_MARK,
    NOT_BORN,
    RESULT,
    chosen,
    earliest,
    kept,
    marked,
    on_all_devices,
    row_of,
)
from jaxviz.capture.births.meetings import met
from jaxviz.capture.errors import CaptureError
from jaxviz.capture.structure import (
    CARRY,
    CONST,
    OF_BODY,
    OF_CONDITION,
    JaxprInParams,
    bodies_of,
    roles_of,
)
from jaxviz.capture.walk import jaxprs_in

LEFT_OUT = {"debug_callback", "debug_print"}
"""What is not repeated."""
_CALLS = {
    *("jit", "pjit", "closed_call", "core_call", "checkpoint", "remat2"),
    *("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr"),
}
_VARIES = {"pvary", "pcast", "pbroadcast"}
_SUMS_OVER_DEVICES = {"psum_invariant", "psum2"}


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


class Marked(NamedTuple):
    """Values, a mark for each, and how many eqns ran so far."""

    values: list[Any]
    marks: list[Any]
    when: Any


class Interpreter:
    """Remembers each eqn that was met, by the way to it."""

    def __init__(self) -> None:
        self.sites: list[tuple[Step, ...]] = []
        self._numbers: dict[Any, int] = {}

    def run(self, jaxpr: Jaxpr, consts: Sequence[Any], given: Marked, around: Around) -> Marked:
        values: dict[Any, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
        marks = {var: kept(values[var], CONSTANT_MARK) for var in jaxpr.constvars}
        values.update(zip(jaxpr.invars, given.values, strict=True))
        marks.update(zip(jaxpr.invars, given.marks, strict=True))

        def read(atoms: Sequence[Any], when: Any) -> Marked:
            found = [
                (atom.val, kept(atom.val, CONSTANT_MARK))
                if isinstance(atom, Literal)
                else (values[atom], marks[atom])
                for atom in atoms
            ]
            return Marked([value for value, _ in found], [mark for _, mark in found], when)

        when = given.when
        for number, eqn in enumerate(jaxpr.eqns):
            if eqn.primitive.name in LEFT_OUT:
                continue
            if any(not isinstance(var.aval, ShapedArray) for var in eqn.outvars):
                raise CaptureError(
                    f"find_nan cannot follow {eqn.primitive.name}: it has references."
                )
            here = around._replace(path=(*around.path, Step(jaxpr, number)))
            out = self._eqn(eqn, read(eqn.invars, when), here)
            values.update(zip(eqn.outvars, out.values, strict=True))
            marks.update(zip(eqn.outvars, out.marks, strict=True))
            when = out.when
        return read(jaxpr.outvars, when)

    def _eqn(self, eqn: JaxprEqn, given: Marked, here: Around) -> Marked:
        name = eqn.primitive.name
        entered = {
            **dict.fromkeys(_CALLS, self._call),
            "scan": self._scan,
            "while": self._while,
            "cond": self._cond,
            "shard_map": self._shard_map,
        }.get(name, self._plain)
        return entered(eqn, given, here)

    def _body(self, body: JaxprInParams, given: Marked, here: Around) -> Marked:
        return self.run(body.jaxpr, body.consts, given, here)

    def _call(self, eqn: JaxprEqn, given: Marked, here: Around) -> Marked:
        bodies = list(jaxprs_in(eqn.params))
        if len(bodies) != 1:
            return self._plain(eqn, given, here)
        return self._body(bodies[0], given, here)

    def _plain(self, eqn: JaxprEqn, given: Marked, here: Around) -> Marked:
        values = _results(eqn, given.values)
        operands, marks = given.values, given.marks
        if eqn.primitive.name == "select_n":
            operands, marks = operands[1:], chosen(operands[0], operands[1:], marks[1:])
        inputs = earliest(marks)
        axes = _mesh_axes(eqn)
        if axes and not isinstance(here.device, int):
            inputs = on_all_devices(inputs, axes)
        born = row_of(given.when, self._site(here.path), here.device, here.turns)
        if all(0 in getattr(value, "shape", ()) for value in given.values) and given.values:
            born = CONSTANT_MARK[1]
        of_each = [jnp.asarray(born).at[RESULT].set(number) for number in range(len(values))]
        taken = [met(eqn, operands, marks, inputs, value) for value in values]
        found = [marked(*each) for each in zip(values, taken, of_each, strict=True)]
        return Marked(values, found, _later(given.when))

    def _site(self, path: tuple[Step, ...]) -> int:
        key = tuple((id(step.jaxpr), step.eqn, step.branch) for step in path)
        if key not in self._numbers:
            self._numbers[key] = len(self.sites)
            self.sites.append(path)
        return self._numbers[key]

    def _scan(self, eqn: JaxprEqn, given: Marked, here: Around) -> Marked:
        roles = roles_of(eqn)
        split = roles.count(CONST), roles.count(CONST) + roles.count(CARRY)
        carries = split[1] - split[0]
        length, reverse = eqn.params["length"], eqn.params["reverse"]
        [body] = jaxprs_in(eqn.params)

        def turn(state: Any, xs: Any) -> Any:
            count, when, carry, marks, of_ys = state
            place = length - 1 - count if reverse else count
            values = [*given.values[: split[0]], *carry, *xs]
            sliced = [kept(x, mark) for x, mark in zip(xs, given.marks[split[1] :], strict=True)]
            marks = [*given.marks[: split[0]], *marks, *sliced]
            inside = here._replace(turns=(*here.turns, place))
            out = self._body(body, Marked(values, marks, when), inside)
            of_ys = [earliest(pair) for pair in zip(of_ys, out.marks[carries:], strict=True)]
            carry = _arrays(out.values[:carries]), _arrays(out.marks[:carries])
            return (count + 1, out.when, *carry, _arrays(of_ys)), out.values[carries:]

        carry = given.values[slice(*split)]
        clean = [jnp.asarray(CLEAN_MARK)] * (len(eqn.outvars) - carries)
        start = (jnp.int32(0), jnp.asarray(given.when, jnp.int32), carry)
        start = (*start, _arrays(given.marks[slice(*split)]), clean)
        (_, when, carry, marks, of_ys), ys = lax.scan(
            turn, start, given.values[split[1] :], length=length, reverse=reverse
        )
        return Marked([*carry, *ys], [*marks, *of_ys], when)

    def _while(self, eqn: JaxprEqn, given: Marked, here: Around) -> Marked:
        roles = roles_of(eqn)
        of_condition, of_body = roles.count(OF_CONDITION), roles.count(OF_BODY)
        first = of_condition + of_body
        held = list(jaxprs_in(eqn.params))
        labels = [body.label for body in bodies_of(eqn, held)]
        bodies = dict(zip(labels, held, strict=True))

        def goes_on(state: Any) -> Any:
            values = [*given.values[:of_condition], *state[2]]
            clean = [CLEAN_MARK] * len(values)
            given_here = Marked(values, clean, 0)
            return self._body(bodies["condition"], given_here, here).values[0]

        def turn(state: Any) -> Any:
            count, when, carry, marks = state
            values = [*given.values[of_condition:first], *carry]
            marks = [*given.marks[of_condition:first], *marks]
            inside = here._replace(turns=(*here.turns, count))
            out = self._body(bodies["body"], Marked(values, marks, when), inside)
            return count + 1, out.when, _arrays(out.values), _arrays(out.marks)

        start = (jnp.int32(0), jnp.asarray(given.when, jnp.int32))
        carry = _arrays(given.values[first:]), _arrays(given.marks[first:])
        _, when, values, marks = lax.while_loop(goes_on, turn, (*start, *carry))
        return Marked(values, marks, when)

    def _cond(self, eqn: JaxprEqn, given: Marked, here: Around) -> Marked:
        def branch(number: int, body: JaxprInParams) -> Callable[..., Any]:
            step = here.path[-1]._replace(branch=number)
            inside = here._replace(path=(*here.path[:-1], step))

            def run(values: Any, marks: Any, when: Any) -> Any:
                out = self._body(body, Marked(values, marks, when), inside)
                return _arrays(out.values), _arrays(out.marks), jnp.asarray(out.when, jnp.int32)

            return run

        branches = [branch(n, body) for n, body in enumerate(jaxprs_in(eqn.params))]
        when = jnp.asarray(given.when, jnp.int32)
        marks = _arrays(given.marks[1:])
        return Marked(*lax.switch(given.values[0], branches, given.values[1:], marks, when))

    def _shard_map(self, eqn: JaxprEqn, given: Marked, here: Around) -> Marked:
        params = eqn.params
        axes = tuple(params["manual_axes" if "manual_axes" in params else "newly_manual_axes"])
        [body] = jaxprs_in(params)

        def on_device(values: Any, marks: Any, when: Any) -> Any:
            marks = [kept(value, mark) for value, mark in zip(values, marks, strict=True)]
            inside = here._replace(device=lax.axis_index(axes))
            out = self._body(body, Marked(values, marks, when), inside)
            return (
                out.values,
                [jnp.asarray(m)[None] for m in out.marks],
                jnp.asarray(out.when)[None],
            )

        whole = PartitionSpec(axes)
        mapped = jax.shard_map(
            on_device,
            mesh=params["mesh"],
            in_specs=([*params["in_specs"]], PartitionSpec(), PartitionSpec()),
            out_specs=([*params["out_specs"]], whole, whole),
            axis_names={*axes},
            check_vma=False,
        )
        when = jnp.asarray(given.when, jnp.int32)
        values, marks, whens = mapped(given.values, _arrays(given.marks), when)
        return Marked(values, [earliest([*of_devices]) for of_devices in marks], whens.max())


def _results(eqn: JaxprEqn, values: list[Any]) -> list[Any]:
    """What an eqn gives for these operands. In a `shard_map` of ours JAX does not check what varies
    over devices, and then it has no eqns that say so."""
    if eqn.primitive.name in _VARIES:
        return values
    if eqn.primitive.name in _SUMS_OVER_DEVICES:
        groups = eqn.params.get("axis_index_groups")
        return [*lax.psum(tuple(values), eqn.params["axes"], axis_index_groups=groups)]
    return bound_again(eqn, values)


def _mesh_axes(eqn: JaxprEqn) -> tuple[str, ...]:
    """The axes of the mesh that an eqn's values cross."""
    named = eqn.params.get("axes", eqn.params.get("axis_name", ()))
    named = named if isinstance(named, tuple | list) else (named,)
    return tuple(axis for axis in named if isinstance(axis, str))


def _later(when: Any) -> Any:
    return jnp.minimum(jnp.asarray(when, jnp.int32) + 1, NOT_BORN - 1)


def _arrays(values: Sequence[Any]) -> list[Any]:
    return [value if isinstance(value, jax.Array) else jnp.asarray(value) for value in values]
