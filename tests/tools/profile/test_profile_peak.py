"""Rates of instructions beside what the machine does at most."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import pytest

import jaxviz
from jaxviz.display import wire

X = jnp.ones(8)
WIDE = jnp.ones((400, 400))


def test_rates_stand_beside_a_peak() -> None:
    found = jaxviz.profile(lambda x: x @ x, repeats=2, peak=(1e12, 1e9))(WIDE)
    [row] = [one for one in found.records() if one["flops"]]
    assert row["flops"] == 2 * 400**3
    assert row["bytes"] in (2 * 4 * 400**2, 3 * 4 * 400**2)  # a `dot` reads x on both sides
    of_flops, of_bytes = row["flops"] / row["seconds"] / 1e12, row["bytes"] / row["seconds"] / 1e9
    assert row["of_peak"] == pytest.approx(max(of_flops, of_bytes))
    assert "beside the peak of 1.00 Tflop/s and 953.7 MiB/s, as you gave it:" in str(found)
    assert f"({of_flops:.0%})" in str(found).splitlines()[-1]
    assert wire.decode(wire.encode(found.program.record)) == found.program.record
    times = found.program.stage("hlo").times
    assert times is not None
    assert times.peak == found.peak == jaxviz.Peak(flops=10**12, bytes=10**9, measured=False)
    program = jaxviz.inspect(jnp.sin)(X)
    measured = program.profile(repeats=2, peak="measured")(X).peak
    assert measured is not None
    assert 1e7 < measured.flops < 1e17
    assert 1e7 < measured.bytes < 1e17


@pytest.mark.parametrize(
    "peak", [3, (1e12,), (1e12, 0), (-1, 1), (1, float("nan")), "no", ("a", 1)]
)
def test_a_peak_is_two_amounts(peak: Any) -> None:
    with pytest.raises(ValueError, match=r"peak is what the machine does at most in a second, \("):
        jaxviz.profile(jnp.sin, peak=peak)
