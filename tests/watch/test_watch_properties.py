"""Random calls with random changes: each trace is an event, and its reason is what changed."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import jaxviz
from jaxviz.schema import Change
from jaxviz.session.session import Session


@dataclass(frozen=True)
class Call:
    """One call, by what may change from one to the next."""

    rows: int
    dtype: str
    number: str
    static: Any
    keyword: bool
    extra: str
    tree: str
    precision: str | None
    made: int
    device: bool


CALLS = st.builds(
    Call,
    rows=st.sampled_from([2, 3]),
    dtype=st.sampled_from(["float32", "int32"]),
    number=st.sampled_from(["python", "array"]),
    static=st.sampled_from([1, "a"]),
    keyword=st.booleans(),
    extra=st.sampled_from(["none", "array"]),
    tree=st.sampled_from(["list", "tuple", "longer"]),
    precision=st.sampled_from([None, "float32"]),
    made=st.sampled_from([0, 1]),
    device=st.booleans(),
)
FIELDS = ("rows", "dtype", "number", "static", "keyword", "extra", "tree", "precision", "made")


@st.composite
def sequences(draw: st.DrawFn) -> list[Call]:
    """Calls that each differ from the one before in a field or two, or in none."""
    calls = [draw(CALLS)]
    for _ in range(draw(st.integers(1, 7))):
        other = draw(CALLS)
        fields = draw(st.lists(st.sampled_from((*FIELDS, "device")), max_size=2))
        calls.append(replace(calls[-1], **{field: getattr(other, field) for field in fields}))
    return calls


class Functions:
    """Function objects of one code, each jitted once, that count how often their body ran."""

    def __init__(self) -> None:
        self.traced = 0
        self.jitted = [jax.jit(self.make(), static_argnames="static") for _ in range(2)]

    def make(self) -> Any:
        def step(x, number, tree, static, extra):
            self.traced += 1
            return x * number, jax.tree.map(lambda leaf: leaf + 1, tree), extra

        return step

    def run(self, call: Call) -> None:
        x = jnp.ones((call.rows, 4), call.dtype)
        if call.device:
            x = jax.device_put(x, jax.devices()[0])
        tree = {
            "list": [jnp.ones(2)],
            "tuple": (jnp.ones(2),),
            "longer": [jnp.ones(2), jnp.ones(2)],
        }[call.tree]
        number = 2.0 if call.number == "python" else jnp.float32(2)
        extra = None if call.extra == "none" else jnp.ones(2)
        fun = self.jitted[call.made]
        with ExitStack() as stack:
            if call.precision is not None:
                stack.enter_context(jax.default_matmul_precision(call.precision))
            if call.keyword:
                fun(x, number, tree, call.static, extra=extra)
            else:
                fun(x, number, tree, call.static, extra)


def field_of(change: Change) -> str:
    """The field of `Call` that a change names."""
    by_place = {
        ("shape", "x"): "rows",
        ("dtype", "x"): "dtype",
        ("weak type", "number"): "number",
        ("static", "static"): "static",
        ("style", "extra"): "keyword",
        ("none", "extra"): "extra",
        ("pytree", "tree"): "tree",
        ("pytree", "tree[1]"): "tree",
        ("config", "jax_default_matmul_precision"): "precision",
        ("function", ""): "made",
        ("committed", "x"): "device",
    }
    return by_place[change.kind, change.where]


BY_PLACE = Call(2, "float32", "python", 1, False, "array", "list", None, 0, False)
"""A call that passes every argument by position."""


@example(calls=[BY_PLACE, replace(BY_PLACE, keyword=True, extra="none")])
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=sequences())
def test_random_calls(calls: list[Call], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["jaxviz.watch"], "session", Session())
    functions, earlier = Functions(), list[Call]()
    with jaxviz.watch() as log:
        for call in calls:
            events, traced = len(log.events), functions.traced
            functions.run(call)
            told = log.events[events:]
            traces = [event for event in told if event.kind == "trace"]
            assert len(traces) == functions.traced - traced
            for event in traces or told[:1]:
                check(event.reason, call, earlier)
            earlier.append(call)
    (function,) = log.functions
    assert function.traces == functions.traced
    again = function.retraces + function.relowerings + function.recompiles
    assert sum(cause.times for cause in log.causes) == again
    assert sum(cause.times for cause in log.record().causes) == again
    assert len(log.events) == function.traces + function.lowerings + function.compiles


def check(reason: list[Change], call: Call, earlier: list[Call]) -> None:
    """There is an earlier call that differs in just what the reason names."""
    if [change.kind for change in reason] == ["first"]:
        assert not earlier
        return
    named = {field_of(change) for change in reason}
    ignored = {"device"} - named
    assert any(
        {field for field in (*FIELDS, "device") if getattr(old, field) != getattr(call, field)}
        - ignored
        == named
        for old in earlier
    ), (named, call, earlier)


class Nested:
    """Jitted functions that call one another, and count how often each body ran."""

    def __init__(self) -> None:
        self.traced: list[str] = []
        self.inner = jax.jit(self.body("inner", jnp.sin))
        self.outer = jax.jit(self.body("outer", lambda x: self.inner(x) + self.inner(x * 2)))
        self.looped = jax.jit(self.body("looped", self.loop))

    def body(self, name: str, fun: Any) -> Any:
        def run(x):
            self.traced.append(name)
            return fun(x).sum()

        run.__name__ = name
        return run

    def loop(self, x: Any) -> Any:
        return jax.lax.scan(lambda carry, _: (carry + self.inner(carry), None), x, length=2)[0]

    def run(self, name: str, how: str, size: int) -> None:
        fun, x = getattr(self, name), jnp.ones(size)
        if how == "clear":
            jax.clear_caches()
        elif how == "vmap":
            jax.vmap(fun)(jnp.ones((2, size)))
        elif how == "grad":
            jax.grad(fun)(x)
        elif how == "ahead":
            fun.lower(x).compile()
        elif how == "jit of grad":
            jax.jit(jax.grad(fun))(x)
        else:
            fun(x)


STEPS = st.tuples(
    st.sampled_from(["inner", "outer", "looped"]),
    st.sampled_from(["call", "grad", "vmap", "ahead", "jit of grad", "clear"]),
    st.sampled_from([2, 3]),
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, min_size=1, max_size=7))
def test_random_nesting(steps: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["jaxviz.watch"], "session", Session())
    functions = Nested()
    with jaxviz.watch() as log:
        for step in steps:
            functions.run(*step)
    told = [e.name for e in log.events if e.kind == "trace" and not e.name.startswith("grad(")]
    assert sorted(told) == sorted(functions.traced)
