"""To look at a program changes no count, no kind and no reason of any event, whenever it is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from golden_jax import part
from watched_events import reason

import jaxviz
from jaxviz.session import Log
from jaxviz.session.session import Session

ones = jnp.ones


class Functions:
    """Fresh ones, and what their bodies did."""

    def __init__(self) -> None:
        ran = self.ran = list[str]()

        @jax.jit
        def loss(x):
            ran.append("loss")
            return (x * 2).sum()

        @jax.jit
        def step(x):
            ran.append("step")
            return loss(x) + 1

        @jax.jit
        def gradient(x):
            ran.append("gradient")
            return jax.grad(loss)(x)

        def plain(x):
            ran.append("plain")
            return x * 2

        self.loss, self.step, self.gradient, self.plain = loss, step, gradient, plain


CALLS: dict[str, Callable[[Functions], Any]] = {
    "a call": lambda made: [made.loss(ones(n)) for n in (3, 3, 4)],
    "Python numbers": lambda made: [made.loss(x) for x in (2.0, jnp.float32(2))],
    "within another": lambda made: [made.step(ones(n)) for n in (3, 4)],
    "under grad within another": lambda made: [made.gradient(ones(n)) for n in (3, 4)],
    "under grad": lambda made: [jax.grad(made.loss)(ones(n)) for n in (3, 4)],
    "under vmap": lambda made: [jax.vmap(made.loss)(ones((2, n))) for n in (3, 4)],
    "both": lambda made: (made.loss(ones(3)), made.step(ones(3)), made.loss(ones(4))),
    "make_jaxpr": lambda made: jax.make_jaxpr(made.loss)(ones(3)),
    "jitted now": lambda made: [jax.jit(made.plain)(ones(n)) for n in (3, 4)],
    "ahead of time": lambda made: made.loss.trace(ones(3)).lower().compile(),
}
LOOKS: dict[str, Callable[[Functions], Any]] = {
    "the same": lambda made: jaxviz.inspect(made.loss)(ones(3)),
    "another shape": lambda made: jaxviz.inspect(made.loss)(ones(5)),
    "twice": lambda made: [jaxviz.inspect(made.loss)(ones(3)) for _ in range(2)],
    "within another": lambda made: jaxviz.inspect(made.step)(ones(3)),
    "under grad within another": lambda made: jaxviz.inspect(made.gradient)(ones(3)),
    "under grad": lambda made: jaxviz.inspect(jax.grad(made.loss))(ones(3)),
    "under vmap": lambda made: jaxviz.inspect(jax.vmap(made.loss))(ones((2, 3))),
    "Python numbers": lambda made: jaxviz.inspect(made.loss)(2.0),
    "later stages": lambda made: jaxviz.inspect(made.loss)(ones(3)).stage("hlo"),
    "not jitted": lambda made: jaxviz.inspect(made.plain)(ones(3)),
}


pytestmark = pytest.mark.usefixtures("session")


def told(log: Log) -> list[Any]:
    return [(event.kind, event.name, event.again, reason(event)) for event in log.events]


def counts(log: Log) -> list[Any]:
    return [
        (one.name, one.traces, one.retraces, one.lowerings, one.compiles) for one in log.functions
    ]


@pytest.mark.parametrize("case", part(product(CALLS, LOOKS), of=7), ids=", then ".join)
def test_looking_changes_nothing(case: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither before the cell is watched, nor while it is."""
    call, look = case
    made = Functions()
    with jaxviz.watch() as plain:
        CALLS[call](made)
    for watched in (False, True):
        monkeypatch.setattr(sys.modules["jaxviz.watch"], "session", Session())
        made = Functions()
        shown = None if watched else LOOKS[look](made)
        with jaxviz.watch() as log:
            shown = LOOKS[look](made) if watched else shown
            CALLS[call](made)
        assert shown is not None
        assert told(log) == told(plain)
        assert counts(log) == counts(plain)


def test_a_call_that_finds_what_was_looked_at_says_so() -> None:
    made = Functions()
    jaxviz.inspect(made.loss)(ones(3))
    with jaxviz.watch() as log:
        made.loss(ones(3))
        made.loss(ones(4))
    assert made.ran == ["loss", "loss"]
    looked, other = [event for event in log.events if event.kind == "trace"]
    assert (looked.looked, looked.again, looked.seconds) == (True, False, 0.0)
    assert looked.site is not None
    assert looked.site.code == "made.loss(ones(3))"
    assert (other.looked, other.against) == (False, looked.number)
    assert [event.of for event in log.events if event.kind == "lower"] == [
        looked.number,
        other.number,
    ]
    assert log.program(looked.number) is not None


def test_what_is_looked_at_alone_is_no_event() -> None:
    made = Functions()
    with jaxviz.watch() as log:
        program = jaxviz.inspect(made.step)(ones(3))
        program.stage("hlo")
    assert log.events == ()
    assert made.ran == ["step", "loss"]


def test_a_look_after_the_calls_is_no_event() -> None:
    made = Functions()
    with jaxviz.watch() as log:
        made.step(ones(3))
        before = told(log)
        jaxviz.inspect(made.step)(ones(3))
        jaxviz.inspect(made.loss)(ones(3)).stage("hlo")
        made.step(ones(3))
    assert told(log) == before
    assert made.ran == ["step", "loss"]


def test_a_look_that_fails_changes_nothing() -> None:
    fails = [True]

    @jax.jit
    def step(x):
        if fails[0]:
            raise ValueError("not now")
        return x * 2

    with jaxviz.watch() as log:
        with pytest.raises(jaxviz.CaptureError):
            jaxviz.inspect(step)(ones(3))
        fails[0] = False
        step(ones(3))
        step(ones(4))
    kinds = [event.reason[0].kind for event in log.events if event.kind == "trace"]
    assert kinds == ["first", "shape"]


def test_what_was_looked_at_and_cleared_is_retraced() -> None:
    made = Functions()
    jaxviz.inspect(made.loss)(ones(3))
    jax.clear_caches()
    with jaxviz.watch() as log:
        made.loss(ones(3))
    assert made.ran == ["loss", "loss"]
    assert next((e.kind, e.looked) for e in log.events) == ("trace", False)
    assert [event.kind for event in log.events] == ["trace", "lower", "compile"]


def test_a_watch_that_begins_within_a_look_ends_with_the_look_s_listeners() -> None:
    from jax._src import monitoring

    before = len(monitoring.get_event_duration_listeners())

    @jax.jit
    def step(x):
        with jaxviz.watch() if watched else nullcontext():
            return x * 2

    for watched in (True, False):
        jaxviz.inspect(step)(ones(3 + watched))
    assert len(monitoring.get_event_duration_listeners()) == before
