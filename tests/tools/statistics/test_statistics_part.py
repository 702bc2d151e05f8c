"""Distributions of a part of a program, for which a page asks after its statistics."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jaxviz
from jaxviz.tools.statistics.record import PartValues


def f(x: Any) -> Any:
    y = jnp.sin(x) * 2.0
    return lax.fori_loop(0, 3, lambda _, v: v * 10.0, y), x > 0


def asked(fun: Callable[..., Any], *args: Any) -> Callable[[list[int]], PartValues]:
    part = jaxviz.statistics(fun)(*args).program._stages.part
    assert part is not None
    return part


def test_a_part_is_reported_with_what_it_holds() -> None:
    tell = asked(f, jnp.array([0.0, 1.0]))
    [mul] = tell([1]).results
    assert mul.distribution is not None
    assert (mul.op, mul.distribution.greatest, mul.distribution.zeros) == ("mul", 1.68, 1)
    loop = tell([2])
    told = {one.op: one.distribution for one in loop.results}
    assert {"mul", "scan"} >= told.keys() >= {"mul"} or {"mul", "while"} >= told.keys()
    assert told["mul"] is not None
    assert told["mul"].turns is not None
    assert told["mul"].turns.heights == pytest.approx([16.8, 168, 1680], rel=0.01)
    assert "0…1.68e+03" in [text for eqn in loop.eqns for text in eqn.spread]


def test_it_is_of_the_arguments_as_they_were() -> None:
    x = np.array([1.0, 2.0], np.float32)
    tell = asked(lambda x: x * 2.0, x)
    x[:] = 100.0
    [row] = tell([0]).results
    assert row.distribution is not None
    assert row.distribution.greatest == 4.0


def test_the_reason_is_given_if_nothing_can_be_reported() -> None:
    x = jnp.arange(3.0)
    tell = asked(f, x)
    with pytest.raises(ValueError, match="No operation of this part makes floating-point numbers"):
        tell([3])
    many = asked(lambda x: [jnp.sin(x * n) for n in range(101)], x)
    with pytest.raises(
        ValueError, match=r"This part makes 202 arrays, but jaxviz reports at most 200"
    ):
        many([*range(202)])
    x.delete()
    with pytest.raises(ValueError, match=r"gone: .* Run the cell again\."):
        tell([1])


def test_large_arguments_are_not_held() -> None:
    large = jnp.zeros(5 << 20)
    tell = asked(lambda x: jnp.sin(x), large)
    assert tell([0]).results[0].largest == 0.0
    del large
    with pytest.raises(ValueError, match=re.escape("at most 16 MiB")):
        tell([0])
    assert not [one for one in jax.live_arrays() if one.size == 5 << 20]
