"""A program that could end the kernel is not compiled. Its length follows from the jaxpr."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jaxviz
from jaxviz.capture.stages.refusal import FUSED, inlined_eqns, longest_run
from jaxviz.ops import row_of
from jaxviz.schema import Stage

Function = Callable[[Any], Any]


def doubled(levels: int, op: Function) -> Any:
    """Calls `op` 2 ** levels times in a row, in jitted functions that call one another."""
    function = jax.jit(lambda x: op(x))
    for _ in range(levels):
        function = jax.jit(lambda x, inner=function: inner(inner(x)))
    return function


def unrolled(x: Any) -> Any:
    return jax.lax.scan(lambda c, _: (jnp.sin(c) * 2, None), x, length=40, unroll=10)[0]


def looped(x: Any) -> Any:
    return jax.lax.fori_loop(0, 1000, lambda _, c: jnp.sin(c) * 2, x)


def side_by_side(x: Any) -> Any:
    return sum(jnp.sin(x * i) for i in range(1, 8))


def cut_by_dots(x: Any) -> Any:
    return jnp.cos(jnp.sin(jnp.sin(x)) @ x) + 1


TRUTH: list[tuple[Function, int]] = [
    (jnp.sin, 1),
    (doubled(4, jnp.sin), 16),
    (doubled(16, jnp.sin), 65_536),
    (doubled(16, lambda x: x @ x), 0),
    (doubled(3, lambda x: jnp.sin(x @ x) + 1), 2),
    (doubled(3, lambda x: jnp.sin(x) @ jnp.cos(x)), 1),
    (cut_by_dots, 2),
    (doubled(5, cut_by_dots), 4),  # the last two of a call, the first two of the next
    (side_by_side, 9),  # x * 1, its sine, and seven sums, as `sum` begins with 0
    (doubled(4, lambda x: x + jnp.broadcast_to(x.sum(), x.shape)), 48),
    (looped, 2),
    (unrolled, 20),
]


@pytest.mark.parametrize(("function", "run"), TRUTH)
def test_the_longest_run_is_that_of_the_inlined_program(function: Function, run: int) -> None:
    stage = jaxviz.inspect(function)(jnp.ones((4, 4))).stage("jaxpr")
    assert longest_run(stage) == run


def written_out(stage: Stage) -> list[tuple[bool, list[int], list[int]]]:
    """The eqns with all calls inlined: whether each is fused, what it takes and what it gives."""
    found: list[tuple[bool, list[int], list[int]]] = []
    fresh = iter(range(1_000_000))

    def add(number: int, variables: dict[int, int]) -> None:
        for eqn in stage.graphs[number].eqns:
            taken = [variables.setdefault(var, next(fresh)) for var in eqn.invars]
            if eqn.bodies:
                body = stage.graphs[eqn.bodies[0].graph]
                inner = dict(zip(body.invars, taken, strict=True))
                add(eqn.bodies[0].graph, inner)
                given = [inner.setdefault(var, next(fresh)) for var in body.outvars]
                variables.update(zip(eqn.outvars, given, strict=True))
            else:
                given = [variables.setdefault(var, next(fresh)) for var in eqn.outvars]
                found.append((row_of(eqn.op).family in FUSED, taken, given))

    add(0, {})
    return found


STEP: dict[str, Callable[[Any, Any, Function], Any]] = {
    "sin": lambda a, b, inner: jnp.sin(a),
    "add": lambda a, b, inner: a + b,
    "dot": lambda a, b, inner: a @ b,
    "call": lambda a, b, inner: inner(a),
}
STEPS = st.lists(
    st.tuples(st.sampled_from([*STEP]), st.integers(0, 9), st.integers(0, 9)),
    min_size=1,
    max_size=5,
)


def made_of(steps: list[tuple[str, int, int]], inner: Function) -> Function:
    """A jitted function of these steps. Each takes earlier values, or the argument."""

    def function(x: Any) -> Any:
        values = [x]
        for op, one, other in steps:
            values.append(STEP[op](values[one % len(values)], values[other % len(values)], inner))
        return values[-1]

    return jax.jit(function)


@settings(max_examples=60, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=4))
def test_calls_count_as_what_they_hold_written_out(levels: list[list[tuple[str, int, int]]]):
    function: Function = jnp.sin
    for steps in levels:
        function = made_of(steps, function)
    stage = jaxviz.inspect(function)(jnp.ones((2, 2))).stage("jaxpr")
    flat = written_out(stage)
    lengths: dict[int, int] = {}
    for fused, taken, given_ in flat:
        before = max((lengths.get(var, 0) for var in taken), default=0)
        lengths.update(dict.fromkeys(given_, before + 1 if fused else 0))
    assert longest_run(stage) == max(lengths.values())
    assert inlined_eqns(stage) >= len(flat)


def test_eqns_count_as_often_as_they_are_inlined() -> None:
    stage = jaxviz.inspect(doubled(20, lambda x: x @ x))(jnp.ones((4, 4))).stage("jaxpr")
    assert inlined_eqns(stage) == 2**20 + 2 * (
        2**20 - 1
    )  # the dots, and two calls in each function


def test_what_jax_lowered_already_is_refused_alike() -> None:
    lowered: jax.stages.Lowered = doubled(20, jnp.sin).lower(jnp.ones((4, 4)))
    error = jaxviz.inspect(lowered).stage("hlo").error
    assert error is not None
    assert "compiling it could crash the kernel: write the repeated part as a lax.scan" in error


PROGRAM = """
import jax, jax.numpy as jnp, jaxviz, sys
function = jax.jit(lambda x: jnp.sin(x))
for _ in range(int(sys.argv[1])):
    function = jax.jit(lambda x, inner=function: inner(inner(x)))
program = jaxviz.inspect(function)(jnp.ones((4, 4)))
print(program.stage("stablehlo").error)
print(program.stage("hlo").error)
"""


def asked(levels: int) -> list[str]:
    """The output of a process that makes the later stages of `doubled(levels, jnp.sin)`."""
    command = [sys.executable, "-c", PROGRAM, str(levels)]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.splitlines()


def test_what_is_within_the_limit_is_compiled() -> None:
    assert asked(12) == ["None", "None"]


def test_sharing_without_end_is_refused() -> None:
    reason = (
        "With its calls inlined, the program has 3,145,726 eqns, and compiling it could crash the "
        "kernel: write the repeated part as a lax.scan. jaxviz compiles up to 500,000 eqns."
    )
    assert asked(20) == ["None", reason]


@pytest.mark.slow
def test_what_ends_the_process_that_compiles_it_does_not_end_the_kernel() -> None:
    """With 65,536 sines in a row: compiled by XLA itself it ends the process on JAX 0.6.2 and
    0.10.2."""
    assert asked(16) in (["None", "None"], ["None", ENDED])


ENDED = (
    "XLA could not compile the program for cpu (the process that did it was ended: SIGSEGV). Write "
    "the repeated part as a lax.scan."
)
