"""The uses of the package that `interrupts.py` interrupts."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from interrupts import Tool

import jaxviz

W, X = jnp.ones((3, 2)), jnp.ones((4, 3))
FOLDER = tempfile.mkdtemp()


def loss(w: Any, x: Any) -> Any:
    hidden = jnp.tanh(x @ w)
    return hidden.sum()


def log_of_x(x: Any) -> Any:
    return jnp.log(x - 1).sum()


def watch() -> None:
    scaled = jax.jit(lambda x, n: x * n, static_argnums=1)
    with jaxviz.watch(hits=True) as log:
        for size, times in ((3, 3), (4, 2)):
            scaled.trace(jnp.ones(size), times)
        for _ in range(3):
            scaled(jnp.ones(3), 2)
    str(log)


def profiled_watch() -> None:
    with jaxviz.watch(profile=True) as log:
        LOSS(W, X).block_until_ready()
    str(log)


LOSS = jax.jit(loss)


def inspect() -> None:
    jaxviz.inspect(jax.grad(loss))(W, X)


def display() -> None:
    program = jaxviz.inspect(jax.grad(loss))(W, X)
    program._repr_mimebundle_()
    program.save(Path(FOLDER) / "program.svg")


def explain() -> None:
    try:
        jax.jit(lambda x: x if x > 0 else -x)(1.0)
    except jax.errors.TracerBoolConversionError as error:
        str(jaxviz.explain(error))


def compare() -> None:
    before = jaxviz.inspect(loss)(W, X)
    jaxviz.compare(before, jaxviz.inspect(lambda w, x: loss(w, x) * 2)(W, X)).same  # noqa: B018


def find_nan() -> None:
    str(jaxviz.find_nan(log_of_x)(jnp.zeros(3)))


def timeit() -> None:
    str(jaxviz.timeit(loss, seconds=0)(W, X))


def profile() -> None:
    str(jaxviz.profile(loss, repeats=2)(W, X))


def steps() -> None:
    str(jaxviz.steps(loss)(W, X))


CELL = """
scaled = jax.jit(lambda x, n: x * n, static_argnums=1)
for size, times in ((3, 3), (4, 2)):
    scaled.trace(jnp.ones(size), times)
for _ in range(3):
    scaled(jnp.ones(3), 2)
"""


@cache
def shell() -> Any:
    from shells import SETUP, fresh

    running = fresh(SETUP)
    KEPT.append(running)
    return next(running)


KEPT: list[Any] = []


def cells(*codes: str) -> None:
    """Runs cells. Raises KeyboardInterrupt if one of them shows it."""
    from shells import Run

    runs = [Run(shell(), code) for code in codes]
    if any("KeyboardInterrupt" in run.out + run.err + repr(run.result) for run in runs):
        raise KeyboardInterrupt


def cell() -> None:
    cells(f"%%jaxviz --hits\n{CELL}")


def cells_on() -> None:
    cells("%jaxviz on", CELL, "%jaxviz off")


def off() -> None:
    cells("%jaxviz off")


TOOLS: dict[str, Callable[[], None]] = {
    use.__name__: use
    for use in (
        watch,
        cell,
        cells_on,
        profiled_watch,
        inspect,
        display,
        explain,
        compare,
        find_nan,
        timeit,
        profile,
        steps,
    )
}


def tool(name: str) -> Tool:
    return Tool(TOOLS[name], off if name in ("cell", "cells_on") else lambda: None)
