"""All places that say how often a function was made again say the same number."""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jaxviz
from jaxviz.display.live_log import is_worth_a_strip
from jaxviz.schema import Cause
from jaxviz.schema.signature import Op, Trace
from jaxviz.session.op_counts import OPS_SHOWN, OpCounts


def retraced() -> None:
    step = jax.jit(lambda x: x * 2)
    for size in (256, 1024, 64, 256, 8):
        step(jnp.ones(size))


def lowered_again() -> None:
    step = jax.jit(lambda x: x * 3)
    step(jnp.ones(3))
    step(jax.device_put(jnp.ones(3), jax.devices()[0]))


def both() -> None:
    retraced()
    lowered_again()


def made_anew() -> None:
    for _ in range(4):
        jax.jit(lambda x: x + 1)(jnp.ones(3))


pytestmark = pytest.mark.usefixtures("session")


@pytest.mark.parametrize(
    ("run", "expected"), [(retraced, 3), (lowered_again, 1), (both, 4), (made_anew, 3)]
)
def test_every_count_of_what_came_again_is_the_same(run: Any, expected: int) -> None:
    jax.clear_caches()
    with jaxviz.watch() as log:
        run()
    record = log.record()
    listed = [event for event in log.events if event.again and event.kind != "lower"]
    assert log.again == len(listed) == expected
    assert sum(cause.times for cause in record.causes if cause.kind != "lower") == expected
    assert all(sum_of(cause) == cause.times for cause in record.causes)
    assert is_worth_a_strip(log)
    printed = re.search(r"(\d+) retraces? among them", str(log))
    assert printed is not None
    assert (
        int(printed[1])
        == log.retraces
        == sum(row["again"] and row["kind"] == "trace" for row in log.records())
    )


def sum_of(cause: Cause) -> int:
    return sum(value.times for value in cause.values) + cause.others


def test_values_of_a_cause_are_bounded_and_counted() -> None:
    step = jax.jit(lambda x: x * 2)
    with jaxviz.watch() as log:
        for size in (*range(1, 31), 3):
            step.trace(jnp.ones(size))
    (cause,) = log.causes
    assert cause.times == 29
    assert len(cause.values) == 12
    assert cause.others == 17
    assert "and 25 more, the latest x: f32[29→30]" in str(log)
    assert cause.hint.text == "pad x to one of a few sizes"


def test_ops_are_reported_by_name_and_line_and_only_when_first_run() -> None:
    jax.clear_caches()
    with jaxviz.watch() as log:
        for size in (3, 4, 3):
            jnp.sin(jnp.arange(size) * 0.5)
    ops = {op.name: op for op in log.ops}
    assert ops["jnp.sin"].compiles == 2
    assert ops["jnp.sin"].site is not None
    assert ops["jnp.sin"].site.code == "jnp.sin(jnp.arange(size) * 0.5)"
    assert {"jnp.arange", "jnp.multiply"} <= ops.keys()
    assert sum(op.compiles for op in log.ops) == log.apart.compiles
    spans = ops["jnp.sin"].spans
    assert spans == sorted(spans)
    assert len(spans) in range(2, 13, 2), "one stretch or more, as the machine is fast or slow"
    assert "jnp.sin at tests/watch/test_counts_agree.py:" in str(log)
    with jaxviz.watch() as later:
        jnp.sin(jnp.arange(3) * 0.5)
    assert (later.ops, str(later)) == ([], "Nothing new was traced or compiled.")


def test_stretches_of_one_op_that_nearly_touch_are_one() -> None:
    ops = OpCounts()
    for start in (0.0, 1.0, 1.015, 1.04, 2.0):
        ops.add(Trace(kind="compile", start=start, seconds=0.01, op=Op("jnp.sin")))
    assert ops.rows()[0].spans == pytest.approx([0.0, 0.01, 1.0, 1.025, 1.04, 1.05, 2.0, 2.01])


def test_too_many_ops_are_summed_up() -> None:
    ops = OpCounts()
    for number in range(5_000):
        ops.add(Trace(kind="compile", start=float(number), seconds=1e-3, op=Op(f"op{number}")))
    rows = ops.rows()
    assert len(rows) == OPS_SHOWN
    assert sum(op.compiles for op in rows) == 5_000
    assert rows[-1].name.endswith("ops more")
    assert all(len(op.spans) <= 40 for op in rows)


def test_what_jax_traces_within_a_function_is_no_op() -> None:
    jax.clear_caches()
    x = jnp.ones(3)
    with jaxviz.watch() as log:
        jax.jit(lambda x: jnp.where(x > 0, jnp.sin(x), 0.0).sum())(x)
    assert log.ops == []
    assert "op by op" not in str(log).lower()
