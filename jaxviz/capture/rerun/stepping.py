"""Evaluates a program eqn by eqn. Equal eqns are compiled once, a `cond` enters only the branch
that is taken, and a value is dropped after the last eqn that reads it.

A loop or a `shard_map` first runs as a whole, without the reader. If the reader has to read the
values within, a `shard_map` runs again, compiled with the reader. A loop runs again iteration by
iteration, or compiled with the reader if that is faster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Jaxpr, JaxprEqn, Literal
from jax.sharding import AxisType, NamedSharding

from jaxviz.capture._jax import same_when_bound
from jaxviz.capture.jaxprs.walk import jaxprs_in, walk
from jaxviz.capture.rerun.interpreter import (
    Carried,
    Interpreter,
    Iteration,
    Location,
    Reader,
    bound,
)

_WHOLE = {"scan", "while", "shard_map"}
_RUNS = 200
"""Compiling an eqn with a reader takes about as long as this many runs of the eqn alone."""


class Stepping(Interpreter):
    """Evaluates outside of a jit. Values are `jax.Array`s on the device; numbers for decisions of a
    reader are NumPy's. The reader gathers the number of eqns that ran."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        self._compiled: dict[Any, Any] = {}
        self._of_eqns: dict[int, Any] = {}
        self._last: dict[int, list[list[Any]]] = {}

    def computed(self, fun: Callable[..., Any], *args: Any) -> Any:
        return self._jit(fun, fun)(*args)

    def numbers(self, fun: Callable[..., Any], *args: Any) -> Any:
        return np.asarray(self.computed(fun, *args))

    def results(self, eqn: JaxprEqn, values: list[Any]) -> list[Any]:
        if id(eqn) not in self._of_eqns:
            run = self._jit(same_when_bound(eqn), lambda *values: bound(eqn, [*values]))
            self._of_eqns[id(eqn)] = run
        return self._of_eqns[id(eqn)](*values)

    def scan(
        self, iteration: Iteration, start: Any, xs: list[Any], length: int, reverse: bool
    ) -> Any:
        made: list[Any] = [None] * length
        for place in reversed(range(length)) if reverse else range(length):
            parts = [self.computed(_part, each, place) for each in xs]
            start, made[place] = iteration(start, parts)
        return start, [self.computed(_stacked, *each) for each in zip(*made, strict=True)]

    def loop(self, iteration: Iteration, start: Any) -> Any:
        while start[0]:
            start = iteration(start)
        return start

    def switch(self, index: Any, branches: Sequence[Iteration], *operands: Any) -> Any:
        return branches[min(max(int(index), 0), len(branches) - 1)](*operands)

    def read_last(self, jaxpr: Jaxpr, eqn: int) -> Sequence[Any]:
        if id(jaxpr) not in self._last:
            self._last[id(jaxpr)] = _read_last(jaxpr)
        return self._last[id(jaxpr)][eqn]

    def enter(self, eqn: JaxprEqn, inputs: Carried, here: Location) -> Carried:
        name = eqn.primitive.name
        if name not in _WHOLE:
            return super().enter(eqn, inputs, here)
        plain = self._jit((id(eqn), "plain"), lambda *values: self._plain_run(eqn, values))
        values, is_read, runs = plain(*inputs.values)
        if not is_read:
            return Carried(values, [self.reader.unmarked] * len(values), inputs.gathered + 1)
        if name != "shard_map" and 0 < runs <= _RUNS * _eqns_in(eqn):
            return super().enter(eqn, inputs, here)
        return self._compiled_run(eqn, inputs, here)

    def _plain_run(self, eqn: JaxprEqn, values: Sequence[Any]) -> tuple[list[Any], Any, Any]:
        """The results of an eqn, whether the reader has to read within, and how many eqns ran."""
        inputs = Carried([*values], [None] * len(values), jnp.int32(0))
        out = Interpreter(_Counting()).enter(eqn, inputs, Location())
        return out.values, self.reader.reads_into(out.values), out.gathered

    def _compiled_run(self, eqn: JaxprEqn, inputs: Carried, here: Location) -> Carried:
        """The results of an eqn, compiled with the reader."""
        unmarked = self.reader.unmarked
        without = [mark is unmarked for mark in inputs.marks]

        def run(inputs: Carried, iterations: Any) -> Carried:
            marks = [unmarked if without[n] else mark for n, mark in enumerate(inputs.marks)]
            inside = here._replace(iterations=iterations)
            return Interpreter(self.reader).enter(eqn, inputs._replace(marks=marks), inside)

        path = tuple((id(step.jaxpr), step.eqn, step.branch) for step in here.path)
        out = self._jit((path, *without), run)(inputs, here.iterations)
        marks = [np.asarray(mark) for mark in out.marks]
        marks = [unmarked if (mark == unmarked).all() else mark for mark in marks]
        return Carried(out.values, marks, np.int32(out.gathered))

    def _jit(self, key: Any, fun: Callable[..., Any]) -> Any:
        if key not in self._compiled:
            self._compiled[key] = jax.jit(fun)
        return self._compiled[key]


class _Counting(Reader):
    """Counts the eqns that run."""

    def eqn(
        self, run: Interpreter, eqn: JaxprEqn, inputs: Carried, values: list[Any], here: Location
    ) -> Carried:
        return super().eqn(run, eqn, inputs._replace(gathered=inputs.gathered + 1), values, here)


def mesh_of(flat: Sequence[Any]) -> AbstractContextManager[Any]:
    """The context for inputs that are split over an explicit mesh. It also puts eqns without such
    an operand on the mesh, such as `iota`."""
    shardings = [getattr(value, "sharding", None) for value in flat]
    meshes = {one.mesh for one in shardings if isinstance(one, NamedSharding)}
    explicit = [mesh for mesh in meshes if AxisType.Explicit in mesh.axis_types]
    set_mesh: Any = getattr(jax, "set_mesh", None) or getattr(jax.sharding, "use_mesh")  # noqa: B009
    return set_mesh(explicit[0]) if len(explicit) == 1 else nullcontext()


def _eqns_in(eqn: JaxprEqn) -> int:
    inside = [walk(body.jaxpr).jaxprs for body in jaxprs_in(eqn.params)]
    return sum(len(jaxpr.eqns) for jaxprs in inside for jaxpr in jaxprs)


def _part(value: Any, place: Any) -> Any:
    return value[place]


def _stacked(*values: Any) -> Any:
    return jnp.stack(values)


def _read_last(jaxpr: Jaxpr) -> list[list[Any]]:
    """For each eqn the variables that no later eqn reads."""
    last: list[list[Any]] = [[] for _ in jaxpr.eqns]
    seen = {var for var in jaxpr.outvars if not isinstance(var, Literal)}
    for number in reversed(range(len(jaxpr.eqns))):
        eqn = jaxpr.eqns[number]
        for var in (*eqn.invars, *eqn.outvars):
            if not isinstance(var, Literal) and var not in seen:
                seen.add(var)
                last[number].append(var)
    return last
