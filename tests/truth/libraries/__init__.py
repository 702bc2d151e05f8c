"""Programs of the libraries that people use, each as that library's documentation writes it.

`programs()` has them by name, and `authors.txt` what the author of each would say its parts are,
which was written before jaxviz had seen it. `lacking()` says which libraries are not installed.

    python -m tests.truth.libraries              where jaxviz says something else, and the score
    python -m tests.truth.libraries nnx keras    of the programs with these letters in their names
    pytest tests/analysis/test_library_programs.py --update-golden      tests/golden/names.txt anew
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
    if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return jax.random.key(0)
    return jnp.asarray(np.zeros(leaf.shape, leaf.dtype))


def made(init: Callable[..., Any], *args: Any) -> Any:
    """The result of `init(*args)`, with zeros in its arrays."""
    return zeros(jax.eval_shape(init, *args))


MODULES = {
    "nnx_models": "Flax NNX",
    "linen_models": "Flax linen",
    "equinox_models": "Equinox",
    "haiku_models": "Haiku",
    "keras_models": "Keras",
    "penzai_models": "Penzai",
    "pytree_models": "plain pytrees",
    "optax_chains": "Optax",
    "loops_of_steps": "loops of steps",
    "simulations": "no training",
    "sampling_models": "NumPyro, BlackJAX",
    "solvers": "Diffrax, Optimistix",
    "later_linen": "Flax linen",
    "later_nnx": "Flax NNX",
    "later_equinox": "Equinox",
    "later_haiku": "Haiku",
    "later_pytrees": "plain pytrees",
    "held_out": "held out",
    "held_out_samplers": "held out: Penzai, NumPyro, BlackJAX",
    "held_out_later": "held out later",
}
"""The modules, each with what it is counted as."""


@cache
def loaded() -> tuple[dict[str, Callable[[], Call]], dict[str, str]]:
    """The programs by name, and of the libraries that are not here the reason."""
    found: dict[str, Callable[[], Call]] = {}
    missing: dict[str, str] = {}
    for name in MODULES:
        try:
            module = importlib.import_module(f".{name}", __package__)
        except ImportError as error:
            missing[MODULES[name]] = str(error)
        else:
            found |= {make.__name__: make for make in module.PROGRAMS}
    return found, missing


def programs() -> dict[str, Callable[[], Call]]:
    return loaded()[0]


def lacking() -> dict[str, str]:
    return loaded()[1]


def library(name: str) -> str:
    """The library that a program counts for."""
    return MODULES[programs()[name].__module__.rpartition(".")[2]]
