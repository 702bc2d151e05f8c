"""The report on a program that needs more memory than there is."""

from __future__ import annotations

import jax
import pytest

import jaxviz
from jaxviz.capture.tracing.card import largest_of


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("RESOURCE_EXHAUSTED: Out of memory allocating 4398046511104 bytes.", 2**42),
        (
            "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4.00TiB with allocator",
            2**42,
        ),
        ("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 99.61GiB.", 106955423089),
        ("RESOURCE_EXHAUSTED: Out of memory.", None),
    ],
)
def test_how_much_xla_asked_for_is_read_as_a_cpu_and_a_gpu_write_it(
    message: str, asked: int | None
) -> None:
    stage = jaxviz.inspect(lambda x: jax.numpy.sin(x) + 1.0)(1.0).stage("jaxpr")
    found = largest_of(stage, RuntimeError(message), stage.frames[0])
    assert found is not None
    assert found.asked == asked
