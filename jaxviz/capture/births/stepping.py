"""Evaluates a program with marks, eqn by eqn: only each distinct one is compiled, marks are of
NumPy, of a `cond` only the branch that is taken is entered, and values go when they were read last.

A loop and a `shard_map` run as a whole first, and with marks only where their results are flawed: a
loop turn by turn, or compiled as a whole where that is sooner, and a `shard_map` compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Jaxpr, JaxprEqn, Literal
from jax.sharding import AxisType, NamedSharding

from jaxviz.capture._jax import same_when_bound
from jaxviz.capture.births.flaws import any_flaw, flaws_of, is_inexact
from jaxviz.capture.births.hidden import Hidden
from jaxviz.capture.births.marking import Marking, Sites
from jaxviz.capture.births.marks import CLEAN_MARK, HERE, LOST, NOT_BORN, WHEN
from jaxviz.capture.births.meetings import PARTS, PLACES, SUMS, is_elementwise
from jaxviz.capture.jaxprs.jaxpr import stack_text
from jaxviz.capture.jaxprs.walk import jaxprs_in, walk
from jaxviz.capture.rerun.interpreter import (
    Around,
    Carried,
    Interpreter,
    Step,
    Turn,
    bound,
)

_WHOLE = {"scan", "while", "shard_map"}
_RUNS = 200
"""To compile an eqn with marks takes about as long as to run it this many times alone."""


def is_backward(step: Step) -> bool:
    """Whether an eqn is of the backward pass, by its name stack."""
    return "transpose(" in stack_text(step.jaxpr.eqns[step.eqn].source_info.name_stack)


class Stepping(Marking):
    """Not within a jit: `jax.Array`s are on the device here."""

    def __init__(self, sites: Sites) -> None:
        super().__init__(sites)
        self._compiled: dict[Any, Any] = {}
        self._of_eqns: dict[int, Any] = {}
        self._last: dict[int, list[list[Any]]] = {}
        self._hidden = Hidden(self.results)
        self.traps = self._hidden.traps

    def marks_of_eqn(
        self, eqn: JaxprEqn, given: Carried, values: list[Any], here: Around
    ) -> Carried:
        made = super().marks_of_eqn(eqn, given, values, here)
        if any(map(is_backward, here.path)):
            with suppress(Exception):  # the NaN's origin is reported without it
                self._hidden.follow(eqn, given, made, here.path)
        return made

    def computed(self, fun: Callable[..., Any], *given: Any) -> Any:
        return self._jit(fun, fun)(*given)

    def told(self, fun: Callable[..., Any], *given: Any) -> Any:
        return np.asarray(self.computed(fun, *given))

    def results(self, eqn: JaxprEqn, values: list[Any]) -> list[Any]:
        if id(eqn) not in self._of_eqns:
            run = self._jit(same_when_bound(eqn), lambda *values: bound(eqn, [*values]))
            self._of_eqns[id(eqn)] = run
        return self._of_eqns[id(eqn)](*values)

    def scan(self, turn: Turn, start: Any, xs: list[Any], length: int, reverse: bool) -> Any:
        made: list[Any] = [None] * length
        for place in reversed(range(length)) if reverse else range(length):
            parts = [self.computed(_part, each, place) for each in xs]
            start, made[place] = turn(start, parts)
        return start, [self.computed(_stacked, *each) for each in zip(*made, strict=True)]

    def loop(self, turn: Turn, start: Any) -> Any:
        while start[0]:
            start = turn(start)
        return start

    def switch(self, index: Any, branches: Sequence[Turn], *given: Any) -> Any:
        return branches[min(max(int(index), 0), len(branches) - 1)](*given)

    def read_last(self, jaxpr: Jaxpr, eqn: int) -> Sequence[Any]:
        if id(jaxpr) not in self._last:
            self._last[id(jaxpr)] = _read_last(jaxpr)
        return self._last[id(jaxpr)][eqn]

    def enter(self, eqn: JaxprEqn, given: Carried, here: Around) -> Carried:
        name = eqn.primitive.name
        if name not in _WHOLE:
            return super().enter(eqn, given, here)
        plain = self._jit((id(eqn), "plain"), lambda *values: _plain(eqn, values, here.path))
        values, flawed, runs = plain(*given.values)
        if not flawed:
            return Carried(values, [CLEAN_MARK] * len(values), given.known + 1)
        if name != "shard_map" and 0 < runs <= _RUNS * _eqns_in(eqn):
            return super().enter(eqn, given, here)
        return self._marked(eqn, given, here)

    def followed(self, eqn: JaxprEqn, given: Carried, mark: Any, value: Any) -> Any:
        if mark is CLEAN_MARK:
            return mark
        found = np.array(mark)
        for kind in range(2):
            if mark[kind, WHEN] < NOT_BORN and mark[kind, HERE] != LOST:
                found[kind, HERE] = self._place_after(eqn, given, kind, mark[kind, HERE], value)
        return found

    def _place_after(self, eqn: JaxprEqn, given: Carried, kind: int, place: int, value: Any) -> int:
        """Where an element of the operand that is marked first is in a result; `LOST` where that is
        not known. What only places, chooses or sums up is asked by an array that is 1 there."""
        name = eqn.primitive.name
        first = int(np.argmin([mark[kind, WHEN] for mark in given.marks]))
        shape = jnp.shape(given.values[first])
        if is_elementwise(name) and shape == jnp.shape(value):
            places = np.array([place])
        elif name in PLACES | PARTS | SUMS | {"gather", "select_n"}:
            others = jnp.ones_like if name in _PRODUCTS else jnp.zeros_like
            asked = [self.computed(others, one) if is_inexact(one) else one for one in given.values]
            asked[first] = self.computed(_one_at, given.values[first], place)
            places = np.flatnonzero(np.asarray(self.results(eqn, asked)[0]))
        else:
            return LOST
        flawed = np.asarray(self.computed(flaws_of, value)[kind]).reshape(-1)
        places = places[flawed[places]]
        return int(places[0]) if places.size else LOST

    def _marked(self, eqn: JaxprEqn, given: Carried, here: Around) -> Carried:
        """Its results where the eqn is compiled with marks."""
        clean = [mark is CLEAN_MARK for mark in given.marks]

        def run(given: Carried, turns: Any) -> Carried:
            marks = [CLEAN_MARK if clean[n] else mark for n, mark in enumerate(given.marks)]
            inside = here._replace(turns=turns)
            return Marking(self.sites).enter(eqn, given._replace(marks=marks), inside)

        out = self._jit((self.sites.number(here.path), *clean), run)(given, here.turns)
        marks = [np.asarray(mark) for mark in out.marks]
        marks = [CLEAN_MARK if (mark == CLEAN_MARK).all() else mark for mark in marks]
        return Carried(out.values, marks, np.int32(out.known))

    def _jit(self, key: Any, fun: Callable[..., Any]) -> Any:
        if key not in self._compiled:
            self._compiled[key] = jax.jit(fun)
        return self._compiled[key]


class _Counting(Interpreter):
    """Knows how many eqns ran."""

    def marks_of_eqn(
        self, eqn: JaxprEqn, given: Carried, values: list[Any], here: Around
    ) -> Carried:
        return super().marks_of_eqn(eqn, given._replace(known=given.known + 1), values, here)


def mesh_of(flat: Sequence[Any]) -> AbstractContextManager[Any]:
    """The context for inputs that are split over an explicit mesh: an eqn that has no operand of
    them, such as `iota`, is of that mesh too."""
    shardings = [getattr(value, "sharding", None) for value in flat]
    meshes = {one.mesh for one in shardings if isinstance(one, NamedSharding)}
    explicit = [mesh for mesh in meshes if AxisType.Explicit in mesh.axis_types]
    set_mesh: Any = getattr(jax, "set_mesh", None) or getattr(jax.sharding, "use_mesh")  # noqa: B009
    return set_mesh(explicit[0]) if len(explicit) == 1 else nullcontext()


def _plain(eqn: JaxprEqn, values: Sequence[Any], path: Any) -> tuple[list[Any], Any, Any]:
    """The results of an eqn, whether one is not finite, and how many eqns ran."""
    given = Carried([*values], [None] * len(values), jnp.int32(0))
    out = _Counting().enter(eqn, given, Around(path))
    return out.values, any_flaw(out.values), out.known


def _eqns_in(eqn: JaxprEqn) -> int:
    inside = [walk(held.jaxpr).jaxprs for held in jaxprs_in(eqn.params)]
    return sum(len(jaxpr.eqns) for jaxprs in inside for jaxpr in jaxprs)


_PRODUCTS = {"dot_general", "conv_general_dilated"}


def _one_at(value: Any, place: Any) -> Any:
    """Zeros like a value, but for 1 at one element."""
    places = jax.lax.iota(np.int32, value.size).reshape(value.shape)
    return (places == place).astype(value.dtype)


def _part(value: Any, place: Any) -> Any:
    return value[place]


def _stacked(*values: Any) -> Any:
    return jnp.stack(values)


def _read_last(jaxpr: Jaxpr) -> list[list[Any]]:
    """The variables that each eqn is the last to read, or that nothing reads after it."""
    last: list[list[Any]] = [[] for _ in jaxpr.eqns]
    seen = {var for var in jaxpr.outvars if not isinstance(var, Literal)}
    for number in reversed(range(len(jaxpr.eqns))):
        eqn = jaxpr.eqns[number]
        for var in (*eqn.invars, *eqn.outvars):
            if not isinstance(var, Literal) and var not in seen:
                seen.add(var)
                last[number].append(var)
    return last
