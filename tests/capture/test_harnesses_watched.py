"""JAX's own harnesses, run plain and within a watch: the same results, the same exceptions.

The archives of JAX that package registries have hold none of its tests; these harnesses, which are
part of the package, stand in for them.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest
from test_harnesses import HARNESSES, _enable_x64

import jaxviz

EVERY = 24
"""One of this many harnesses runs: neighbours differ little."""


def outcome(harness: Any) -> tuple[str, list[Any]]:
    """The outcome of a call: the class and message of an exception, or the bytes of results."""
    arguments = harness.dyn_args_maker(np.random.RandomState(0))

    def body(*args: Any) -> Any:
        return harness.dyn_fun(*args)

    try:
        results = jax.tree.leaves(jax.jit(body)(*arguments))
    except Exception as error:
        return type(error).__name__, [str(error).partition("0x")[0]]
    return "", [_bytes(one) for one in results]


def _bytes(value: Any) -> tuple[Any, ...]:
    if jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):  # pyright: ignore[reportPrivateImportUsage]
        value = jax.random.key_data(value)
    found = np.asarray(value)
    return found.shape, str(found.dtype), found.tobytes()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("chunk", range(4))
def test_harnesses_within_a_watch(chunk: int) -> None:
    chosen = HARNESSES[chunk * EVERY // 4 :: EVERY]
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else _enable_x64():
        for harness in chosen:
            plain = outcome(harness)
            with jaxviz.watch() as log:
                watched = outcome(harness)
            assert watched == plain, harness.fullname
            traces = [event for event in log.events if event.kind == "trace"]
            assert [event.name for event in traces][-1:] == ["body"], harness.fullname
    print(f"{len(chosen)} harnesses, of {len(HARNESSES)}")
