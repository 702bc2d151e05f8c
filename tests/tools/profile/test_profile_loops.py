"""Times of the iterations of loops."""

from __future__ import annotations

from functools import reduce

import jax.numpy as jnp
from jax import lax

import jaxviz
from jaxviz.tools.profile.capture.instruction_times import _fits, _iterations_of
from jaxviz.tools.profile.capture.profiler_events import Interval
from jaxviz.tools.profile.capture.shares import LoopOf

MS = 1_000_000_000
"""Picoseconds."""


def test_an_iteration_begins_where_the_body_does_and_has_what_runs_within() -> None:
    loop = LoopOf("outer", 2, {"a", "inner"}, {"a", "inner", "b", "less"})
    ran = [("outer", 0, 3), ("less", 0, 1), ("a", 1, 2), ("inner", 2, 3), ("b", 2, 4), ("b", 4, 7)]
    ran += [("less", 7, 8), ("a", 8, 10), ("inner", 10, 11), ("b", 11, 12), ("less", 12, 13)]
    found = [
        Interval(0, name, start * MS, end * MS, run)
        for run, (name, start, end) in enumerate([*ran, ("c", 20, 30)])
    ]
    [turns] = _iterations_of(found, loop, {"outer", "inner"}).values()
    # The condition runs before each turn; the first time it counts to the first turn.
    assert [round(1000 * seconds) for seconds in turns] == [8, 5]
    assert _fits(2, loop)
    assert not _fits(3, loop)


def uneven(x):
    def turn(i, x):
        x = lax.fori_loop(0, 3, lambda _, y: jnp.sin(y) @ y / 400, x)
        return lax.cond(i > 2, lambda x: reduce(jnp.matmul, [x] * 40), lambda x: x, x)

    return lax.fori_loop(0, 4, turn, x)


def test_a_costly_iteration_is_reported_and_small_loops_are_not_distinguished() -> None:
    found = jaxviz.profile(uneven, repeats=4)(jnp.ones((300, 300)))
    outer, inner = sorted(found.loops, key=lambda loop: len(loop.turns))
    assert [len(outer.turns), len(inner.turns)] == [4, 12]
    assert outer.turns.index(max(outer.turns)) == 3
    assert "4 iterations of" in str(found)
    assert "iteration 3 is the longest" in str(found)
    assert all(loop.parts[0].frame for loop in found.loops)
    told = {(loop.op, loop.turns) for loop in found.record.loops}
    assert told == {("scan", 4), ("scan", 12)}
    small = jaxviz.profile(lambda x: lax.scan(lambda c, r: (c + r, c), x[0], x), repeats=2)
    assert all(not loop.turns for loop in small(jnp.ones((5, 5))).loops)
