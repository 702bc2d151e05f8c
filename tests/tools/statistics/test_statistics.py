"""Statistics of the values of a run are right, and change nothing."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import io_callback
from numpy_programs import ONES, TWOS, Step, in_jax, made, truths

import jaxviz
from jaxviz.picture.draw import picture

X = jnp.array([2.0, -1.0, 0.0, 90.0])


def told(fun: Any, *args: Any) -> list[tuple[str, float | None, int, int]]:
    return [(row.op, row.largest, row.nan, row.inf) for row in jaxviz.statistics(fun)(*args).rows]


PROGRAMS = [pytest.param(seed, marks=pytest.mark.slow if seed >= 15 else ()) for seed in range(200)]


@pytest.mark.parametrize("seed", PROGRAMS)
def test_they_are_numpy_s(seed: int) -> None:
    rng = random.Random(seed)
    steps = made(rng)
    x = np.array([rng.uniform(-3, 3) for _ in range(3)] + [0.0, 1.0], np.float32)
    truth = truths(steps, x)
    fun = lambda x: in_jax(steps, x)  # noqa: E731
    found = {(row.graph, row.eqn): row for row in jaxviz.statistics(fun)(x).rows}
    stage = jaxviz.inspect(fun)(x).stage("jaxpr")
    for path, step, place in eqns_of(steps, stage, 0):
        row, wanted = found[place], truth.get(path)
        assert row.ran == (path in truth), (path, step.op)
        if wanted is not None:
            assert (row.nan, row.inf) == (wanted.nan, wanted.inf), (path, step.op)
            largest = wanted.largest
            near = None if largest is None else pytest.approx(largest, rel=0.01)
            assert row.largest == near, (path, step.op)


def eqns_of(
    steps: list[Step], stage: jaxviz.Stage, graph: int, path: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], Step, tuple[int, int]]]:
    """Each step with its path, and the eqn that it became."""
    floats = [
        (number, eqn)
        for number, eqn in enumerate(stage.graphs[graph].eqns)
        if (eqn.op in (*ONES, *TWOS) and not is_counter(stage, graph, number))
        or eqn.op in ("scan", "while", "cond", "jit", "pjit")
    ]
    for at, (step, (number, eqn)) in enumerate(zip(steps, floats, strict=True)):
        yield (*path, at), step, (graph, number)
        bodies = [body for body in eqn.bodies if body.label != "condition"]
        for which, (body, held) in enumerate(zip(bodies, step.bodies, strict=True)):
            yield from eqns_of(held, stage, body.graph, (*path, at, which))


def is_counter(stage: jaxviz.Stage, graph: int, number: int) -> bool:
    """True if an eqn counts the iterations of a while."""
    of = stage.graphs[graph]
    [made] = of.eqns[number].outvars
    return stage.avals[of.vars[made].aval].text == "i32[]"


def test_an_eqn_in_a_loop_is_reported_over_all_its_iterations() -> None:
    def f(x):
        return lax.scan(lambda c, _: (c * 2.0, 1.0 / (c - 4.0)), x, None, 5)

    rows = {op: rest for op, *rest in told(f, 1.0)}
    assert rows["mul"] == [32.0, 0, 0]
    assert rows["sub"] == [12.0, 0, 0]
    assert rows["div"] == [0.5, 0, 1]
    assert rows["scan"] == [0.5, 0, 1]


def test_what_the_condition_of_a_loop_makes_is_reported() -> None:
    found = told(lambda x: lax.while_loop(lambda v: v * 10.0 < 50.0, lambda v: v + 1.0, x), 1.0)
    assert found == [("while", 5.0, 0, 0), ("mul", 50.0, 0, 0), ("add", 5.0, 0, 0)]


def test_a_branch_that_was_not_taken_did_not_run() -> None:
    found = jaxviz.statistics(lambda x: lax.cond(x > 0, jnp.sin, jnp.exp, x))(1.0)
    ran = {row.op: (row.ran, row.largest) for row in found.rows}
    assert ran == {"cond": (True, 0.841), "exp": (False, None), "sin": (True, 0.841)}


@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float32", "float8_e4m3fn", "float8_e5m2", "complex64"]
)
def test_each_dtype_of_floats_is_reported(dtype: str) -> None:
    x = jnp.array([1.0, -6.0, jnp.nan]).astype(dtype)
    [(op, *numbers)] = told(lambda x: x[::-1], x)
    assert (op, numbers) == ("rev", [6.0, 1, 0])


def test_numbers_that_are_not_floats_have_no_row() -> None:
    assert told(lambda x: (x + 1, x > 1), jnp.arange(3)) == []
    assert told(lambda key: jax.random.split(key), jax.random.key(0)) == []


def test_an_empty_array_has_no_largest() -> None:
    assert told(lambda x: -x, jnp.zeros((0, 3))) == [("neg", None, 0, 0)]


def test_a_derivative_remat_and_custom_rules_are_followed() -> None:
    @jax.custom_vjp
    def root(x):
        return jnp.sqrt(x)

    root.defvjp(lambda x: (jnp.sqrt(x), x), lambda x, g: (g / (2 * jnp.sqrt(x)),))
    found = told(jax.grad(jax.checkpoint(lambda x: root(x) * 3.0)), 4.0)
    assert ("sqrt", 2.0, 0, 0) in found
    assert ("div", 0.75, 0, 0) in found


def test_on_devices_all_of_them_count() -> None:
    script = Path(__file__).parents[2] / "values_on_devices.py"
    run = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_it_prints_a_line_for_each_line_not_finite_first() -> None:
    def f(x):
        y = x * 2.0
        z = jnp.log(y)
        return z, x + 1000.0

    text = str(jaxviz.statistics(f)(X)).splitlines()
    assert text[0].startswith("One result of each line of f, in one run: the first that is not ")
    assert text[1].startswith("  1 NaN, 1 inf, else up to 5.19 in log f32[4], ")
    assert text[1].endswith("(z = jnp.log(y))")
    assert text[2].startswith("  1.09e+03 in add f32[4], ")
    assert text[3].startswith("  180 in mul f32[4], ")
    assert text[4].endswith("values may differ from those of your run in the last digits.")


def test_a_nan_that_is_written_in_the_program_is_not_reported_first() -> None:
    def norm(x):
        spread = jnp.var(x)
        return (x - x.mean()) / jnp.sqrt(spread)

    found = jaxviz.statistics(norm)(X)
    assert [row.op for row in found.rows if row.nan and not row.written] == []
    assert "NaN" not in str(found)
    born = jaxviz.statistics(lambda x: jnp.log(jnp.where(x > 0, x, -jnp.inf)))(X)
    assert [(row.op, row.nan, row.written) for row in born.rows if row.nan] == [("log", 2, False)]


def test_prints_are_not_repeated_and_named(capfd: pytest.CaptureFixture[str]) -> None:
    def f(x):
        jax.debug.print("SEEN {}", x)
        return jnp.log(x)

    assert "Not repeated: debug_" in str(jaxviz.statistics(f)(X))
    assert "SEEN" not in capfd.readouterr().out


def test_what_would_happen_once_more_is_refused_or_said() -> None:
    ran = []

    def effect(x):
        io_callback(ran.append, None, x)
        return jnp.log(x)

    with pytest.raises(jaxviz.CaptureError, match="io_callback, whose effect would happen once"):
        jaxviz.statistics(effect)(X)
    assert not ran

    def pure(x):
        return jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct((4,), "float32"), x)

    assert "pure_callback ran again." in str(jaxviz.statistics(pure)(X))


def test_it_leaves_the_function_s_cache_its_arguments_and_debug_nans() -> None:
    jitted = jax.jit(jnp.log, donate_argnums=0)
    x = jnp.array(X)
    with jax.debug_nans(True):
        assert jaxviz.statistics(jitted)(x).rows
        assert getattr(jax.config, "jax_debug_nans")  # noqa: B009
    assert getattr(jitted, "_cache_size")() == 0  # noqa: B009
    assert not x.is_deleted()


def test_jax_debug_nans_still_sees_calls_that_jax_s_cache_answers() -> None:
    log = jax.jit(jnp.log)

    def calls() -> None:
        log(1.0)
        jaxviz.statistics(jnp.sin)(1.0)
        with pytest.raises(FloatingPointError):
            log(-1.0)

    before = getattr(jax.config, "jax_debug_nans")  # noqa: B009
    jax.config.update("jax_debug_nans", True)
    try:
        log(1.0)
        with ThreadPoolExecutor(1) as pool:  # a thread in which nothing set it before
            pool.submit(calls).result()
    finally:
        jax.config.update("jax_debug_nans", before)


def test_no_element_is_reported_to_more_than_three_digits() -> None:
    x = jnp.array([-61803.0, 27182.0])
    found = jaxviz.statistics(lambda x: -x)(x)
    assert found.records()[0]["largest"] == 61800.0
    assert not any(canary in repr(found.records()) + str(found) for canary in ("61803", "2718"))


def test_static_arguments() -> None:
    def f(x, kind):
        return jnp.sqrt(x) if kind == "root" else x

    assert jaxviz.statistics(f, static_argnames="kind")(4.0, kind="root").rows[0].largest == 2.0
    assert jaxviz.statistics(f, static_argnums=1)(4.0, "none").rows == ()


def test_an_output_has_the_program_and_a_row_for_each_line() -> None:
    def f(x):
        y = x * 2.0
        return jnp.log(y)

    bundle = jaxviz.statistics(f)(X)._repr_mimebundle_()
    display = bundle["application/vnd.jaxviz.v1+json"]
    lines = display["report"]["lines"]
    assert [(line["op"], line["eqn"], line["nan"], line["inf"]) for line in lines] == [
        ("log", 1, 1, 1),
        ("mul", 0, 0, 0),
    ]
    assert lines[0]["frame"]["code"] == "return jnp.log(y)"
    assert bundle["text/plain"].startswith("One result of each line of f, ")
    assert bundle["text/html"].startswith("<pre ")
    assert "<img" in bundle["text/html"]


def test_the_numbers_of_an_output_are_those_of_the_program() -> None:
    def f(x):
        y, _ = lax.scan(lambda c, _: (jnp.sin(c) * 2.0, None), x, None, 3)
        return lax.cond(x[0] > 0, jnp.cos, jnp.exp, y)

    found = jaxviz.statistics(f)(X)
    eqns = [eqn for graph in found.program.stage("jaxpr").graphs for eqn in graph.eqns]
    values = found._repr_mimebundle_()["application/vnd.jaxviz.v1+json"]["report"]
    assert [eqns[line["eqn"]].op for line in values["lines"]] == [
        line["op"] for line in values["lines"]
    ]


def test_its_program_has_what_the_results_of_each_eqn_were_like() -> None:
    def f(x, is_small):
        y, _ = lax.scan(lambda c, _: (c * 2.0, None), x, None, 3)
        return lax.cond(is_small, jnp.exp, jnp.log, y)

    program = jaxviz.statistics(f)(X, False).program
    stage = program.stage("jaxpr")
    eqns = [eqn for graph in stage.graphs for eqn in graph.eqns]
    assert [(eqns[one.eqn].op, one.largest, one.nan, one.inf) for one in stage.values] == [
        ("scan", ["720"], [0], [0]),
        ("cond", ["6.58"], [1], [1]),
        ("mul", ["720"], [0], [0]),
        ("log", ["6.58"], [1], [1]),
    ]
    assert program.stage("stablehlo").values == []
    assert "max|x| 720" in picture(program._stages.shown, program.opening)


def test_of_many_lines_an_output_has_two_hundred() -> None:
    lines = "".join(f"    x = x + {number}.0\n" for number in range(230))
    space: dict[str, Any] = {}
    exec(compile(f"def f(x):\n{lines}    return x", "<many lines>", "exec"), space)
    bundle = jaxviz.statistics(space["f"])(1.0)._repr_mimebundle_()
    values = bundle["application/vnd.jaxviz.v1+json"]["report"]
    assert (len(values["lines"]), values["more"]) == (200, 30)
    assert "… and 210 more lines: records() has all." in bundle["text/plain"]
