"""Random calls of one function within another, each under its own transformation. No report
has a change in the wrong direction, even if JAX keeps no order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import jaxviz

Fun = Callable[[Any], Any]


def scalar(fun: Fun) -> Fun:
    return lambda x: fun(x).sum()


TRANSFORMED: dict[str, Callable[[Fun, Any], Any]] = {
    "none": lambda fun, x: fun(x),
    "jit": lambda fun, x: jax.jit(fun)(x),
    "grad": lambda fun, x: jax.grad(scalar(fun))(x),
    "jvp": lambda fun, x: jax.jvp(fun, (x,), (x,))[1],
    "vjp": lambda fun, x: jax.vjp(fun, x)[0],
    "linearize": lambda fun, x: jax.linearize(fun, x)[1](x),
    "hessian": lambda fun, x: jax.hessian(scalar(fun))(x).sum(1),
    "checkpoint": lambda fun, x: jax.checkpoint(fun)(x),
    "grad of checkpoint": lambda fun, x: jax.grad(scalar(jax.checkpoint(fun)))(x),
    "vmap": lambda fun, x: jax.vmap(fun)(jnp.stack([x, x])).sum(0),
    "scan": lambda fun, x: jax.lax.scan(lambda c, _: (fun(c), None), x, length=2)[0],
    "cond": lambda fun, x: jax.lax.cond(x.sum() > 0, fun, lambda y: y, x),
    "fori_loop": lambda fun, x: jax.lax.fori_loop(0, 2, lambda _, y: fun(y), x),
}
AROUND = ("none", "grad", "vmap", "jvp", "scan")


class Call(NamedTuple):
    transformed: str
    size: int
    static: int


CALLS = st.builds(
    Call,
    transformed=st.sampled_from(sorted(TRANSFORMED)),
    size=st.sampled_from([4, 6]),
    static=st.integers(0, 2),
)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@example([Call("grad", 6, 1), Call("jit", 4, 0), Call("checkpoint", 6, 1)], "none", True)
@example([Call("grad", 4, 2), Call("vjp", 6, 0), Call("fori_loop", 4, 2)], "none", True)
@given(st.lists(CALLS, min_size=3, max_size=6), st.sampled_from(AROUND), st.booleans())
def test_no_change_is_reported_the_wrong_way_round(
    calls: list[Call], around: str, jitted: bool
) -> None:
    ran: list[tuple[str, str]] = []

    @partial(jax.jit, static_argnames="n")
    def inner(x: Any, n: int) -> Any:
        ran.append((f"f32[{x.size}]", str(n)))
        return jnp.sin(x) * n

    def part(x: Any, call: Call) -> Any:
        resized = jnp.resize(x, (call.size,))
        return TRANSFORMED[call.transformed](lambda y: inner(y, n=call.static), resized).sum()

    def outer(x: Any) -> Any:
        return x * sum(part(x, call) for call in calls)

    def whole(x: Any) -> Any:
        return TRANSFORMED[around](outer, x)

    with jaxviz.watch() as log:
        (jax.jit(whole) if jitted else whole)(jnp.ones(4))
    traces = [event for event in log.events if (event.name, event.kind) == ("inner", "trace")]
    assert len(traces) == len(ran)
    pairs = [*combinations(ran, 2)]
    for change in [change for event in traces[1:] for change in event.reason]:
        place = {"shape": 0, "static": 1}.get(change.kind)
        if place is not None:
            told = change.before, change.after
            assert told in {(old[place], new[place]) for old, new in pairs}, (change, ran)
