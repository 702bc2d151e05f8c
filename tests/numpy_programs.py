"""Random programs, run by JAX and by NumPy, eqn by eqn.

A program is a list of steps. In JAX each is one eqn; in NumPy each leaves its values, by the path
of the step, for all the times that it runs.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

ONES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "sin": (lax.sin, np.sin),
    "log": (lax.log, np.log),
    "sqrt": (lax.sqrt, np.sqrt),
    "exp": (lax.exp, np.exp),
    "neg": (lax.neg, np.negative),
    "abs": (lax.abs, np.abs),
    "floor": (lax.floor, np.floor),
    "cumsum": (lax.cumsum, np.cumsum),
}
TWOS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "add": (lax.add, np.add),
    "mul": (lax.mul, np.multiply),
    "div": (lax.div, np.divide),
    "max": (lax.max, np.maximum),
}


class Step(NamedTuple):
    """One eqn: its operands are earlier values, counted back from the last."""

    op: str
    operands: tuple[int, ...]
    bodies: tuple[list[Step], ...] = ()
    turns: int = 0


def made(rng: random.Random, depth: int = 0) -> list[Step]:
    steps: list[Step] = []
    for at in range(rng.randint(1, 6)):
        operands = rng.randint(1, at + 1), rng.randint(1, at + 1)
        kinds = [*ONES, *TWOS, *([] if depth == 2 else ["scan", "while", "cond", "jit"])]
        op = rng.choice(kinds)
        held = {"scan": 1, "while": 1, "jit": 1, "cond": 2}.get(op, 0)
        bodies = tuple(made(rng, depth + 1) for _ in range(held))
        steps.append(Step(op, operands, bodies, rng.randint(0, 4)))
    return steps


def in_jax(steps: list[Step], x: Any) -> Any:
    values = [x]
    for step in steps:
        x, y = (values[-back] for back in step.operands)
        values.append(_in_jax(step, x, y))
    return values[-1]


def _in_jax(step: Step, x: Any, y: Any) -> Any:
    op, bodies, turns = step.op, step.bodies, step.turns
    if op in ONES:
        return ONES[op][0](x)
    if op in TWOS:
        return TWOS[op][0](x, y)
    runs = [lambda value, body=body: in_jax(body, value) for body in bodies]
    if op == "jit":
        return jax.jit(runs[0])(x)
    if op == "scan":
        return lax.scan(lambda carry, _: (runs[0](carry), None), x, None, turns)[0]
    if op == "while":
        state = 0, x
        turn = lambda state: (state[0] + 1, runs[0](state[1]))  # noqa: E731
        return lax.while_loop(lambda state: state[0] < turns, turn, state)[1]
    return lax.cond(jnp.int32(turns) > 1, *runs[::-1], x)


Left = dict[tuple[int, ...], list[np.ndarray[Any, Any]]]


def in_numpy(steps: list[Step], x: Any, left: Left, path: tuple[int, ...] = ()) -> Any:
    """The last value; in `left` the values of each step by its path, which has the number of each
    step, and of each body, on the way."""
    values = [x]
    for number, step in enumerate(steps):
        here = (*path, number)
        x, y = (values[-back] for back in step.operands)
        values.append(_in_numpy(step, x, y, left, here))
        left.setdefault(here, []).append(values[-1])
    return values[-1]


class Truth(NamedTuple):
    """The truth about the values of a step."""

    largest: float | None
    nan: int
    inf: int


def truths(steps: list[Step], x: Any) -> dict[tuple[int, ...], Truth | None]:
    """The truth about each step that ran, by its path. None if it depends on rounding: if the
    program runs differently on an input that is one in a million larger or smaller."""
    runs: list[Left] = [{}, {}, {}]
    for left, factor in zip(runs, (1, 1 + 1e-6, 1 - 1e-6), strict=True):
        in_numpy(steps, x * np.float32(factor), left)
    found = {path: [_truth(left[path]) for left in runs] for path in runs[0]}
    return {path: of[0] if _agree(of) else None for path, of in found.items()}


def _truth(values: list[np.ndarray[Any, Any]]) -> Truth:
    held = np.array(values)
    finite = np.abs(held[np.isfinite(held)])
    largest = float(finite.max()) if finite.size else None
    return Truth(largest, int(np.isnan(held).sum()), int(np.isinf(held).sum()))


def _agree(truths: list[Truth]) -> bool:
    largest = [truth.largest or 0.0 for truth in truths]
    return len({truth[1:] for truth in truths}) == 1 and max(largest) <= min(largest) * 1.001


def _in_numpy(step: Step, x: Any, y: Any, left: Left, here: tuple[int, ...]) -> Any:
    op, bodies, turns = step.op, step.bodies, step.turns
    with np.errstate(all="ignore"):
        if op in ONES:
            return ONES[op][1](x)
        if op in TWOS:
            return TWOS[op][1](x, y)
    if op == "jit":
        return in_numpy(bodies[0], x, left, (*here, 0))
    if op == "cond":
        chosen = int(turns > 1)
        return in_numpy(bodies[chosen], x, left, (*here, chosen))
    for _ in range(turns):
        x = in_numpy(bodies[0], x, left, (*here, 0))
    return x
