"""Our counts of flops and bytes against those that XLA reports.

XLA counts integers, comparisons and conversions as well, and the body of a loop once.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import models
import pytest
from jax import lax

import jaxviz

Call = tuple[Any, tuple[Any, ...]]


def product() -> Call:
    return (lambda x, y: x @ y), (jnp.ones((8, 16)), jnp.ones((16, 4)))


def convolutions() -> Call:
    """Strided, padded, and their derivatives: dilated ones."""

    def features(x: Any, w: Any) -> Any:
        numbers = ("NHWC", "HWIO", "NHWC")
        return lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=numbers)

    def both(x: Any, w: Any) -> Any:
        y, pull = jax.vjp(features, x, w)
        return y, pull(y)

    return both, (jnp.ones((2, 8, 8, 3)), jnp.ones((3, 3, 3, 16)))


def pointwise() -> Call:
    return (lambda x: jnp.tanh(x) * x + jnp.exp(x).sum(0)), (jnp.ones((8, 4)),)


@pytest.mark.parametrize("make", [product, convolutions, pointwise])
def test_equal_where_all_is_floating_point(make: Any) -> None:
    stage, reported = stablehlo(*make())
    assert stage == reported


STEPS = [getattr(models, name) for name in sorted(vars(models)) if name.endswith("_step")]


@pytest.mark.parametrize("make", [step for step in STEPS if step is not models.accumulate_step])
def test_near_it_in_training_steps(make: Any, capsys: pytest.CaptureFixture[str]) -> None:
    counted, reported = stablehlo(*make())
    with capsys.disabled():
        print(f" {make.__name__} {counted / reported:.3f}", end="")
    assert 0.97 <= counted / reported <= 1.001


def stablehlo(fun: Any, args: tuple[Any, ...]) -> tuple[float, float]:
    """Of the plain lowering XLA's flops, with the functions that it counts apart."""
    cost = jaxviz.inspect(fun)(*args).stage("stablehlo").cost
    assert cost is not None
    assert cost.flops is not None
    assert not cost.least
    reported: Any = jax.jit(fun).lower(*args).cost_analysis()
    return cost.flops, reported["flops"] + reported.get("transcendentals", 0)


@pytest.mark.parametrize("make", [product, convolutions, pointwise])
def test_the_executable_does_at_least_as_much(make: Any) -> None:
    """XLA may compute again what it fuses twice, and never counts less for it than we do."""
    fun, args = make()
    program = jaxviz.inspect(fun)(*args)
    stages = [program.stage(kind) for kind in ("jaxpr", "stablehlo", "hlo")]
    before, lowered, compiled = [stage.cost.flops or 0 for stage in stages if stage.cost]
    assert before == lowered <= compiled


def test_bytes_of_an_executable_without_loops() -> None:
    fun, args = models.plain_step()
    stage = jaxviz.inspect(fun)(*args).stage("hlo")
    assert stage.cost is not None
    assert stage.reported is not None
    assert stage.cost.bytes == pytest.approx(stage.reported.bytes, rel=0.05)
