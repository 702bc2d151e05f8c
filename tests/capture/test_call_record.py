"""Arguments, constants and results of a call have the names of the user's code."""

from __future__ import annotations

import functools
import gc
import weakref
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import pytest
from test_capture import in_another_process

import jaxviz
from jaxviz import schema

가중치 = jnp.ones((4, 4))
TABLE = {"scale": jnp.full(4, 2.0), "shift": jnp.zeros(4)}
PARAMS = {"w": jnp.ones((4, 4)), "b": jnp.zeros(4)}
X = jnp.ones(4)
NEW_PARAMS = ["params['b'] (new)", "params['w'] (new)"]


class State(NamedTuple):
    params: Any
    step: Any


def call_of(fun: Any, *args: Any, **kwargs: Any) -> schema.Call:
    call = jaxviz.inspect(fun)(*args, **kwargs).record.stages[0].call
    assert call is not None
    return call


def loss(params, x):
    error = jnp.tanh(x @ params["w"] + params["b"])
    return error.sum()


def step(params, x):
    value, grads = jax.value_and_grad(loss)(params, x)
    params = jax.tree.map(jnp.subtract, params, grads)
    return params, value


def unnamed(params, x):
    return jax.tree.map(lambda p: p * x[0], params), loss(params, x)


def updated(params, x):
    """Returns the new parameters without a name: what is subtracted from them makes them."""
    grads = jax.grad(loss)(params, x)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss(params, x)


def short(params, x):
    new = jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params, x))
    return new, x


def gradients(params, x):
    """Gradients have the keys and types of the parameters, but do not replace them."""
    return jax.grad(loss)(params, x), x + 1


def square_gradients(params, x):
    """The sum of two terms that are proportional to the parameters replaces nothing."""
    return jax.grad(lambda p: sum((w**2).sum() + (w**3).sum() for w in p.values()))(params)


def untouched(params, x):
    return params, loss(params, x)


def renamed(params, x):
    new_params = jax.tree.map(lambda p: p - x[0], params)
    return new_params, x


def rebound(x, y):
    x = jnp.sin(x)
    y = y.sum()
    return x, y


def momentum(params, velocity, x):
    grads = jax.grad(loss)(params, x)
    velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, grads)
    return jax.tree.map(lambda p, v: p - v, params, velocity), velocity


def guarded(params, x):
    """Keeps the old parameters if the new ones are not finite."""
    new = jax.tree.map(lambda p, g: p - g, params, jax.grad(loss)(params, x))
    return jax.tree.map(lambda old, p: jnp.where(jnp.isfinite(p), p, old), params, new)


def looped(params, xs):
    return jax.lax.fori_loop(0, 3, lambda i, p: jax.tree.map(lambda w: w * xs[i], p), params)


def train_state(state, x):
    new = State(jax.tree.map(lambda p: p - x[0], state.params), state.step + 1)
    return new, x.sum()


def cached(cache, x):
    cache = jax.lax.dynamic_update_slice(cache, x[None], (0, 0))
    return cache, cache.sum()


def branches(x, twice=True):
    y, z = jnp.sin(x), jnp.cos(x)
    if twice:
        return y, z
    return y, x


def mapping(x):
    return {"값": jnp.sin(x), "rest": (x, {"deep": x + 1})}


def state(params, x):
    new = State(params, jnp.int32(1))
    return new, x


def generator_free(x):
    return (lambda a: a + 1)(x)


