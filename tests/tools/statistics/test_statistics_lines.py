"""Distributions of the values of a line."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jaxviz


def of_line(fun: Any, *args: Any) -> jaxviz.Distribution:
    """The distribution of the first result of a line that ends in `# HERE`."""
    rows = jaxviz.statistics(fun)(*args).rows
    [line] = {row.frame.line for row in rows if row.frame and "# HERE" in row.frame.code}
    [row, *_] = jaxviz.statistics(fun, lines=line)(*args).rows
    assert row.distribution is not None
    return row.distribution


def reversed_rows(x: Any) -> Any:
    return x[::-1]  # HERE


def held_against_numpy(found: jaxviz.Distribution, values: np.ndarray[Any, Any]) -> None:
    with np.errstate(over="ignore"):
        finite = values[np.isfinite(values)].astype(np.float64)
    tiny = float(jnp.finfo(values.dtype).smallest_normal)
    small = (finite != 0) & (abs(finite) < tiny)
    normal = finite[(finite != 0) & ~small]
    assert found.finite == finite.size
    assert found.zeros == (finite == 0).sum()
    assert found.subnormals == small.sum()
    powers, counts = np.unique(np.floor(np.log2(abs(normal))), return_counts=True)
    assert found.exponents == dict(zip(powers.tolist(), counts.tolist(), strict=True))
    unit = abs(finite).max() if finite.size else 0.0
    wanted = (finite.min(), finite.max(), finite.mean(), finite.std()) if finite.size else ()
    told = (found.smallest, found.greatest, found.mean, found.deviation)
    for number, truth in zip(told, wanted, strict=bool(wanted)):
        assert number == pytest.approx(truth, rel=0.006, abs=unit * 1e-3)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float8_e4m3fn"])
def test_it_is_numpy_s_of_each_dtype(dtype: str) -> None:
    limits = jnp.finfo(dtype)
    tiny = float(limits.smallest_normal)
    numbers = [0.0, -0.0, tiny, tiny / 2, -tiny / 4, 1.0, -1.5, 3.0, 96.0, np.nan, np.nan]
    x = jnp.array(np.array(numbers, np.float64).astype(dtype))
    found = of_line(reversed_rows, x)
    assert (found.zeros, found.subnormals, found.runs, found.finite) == (2, 2, 1, 9)
    held_against_numpy(found, np.asarray(x))


@pytest.mark.parametrize("seed", range(8))
def test_it_is_numpy_s_over_all_iterations_of_a_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.uniform(-25, 25)
    rows = (rng.normal(rng.uniform(-2, 2), 1.0, (6, 9)) * scale).astype(np.float32)
    rows[rng.random(rows.shape) < 0.2] = random.Random(seed).choice([0.0, np.nan, np.inf])
    rows[3] = np.nan

    def negated(row: Any) -> Any:
        return -row  # HERE

    found = of_line(lambda rows: lax.scan(lambda _, row: (0, negated(row)), 0, rows), rows)
    held_against_numpy(found, -rows)
    assert found.runs == 6
    assert len(found.turns) == 6
    for turn, row in zip(found.turns, rows, strict=True):
        peak = float(np.abs(row).max())
        assert turn == pytest.approx(peak, rel=0.006, nan_ok=True)


def test_of_complex_numbers_the_magnitudes_are_reported() -> None:
    found = of_line(reversed_rows, jnp.array([3 + 4j, 0j, -12j]))
    assert (found.smallest, found.greatest, found.zeros) == (0.0, 12.0, 1)
    assert found.exponents == {2: 1, 3: 1}


def test_iterations_are_of_the_innermost_loop() -> None:
    def inner(c, t):
        return c + 1.0, c * t  # HERE

    def outer(c, _):
        return lax.scan(inner, c, jnp.arange(3.0))

    assert of_line(lambda x: lax.scan(outer, x, None, 2), 0.0).turns == (4.0, 5.0, 6.0)


def test_iterations_in_which_it_did_not_run_are_none() -> None:
    def doubled(c):
        return c * 2.0  # HERE

    def turn(c):
        return c[0] + 1, lax.cond(c[0] % 2 == 1, doubled, lambda c: c, c[1])

    found = of_line(lambda x: lax.while_loop(lambda c: c[0] < 5, turn, (0, x)), 1.0)
    assert found.turns == (None, 2.0, None, 4.0)
    assert found.runs == 2


def test_at_most_a_thousand_iterations_are_recorded() -> None:
    def turn(c):
        return c + 1.0  # HERE

    found = of_line(lambda x: lax.while_loop(lambda c: c < 1500.0, turn, x), 0.0)
    assert len(found.turns) == 1000
    assert (found.runs, found.greatest) == (1500, 1500.0)


def test_on_devices_all_of_them_count() -> None:
    script = Path(__file__).parents[2] / "values_on_devices.py"
    run = subprocess.run([sys.executable, script, "lines"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_a_line_that_was_not_reached_has_no_distribution() -> None:
    def f(x):
        return lax.cond(x > 0, lambda x: x * 2.0, lambda x: x / 2.0, x)

    rows = jaxviz.statistics(f, lines=f.__code__.co_firstlineno + 1)(1.0).rows
    ran = {row.op: row.distribution is not None for row in rows}
    assert ran == {"cond": True, "mul": True, "div": False}


def test_an_empty_array_has_no_numbers() -> None:
    found = of_line(reversed_rows, jnp.zeros((0, 2)))
    assert (found.runs, found.finite, found.smallest, found.mean) == (1, 0, None, None)


def test_a_line_without_floats_is_refused() -> None:
    def f(x):
        y = x * 2
        return y * 1.5

    first = f.__code__.co_firstlineno
    with pytest.raises(
        jaxviz.CaptureError,
        match=rf"no operation of line {first + 1} makes floating-point numbers: lines that do are "
        rf"{first + 2}\.",
    ):
        jaxviz.statistics(f, lines=[first + 1])(3)


def test_it_is_printed() -> None:
    x = np.array([0.0, 1.0, 1.0, 4.0], np.float32)
    line = reversed_rows.__code__.co_firstlineno + 1
    text = str(jaxviz.statistics(reversed_rows, lines=[line])(x)).splitlines()
    assert text[0].startswith("The largest magnitude and the distribution of each result of ")
    assert text[1].startswith("  4 in rev f32[4], ")
    assert text[2:4] == [
        "    0 to 4, mean 1.5, deviation 1.5, 1 of 4 zeros",
        "    magnitudes from 2^0 to below 2^3: █ ▄",
    ]


def test_a_page_gets_bars_over_powers_and_iterations() -> None:
    def turn(c, x):
        y = c * x
        return y, y

    line = turn.__code__.co_firstlineno + 1
    x = jnp.array([2.0, 2.0, jnp.inf, 2.0])
    found = jaxviz.statistics(lambda x: lax.scan(turn, jnp.float32(0.5), x), lines=line)(x)
    [told] = found._repr_mimebundle_()["application/vnd.jaxviz.v1+json"]["report"]["lines"]
    assert (told["op"], told["inf"], told["distribution"]["greatest"]) == ("mul", 2, 2.0)
    bars = {"first": 0, "each": 1, "flawed": []}
    assert told["distribution"]["exponents"] == bars | {"count": 2, "heights": [1, 1]}
    assert told["distribution"]["turns"] == bars | {
        "count": 4,
        "heights": [1.0, 2.0, 0.0, 0.0],
        "flawed": [2, 3],
    }


def test_no_element_is_reported_to_more_than_three_digits() -> None:
    x = jnp.array([-61803.0, -61803.0])
    line = reversed_rows.__code__.co_firstlineno + 1
    found = jaxviz.statistics(reversed_rows, lines=line)(x)
    assert found.rows[0].distribution
    assert found.rows[0].distribution.mean == -61800.0
    whole = jaxviz.statistics(reversed_rows)(x)
    outputs = [one._repr_mimebundle_() for one in (found, whole)]
    told = [found.records(), whole.records(), outputs, str(found), str(whole)]
    assert not any("61803" in repr(one) for one in told)


def test_random_numbers_are_those_of_the_key() -> None:
    def drawn(key):
        return jax.random.normal(key, (1000,)) * 1.0  # HERE

    key = jax.random.key(3)
    found = of_line(drawn, key)
    assert found.mean == pytest.approx(float(drawn(key).mean()), abs=1e-3)
