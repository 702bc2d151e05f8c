"""Cases in which a wrong reason of a retrace is likely.

Two functions look the same, something changed that is not part of the key of JAX's caches, or
changes came in an unusual order.
"""

from __future__ import annotations

import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxviz
from jaxviz.analysis.retraces import history
from jaxviz.schema import Event
from jaxviz.session import Log

pytestmark = pytest.mark.usefixtures("session")


def told(log: Log, kind: str = "trace") -> list[tuple[str, list[tuple[str, str]]]]:
    """The events of a kind, by name, with the kinds and places of their changes."""
    return [(event.name, changes(event)) for event in log.events if event.kind == kind]


def changes(event: Event) -> list[tuple[str, str]]:
    return [(change.kind, change.where) for change in event.reason]


FIRST = [("first", "")]
AGAIN = [("function", "")]


def test_functions_of_one_line_are_distinguished_by_their_code() -> None:
    double, triple = jax.jit(lambda x: x * 2), jax.jit(lambda x: x * 3)
    with jaxviz.watch() as log:
        double(jnp.ones(3))
        triple(jnp.ones(3))
    assert told(log) == [("<lambda>", FIRST), ("<lambda>", FIRST)]
    assert log.retraces == 0


def test_code_that_was_edited_is_another_function() -> None:
    def loaded(source: str) -> Any:
        names: dict[str, Any] = {}
        exec(compile(source, "edited.py", "exec"), names)
        return jax.jit(names["step"])

    with jaxviz.watch() as log:
        for operator in "*+*":
            loaded(f"def step(x):\n    return x {operator} 2")(jnp.ones(3))
    assert told(log) == [("step", FIRST), ("step", FIRST), ("step", AGAIN)]


def test_a_jit_of_a_jitted_function_is_another_function() -> None:
    @jax.jit
    def step(x):
        return x * 2

    with jaxviz.watch() as log:
        step(jnp.ones(3))
        jax.jit(step)(jnp.ones(3))
        jax.make_jaxpr(step)(jnp.ones(3))
    assert [changes for _, changes in told(log)][:2] == [FIRST, FIRST]
    assert ("step", AGAIN) not in told(log)


def test_what_is_rematerialized_is_traced_once() -> None:
    traced: list[tuple[int, ...]] = []

    @jax.checkpoint
    @jax.jit
    def loss(x):
        traced.append(x.shape)
        return jnp.sin(x).sum()

    with jaxviz.watch() as log:
        jax.grad(loss)(jnp.ones(3))
        jax.grad(loss)(jnp.ones(4))
    found = [changes for name, changes in told(log) if name == "loss"]
    assert found == [FIRST, [("shape", "x")]]
    assert len(traced) == 2


def test_traces_within_another_come_in_their_order() -> None:
    @jax.jit
    def inner(x):
        return x * 2

    @jax.jit
    def outer(x):
        return sum(inner(x[:n]).sum() for n in (5, 2, 4, 1, 3))

    with jaxviz.watch() as log:
        outer(jnp.ones(5))
    last = [(change.before, change.after) for event in log.events for change in event.reason]
    shapes = [f"f32[{n}]" for n in (5, 2, 4, 1, 3)]
    assert [after for _, after in last if after] == shapes[1:]


@pytest.mark.parametrize(
    ("flag", "size", "reason"),
    [
        ("jax_debug_nans", 4, ("shape", "x")),
        ("jax_debug_infs", 4, ("shape", "x")),
        ("jax_enable_checks", 4, ("shape", "x")),
        ("jax_check_tracer_leaks", 4, ("shape", "x")),
        ("jax_use_direct_linearize", 3, ("config", "jax_use_direct_linearize")),
    ],
)
def test_a_flag_is_the_reason_only_where_it_is_part_of_the_key(
    flag: str, size: int, reason: tuple[str, str]
) -> None:
    @jax.jit
    def step(x):
        return x * 2

    before = getattr(jax.config, flag)
    with jaxviz.watch() as log:
        step(jnp.ones(3))
        jax.config.update(flag, not before)
        try:
            step(jnp.ones(size))
        finally:
            jax.config.update(flag, before)
    assert told(log) == [("step", FIRST), ("step", [reason])]


def test_a_mesh_that_is_entered_is_the_reason() -> None:
    @jax.jit
    def step(x):
        return x * 2

    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("data",))
    with jaxviz.watch() as log, warnings.catch_warnings(action="ignore"):
        step(jnp.ones(3))
        with mesh:
            step(jnp.ones(3))
    assert told(log)[1] == ("step", [("mesh", "")])
    (change,) = log.events[3].reason
    assert (change.before, change.after) == ("no mesh", "mesh data=1")


def test_a_method_is_made_again_wherever_it_is_named() -> None:
    class Model:
        def step(self, x):
            return x * 2

    model = Model()
    with jaxviz.watch() as log:
        jax.jit(model.step)(jnp.ones(3))
        jax.jit(model.step)(jnp.ones(3))
    assert told(log) == [("step", FIRST), ("step", AGAIN)]


def test_a_method_that_is_kept_is_one_function() -> None:
    class Model:
        def step(self, x):
            return x * 2

    model = Model()
    kept = [model.step, model.step]
    with jaxviz.watch() as log:
        jax.jit(kept[0])(jnp.ones(3))
        jax.jit(kept[1])(jnp.ones(4))
    assert told(log) == [("step", FIRST), ("step", [("shape", "x")])]


def test_options_of_the_compiler_are_the_reason() -> None:
    def step(x):
        return x * 2

    options = {"xla_cpu_enable_fast_math": True}
    with jaxviz.watch() as log:
        jax.jit(step)(jnp.ones(3))
        jax.jit(step, compiler_options=options)(jnp.ones(3))
    assert told(log, "compile")[1] == ("step", [("options", "compiler_options")])


def test_what_grad_lowers_of_a_function_is_compared_with_what_it_lowered_before() -> None:
    @jax.jit
    def loss(x):
        return jnp.sin(x).sum()

    with jaxviz.watch() as log:
        for size in (3, 4, 5):
            jax.grad(loss)(jnp.ones(size))
    kinds = [[kind for kind, _ in changes] for _, changes in told(log, "lower")]
    assert kinds == [["first"], ["first"], *[["shape"]] * 4]


def test_functions_that_are_remembered_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "REMEMBERED", 2)
    made = [jax.jit(eval(f"lambda x: x * {n}")) for n in range(4)]
    with jaxviz.watch() as log:
        for fun in made:
            fun(jnp.ones(3))
        made[3](jnp.ones(4))
        made[0](jnp.ones(4))
    assert [changes for _, changes in told(log)] == [*[FIRST] * 4, *[[("shape", "x")]], FIRST]


def test_a_cause_has_the_hints_of_all_its_values() -> None:
    step = jax.jit(lambda x: x * 2)
    with jaxviz.watch() as log:
        for x in (1.0, 1, np.float32(1), np.int32(1)):
            step(x)
    (cause,) = (one for one in log.causes if [c.kind for c in one.reason] == ["dtype"])
    assert cause.hint.text == "pass x as float every time; convert x to one dtype before the call"


def test_each_place_where_a_value_is_made_again_has_its_hint() -> None:
    apply = jax.jit(lambda x, f: f(x), static_argnums=1)
    with jaxviz.watch() as log:
        apply(1.0, lambda x: x + 1)
        for _ in range(2):
            apply(1.0, lambda x: x + 2)
        for _ in range(2):
            apply(1.0, lambda x: x + 3)
    hints = "; ".join(cause.hint.text for cause in log.causes)
    assert hints.count("is made again in") >= 2