@pytest.mark.parametrize(
    ("fun", "args", "names"),
    [
        (step, (PARAMS, X), [*NEW_PARAMS, "value"]),
        (unnamed, (PARAMS, X), ["", "", ""]),
        (updated, (PARAMS, X), [*NEW_PARAMS, ""]),
        (short, (PARAMS, X), [*NEW_PARAMS, "x"]),
        (gradients, (PARAMS, X), ["", "", ""]),
        (square_gradients, (PARAMS, X), ["", ""]),
        (untouched, (PARAMS, X), ["params['b']", "params['w']", ""]),
        (renamed, (PARAMS, X), ["new_params['b']", "new_params['w']", "x"]),
        (rebound, (X, X), ["x (new)", "y"]),
        (
            momentum,
            (PARAMS, PARAMS, X),
            [*NEW_PARAMS, "velocity['b'] (new)", "velocity['w'] (new)"],
        ),
        (guarded, (PARAMS, X), NEW_PARAMS),
        (looped, (PARAMS, X), NEW_PARAMS),
        (
            train_state,
            (State(PARAMS, jnp.int32(0)), X),
            ["state.params['b'] (new)", "state.params['w'] (new)", "state.step (new)", ""],
        ),
        (cached, (jnp.ones((4, 4)), X), ["cache (new)", ""]),
        (branches, (X,), ["y", ""]),
        (mapping, (X,), ["rest[0]", "rest[1]['deep']", "값"]),
        (state, (PARAMS, X), ["new.params['b']", "new.params['w']", "new.step", "x"]),
        (generator_free, (X,), [""]),
        (lambda x: x + 1, (X,), [""]),
        (jax.grad(loss), (PARAMS, X), ["∂params['b']", "∂params['w']"]),
        (
            jax.jit(jax.grad(loss, argnums=(1, 0))),
            (PARAMS, X),
            ["∂x", "∂params['b']", "∂params['w']"],
        ),
        (jax.value_and_grad(loss), (PARAMS, X), ["loss", "∂params['b']", "∂params['w']"]),
        (jax.value_and_grad(lambda x: (x**2).sum()), (X,), ["", "∂x"]),
        (jax.vmap(branches, in_axes=0), (X,), ["y", ""]),
        (jax.hessian(lambda x: (x**2).sum()), (X,), [""]),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_results_are_called_as_the_return_statement_calls_them(fun, args, names) -> None:
    assert call_of(fun, *args).results == names


def test_constants_have_the_variables_names() -> None:
    bias = jnp.zeros(4)

    def inner(x):
        return x @ 가중치 + bias

    def outer(x):
        return inner(x) * TABLE["scale"]

    record = jaxviz.inspect(outer)(X).record
    call = record.stages[0].call
    assert call is not None
    assert set(call.consts) == {"가중치", "bias", "TABLE['scale']"}


def test_donated_and_fixed_arguments_are_known() -> None:
    @functools.partial(jax.jit, static_argnames="mode", donate_argnums=0)
    def update(params, x, mode):
        return jax.tree.map(lambda p: p * x.sum(), params) if mode == "train" else params

    call = call_of(update, PARAMS, X, mode="train")
    assert call.donated == [0, 1]
    assert call.fixed == [schema.Fixed(path="mode", text="'train'", kind="static")]


def test_a_donation_that_jax_drops_is_known() -> None:
    def step(state, x):
        return {"w": state["w"] + x, "b": x * 2}

    donating = functools.partial(jax.jit, step, donate_argnames="state")
    state = {"b": X, "w": X}
    assert call_of(donating(), state, X).lost == (0,)
    assert call_of(donating(keep_unused=True), state, X).lost == ()
    lost: Any = donating()
    with jax.debug_nans(True):
        assert call_of(lost, state, X).donated == []
    assert call_of(lost, state, X).lost == (0, 1)
    lost.clear_cache()
    assert call_of(lost, state, X).donated == [0, 1]
    with jax.debug_nans(True):
        assert call_of(jax.jit(step), state, X).lost == ()


class Hostile:
    """Whose attributes must not be asked for."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


HOSTILE = Hostile()


def test_nothing_of_the_users_runs() -> None:
    def fun(x):
        return x * 가중치[0] if isinstance(HOSTILE, Hostile) else x

    assert call_of(fun, X).results == [""]


@functools.partial(jax.jit, static_argnames="mode", donate_argnums=0)
def train(params, x, unused, mode):
    value, grads = jax.value_and_grad(loss)(params, x)
    params = jax.tree.map(jnp.subtract, params, grads)
    return params, value * 2 if mode == "eval" else value


RETURNED = [*NEW_PARAMS, ""]


@pytest.mark.parametrize("kind", ["stablehlo", "hlo"])
def test_later_stages_are_called_as_the_jaxpr_is(kind) -> None:
    stage = jaxviz.inspect(train)(PARAMS, X, X, mode="train").stage(kind)
    graph = stage.graphs[0]
    assert stage.call is not None
    assert graph.args == ("params['b']", "params['w']", "x")
    assert len(graph.outvars) == 3
    assert stage.call.results == RETURNED
    assert stage.call.donated == [0, 1]
    assert stage.call.fixed == [schema.Fixed(path="mode", text="'train'", kind="static")]


def test_a_later_stage_without_results_returns_none() -> None:
    graph = jaxviz.inspect(lambda x: ())(X).stage("hlo").graphs[0]
    assert (graph.outvars, graph.results) == ((), ())


def test_two_programs_as_one_have_the_arguments_of_both() -> None:
    before, after = (jaxviz.inspect(train)(PARAMS, X, X, mode=mode) for mode in ("train", "eval"))
    record = jaxviz.compare(before, after).record
    call = record.stages[0].call
    assert call is not None
    assert call.results == RETURNED
    assert call.donated == [0, 1]
    assert [one.text for one in call.fixed] == ["'train' → 'eval'"]
    assert record.fixed == call.fixed
    same = jaxviz.compare(after, after)
    assert same.same
    assert [one.text for one in same.record.fixed] == ["'eval'"]


def test_arguments_that_only_one_of_two_programs_has_are_reported() -> None:
    before = jaxviz.inspect(lambda x, axis: x.sum(axis), static_argnames="axis")(X, axis=0)
    after = jaxviz.inspect(lambda x: x.sum())(X)
    record = jaxviz.compare(before, after).record
    assert [(one.path, one.text) for one in record.fixed] == [("axis", "0 → absent")]


def test_nothing_is_reported_of_arguments_where_one_program_does_not_report_its_own() -> None:
    before = jaxviz.inspect(train.trace(PARAMS, X, X, mode="train"))
    after = jaxviz.inspect(train)(PARAMS, X, X, mode="eval")
    record = jaxviz.compare(before, after).record
    assert record.fixed == []
    assert record.stages[0].call is None


@jax.jit
def outer(x):
    return inner(x, x, "b")[0] * 2


@functools.partial(jax.jit, static_argnums=2)
def inner(x, y, kind):
    total, rest = x + y, 가중치[0] if kind == "b" else 1
    return total, rest


def watched(number: int, log: jaxviz.Log) -> schema.Program:
    [*traces] = (event.number for event in log.events if event.kind == "trace")
    program = log.program(traces[number])
    assert program is not None
    return program.record


def test_a_watched_program_is_called_as_a_captured_one() -> None:
    jax.clear_caches()
    with jaxviz.watch() as log:
        train(jax.tree.map(jnp.copy, PARAMS), X, X, mode="train")
    record = watched(0, log)
    captured = jaxviz.inspect(train)(PARAMS, X, X, mode="train")
    assert record.stages[0].call == captured.record.stages[0].call
    assert record.fixed == captured.fixed


def test_a_program_that_was_looked_at_before_is_called_as_the_user_called_it() -> None:
    jax.clear_caches()
    with jaxviz.watch() as log:
        jaxviz.inspect(train)(PARAMS, X, X, mode="eval")
        train(jax.tree.map(jnp.copy, PARAMS), X, X, mode="eval")
    call = watched(0, log).stages[0].call
    assert call is not None
    assert [one.text for one in call.fixed] == ["'eval'"]
    assert call.donated == [0, 1]


def test_a_function_within_another_has_its_own_names() -> None:
    jax.clear_caches()
    with jaxviz.watch() as log:
        outer(X)
    call = watched(0, log).stages[0].call
    assert call is not None
    assert call.results == ["total", "rest"]
    assert [(one.path, one.text) for one in call.fixed] == [("kind", "'b'")]


def test_a_watched_call_holds_nothing_of_the_users() -> None:
    def called() -> weakref.ref[Any]:
        bias = jnp.ones(4)
        fun = jax.jit(lambda x: x + bias)
        fun(X)
        call = watched(0, log).stages[0].call
        assert call is not None
        assert call.consts == ["bias"]
        return weakref.ref(bias)

    with jaxviz.watch() as log:
        held = called()
    jax.clear_caches()
    gc.collect()
    assert held() is None


def test_shardings_passed_to_jit_are_known() -> None:
    flags = "--xla_force_host_platform_device_count=8"
    assert in_another_process(SHARDED, XLA_FLAGS=flags).splitlines() == [
        """["P('data', None)", '', "P('data')", '']""",
        """["P('data', None)", '', '', '']""",
        """["P('data', None)", '', "P('data')", '']""",
    ]


SHARDED = """
import jax, jax.numpy as jnp, jaxviz
from jax.sharding import AxisType, NamedSharding, PartitionSpec

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))
split = lambda *spec: NamedSharding(mesh, PartitionSpec(*spec))
fun = jax.jit(
    lambda params, x: (params["w"] @ x, x.sum()),
    in_shardings=({"w": split("data", None)}, split()),
    out_shardings=(split("data"), None),
)
args = {"w": jnp.ones((8, 8))}, jnp.ones(8)
with jaxviz.watch() as log:
    fun(*args)
program = jaxviz.inspect(fun)(*args)
[trace] = [event.number for event in log.events if event.kind == "trace"]
print(program.record.stages[0].call.shardings)
print(log.program(trace).record.stages[0].call.shardings)
print(jaxviz.compare(program, program).record.stages[0].call.shardings)
"""
