"""Random calls with random looks among them: the log is that of the calls alone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_watch_properties import CALLS, Call, Functions, check, sequences

import jaxviz
from jaxviz.session.session import Session
from jaxviz.stages import StageKind

LOOKS = ("none", "the same", "another", "a later stage")


class Looking(Functions):
    """The same functions, which may be looked at with a call's arguments."""

    def look(self, call: Call, stage: StageKind) -> None:
        jitted = self.jitted
        self.jitted = [_looked(fun, stage) for fun in jitted]
        try:
            self.run(call)
        finally:
            self.jitted = jitted


def _looked(fun: Any, stage: StageKind) -> Callable[..., Any]:
    def look(*args: Any, **kwargs: Any) -> None:
        jaxviz.inspect(fun)(*args, **kwargs).stage(stage)

    return look


def key(call: Call) -> tuple[Any, ...]:
    """Fields of a call that decide whether it is traced: all but the device of its arguments."""
    return tuple(getattr(call, field) for field in call.__dataclass_fields__ if field != "device")


@st.composite
def looked_at(draw: st.DrawFn) -> list[tuple[Call, Call | None, Call | None, str]]:
    """Calls, each with what is looked at before it and after it."""
    steps = []
    for call in draw(sequences()):
        looks = {"none": None, "the same": call, "another": draw(CALLS), "a later stage": call}
        before, after = draw(st.sampled_from(LOOKS)), draw(st.sampled_from(LOOKS))
        stage = "stablehlo" if "a later stage" in (before, after) else "jaxpr"
        steps.append((call, looks[before], looks[after], stage))
    return steps


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=looked_at(), watched=st.booleans())
def test_random_calls_and_looks(
    steps: list[tuple[Call, Call | None, Call | None, StageKind]],
    watched: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.modules["jaxviz.watch"], "session", Session())
    functions, earlier, ran = Looking(), list[Call](), set[tuple[Any, ...]]()
    if not watched:  # all is looked at before watching began
        for call, before, *_ in steps:
            functions.look(before or call, "jaxpr")
            ran.add(key(before or call))
    with jaxviz.watch() as log:
        for call, before, after, stage in steps:
            if watched and before is not None:
                functions.look(before, stage)
                ran.add(key(before))
            events = len(log.events)
            functions.run(call)
            told = log.events[events:]
            traces = [event for event in told if event.kind == "trace"]
            assert len(traces) == (key(call) not in map(key, earlier))
            for event in traces:
                check(event.reason, call, earlier)
            earlier.append(call)
            ran.add(key(call))
            if watched and after is not None:
                events = len(log.events)
                functions.look(after, stage)
                ran.add(key(after))
                assert len(log.events) == events
    assert functions.traced == len(ran)
    (function,) = log.functions
    assert function.traces == len(set(map(key, earlier)))
