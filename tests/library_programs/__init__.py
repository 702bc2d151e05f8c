"""Programs of the libraries that people use, each as that library's documentation writes it.

`programs()` has them by name, and `authors.txt` what the author of each would say its parts are,
which was written before jaxviz had seen it. A library that is not installed is told by `lacking()`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Call = tuple[Any, tuple[Any, ...]]
"""A function, and the arguments of a call of it."""


def zeros(shapes: Any) -> Any:
    """Arrays of zeros for the shapes in a pytree. Parameters are made so, as `jax.eval_shape` of
    their initializer: nothing is compiled for them."""
    return jax.tree.map(_zero, shapes)


def _zero(leaf: Any) -> Any:
    if not isinstance(leaf, jax.ShapeDtypeStruct):
        return leaf
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return jax.random.key(0)
    return jnp.asarray(np.zeros(leaf.shape, leaf.dtype))


def made(init: Callable[..., Any], *args: Any) -> Any:
    """What `init(*args)` returns, with zeros in its arrays."""
    return zeros(jax.eval_shape(init, *args))


MODULES = (
    *("nnx_models", "linen_models", "equinox_models", "haiku_models", "keras_models"),
    *("penzai_models", "pytree_models", "optax_chains", "loops_of_steps", "simulations"),
    *("sampling_models", "solvers"),
)


@cache
def loaded() -> tuple[dict[str, Callable[[], Call]], dict[str, str]]:
    """The programs by name, and the modules whose library is not here, each with the reason."""
    found: dict[str, Callable[[], Call]] = {}
    missing: dict[str, str] = {}
    for name in MODULES:
        try:
            module = importlib.import_module(f".{name}", __package__)
        except ImportError as error:
            missing[name] = str(error)
        else:
            found |= {make.__name__: make for make in module.PROGRAMS}
    return found, missing


def programs() -> dict[str, Callable[[], Call]]:
    return loaded()[0]


def lacking() -> dict[str, str]:
    return loaded()[1]
