"""One process of a job whose processes compare their programs. It is run as a script with its
number, how many there are and the port of the first; it prints what `agree` says of each case and
how many seconds after the last arrival, as JSON. In each the last process holds what its name says;
to the last case it comes once all others went on."""

from __future__ import annotations

import json
import sys
import threading
from time import time
from typing import Any

import jax
import jax.numpy as jnp

import jaxviz
from jaxviz.capture._jax import coordination

CASES = (
    *("same", "op", "shape", "static", "order", "turned", "branch", "name", "constant", "late"),
    *("apart", "silent"),
)
LATE_TURNS = 4
FACTORS = [[1.0, 2.0], [3.0, 4.0]]


def step(w: Any, x: Any, turns: int, odd: bool = False) -> Any:
    if turns == LATE_TURNS and jax.process_index() == jax.process_count() - 1:
        threading.Event().wait(2.5)  # as a function that takes long to trace
    y = jnp.tanh(x @ w)
    if odd:
        y = y * 3.0
    for _ in range(turns):
        y = jnp.sin(y)
    return y.sum()


def product(given: Any) -> Any:
    return given["a"] @ given["b"]


def branching(x: Any) -> Any:
    if jax.process_index() == jax.process_count() - 1:
        x = x * 5.0
    return jnp.sin(x)


def program_of(case: str, is_last: bool) -> jaxviz.Program:
    if case == "order":
        keys = ["b", "a"] if is_last else ["a", "b"]
        return jaxviz.inspect(product)({key: jnp.ones((2, 2)) for key in keys})
    if case == "turned":  # as the order of a set
        steps = [jnp.cos, jnp.sin] if is_last else [jnp.sin, jnp.cos]
        return jaxviz.inspect(lambda x: steps[1](steps[0](x)))(1.0)
    if case == "branch":
        return jaxviz.inspect(branching)(1.0)
    if case == "constant":
        held = jnp.array(FACTORS) * (2.0 if is_last else 1.0)
        return jaxviz.inspect(lambda x: x @ held)(jnp.ones((2, 2)))

    def another(w: Any, x: Any, turns: int, odd: bool = False) -> Any:
        return step(w, x, turns, odd)

    fun = another if case == "name" and is_last else step
    rows = 5 if case == "shape" and is_last else 4
    rows += jax.process_index() if case == "apart" else 0
    turns = 3 if case == "static" and is_last else LATE_TURNS if case == "late" else 2
    statics = ("turns", "odd")
    given = jnp.ones((3, 3)), jnp.ones((rows, 3))
    odd = case == "op" and is_last
    program = jaxviz.inspect(fun, static_argnames=statics)(*given, turns=turns, odd=odd)
    if case == "late" and is_last:
        program.stage("hlo")
    return program


def said(case: str, is_last: bool) -> tuple[str, float]:
    """The report of `agree`, and the seconds between it and the arrival of the last process."""
    program, timeout = program_of(case, is_last), 3.0 if case == "silent" else 120.0
    if case == "silent" and not is_last:
        program.stage("stablehlo")  # so that no process of a busy machine comes 3 s after another
        all_but_the_last("have lowered it")
    try:
        found = jaxviz.agree(program, timeout)
    except jaxviz.AgreementError as error:
        found = error.agreement
    return str(found), time() - max(one.came for one in found.processes)


def all_but_the_last(what: str) -> None:
    """Waits until all processes but the last did something."""
    client, count = coordination()[0], jax.process_count()
    client.key_value_set(f"{what}/{jax.process_index()}", "")
    for index in range(count - 1):
        client.blocking_key_value_get(f"{what}/{index}", 120_000)  # ms


def main(index: int, count: int, port: int) -> None:
    jax.config.update("jax_platforms", "cpu")
    jax.distributed.initialize(f"127.0.0.1:{port}", count, index)
    jax.devices()  # waits for all processes
    is_last = index == count - 1
    found = {case: said(case, is_last) for case in (CASES[:-1] if is_last else CASES)}
    coordination()[0].wait_at_barrier("all but the last went on", 120_000)  # ms
    if is_last:
        found["behind"] = said("silent", is_last)
    print(json.dumps(found), flush=True)
    jax.distributed.shutdown()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
