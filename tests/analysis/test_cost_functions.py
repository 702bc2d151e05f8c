"""Functions of each element cost what XLA counts of them, random bits what they are lowered to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import pytest
from jax import lax

import jaxviz
from jaxviz.analysis.cost.function_flops import COMPLEX, FUNCTIONS

REAL = [name for name in FUNCTIONS if hasattr(lax, name) and name != "nextafter"]
PARTED = [name for name in COMPLEX if hasattr(lax, name) and name not in ("max", "min")]


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, dtype) for name in REAL for dtype in ("float32", "bfloat16")]
    + [(name, "complex64") for name in PARTED],
)
def test_functions_are_written_out_as_xla_does(name: str, dtype: str) -> None:
    x = jax.ShapeDtypeStruct((4096,), dtype)
    fun: Callable[[Any], Any] = getattr(lax, name)
    cost = jaxviz.inspect(fun)(x).stage("jaxpr").cost
    lowered: Any = jax.jit(fun).lower(x).cost_analysis()
    assert cost is not None
    assert cost.flops is not None
    assert cost.transcendentals is not None
    reported = lowered.get("flops", 0), lowered.get("transcendentals", 0)
    if cost.least:
        assert cost.flops <= reported[0]
        assert cost.transcendentals <= reported[1]
    else:
        assert cost.flops == pytest.approx(reported[0], rel=0.03)
        assert cost.transcendentals == reported[1]


@pytest.mark.parametrize("towards", ["itself", float("-inf"), 0.0, 1.0])
def test_the_next_number_costs_no_more_than_the_reported_minimum(towards: Any) -> None:
    def fun(x: Any) -> Any:
        return lax.nextafter(x, x if towards == "itself" else lax.full_like(x, towards))

    x = jax.ShapeDtypeStruct((4096,), "float32")
    cost = jaxviz.inspect(fun)(x).stage("jaxpr").cost
    lowered: Any = jax.jit(fun).lower(x).cost_analysis()
    assert cost is not None
    assert cost.least
    assert 0.9 * lowered["flops"] < (cost.flops or 0) <= lowered["flops"]


@pytest.mark.parametrize(
    "draw",
    [
        lambda k: jax.random.bits(k, (8, 16)),
        lambda k: jax.random.bits(k, (7,), "uint8"),
        lambda k: jax.random.split(k, 5),
        lambda k: jax.random.fold_in(k, 3),
        lambda k: jax.vmap(lambda k: jax.random.bits(k, (4,)))(jax.random.split(k, 3)),
    ],
    ids=["bits", "small bits", "split", "fold in", "of many keys"],
)
def test_random_bits_cost_what_they_lower_to(draw: Callable[[Any], Any]) -> None:
    program = jaxviz.inspect(draw)(jax.random.key(0))
    jaxpr, lowered = (program.stage(kind).cost for kind in ("jaxpr", "stablehlo"))
    assert jaxpr is not None
    assert lowered is not None
    assert jaxpr.flops == lowered.flops
