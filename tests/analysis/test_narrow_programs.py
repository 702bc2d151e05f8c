"""Programs of libraries whose arguments are bfloat16: what is said of values that become float32.

Of 83 such programs these had an upcast or an unlike layer at first. Each note below was read:
random numbers and times made without a dtype are float32. The others are near misses: sums of a
softmax or of an optimizer, and a line that calls several layers.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest
from truth.findings import kind_and_level
from truth.libraries import lacking, programs

import jaxviz

TRUE = {
    "linen_vae": ["upcast, a note"],
    "linen_retnet": ["upcast, a note"],
    "equinox_vae": ["upcast, a note"],
    "equinox_diffusion": ["upcast, a note"],
}
NEAR_MISSES = ("nnx_train_step", "linen_cached_decode", "held_haiku_transformer")


def narrow(leaf: object) -> object:
    dtype = getattr(leaf, "dtype", None)
    if dtype is None or not jnp.issubdtype(dtype, jnp.floating):
        return leaf
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return jax.ShapeDtypeStruct(leaf.shape, jnp.bfloat16)
    return jnp.asarray(leaf).astype(jnp.bfloat16)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*TRUE, *NEAR_MISSES])
def test_wide_values_of_a_narrow_program(name: str) -> None:
    if name not in programs():
        pytest.skip(f"not installed: {lacking()}")
    fun, args = programs()[name]()
    program = jaxviz.inspect(fun)(*jax.tree.map(narrow, args))
    said = [kind_and_level(one) for one in program.findings if one.kind in ("upcast", "unlike")]
    assert said == TRUE.get(name, [])
