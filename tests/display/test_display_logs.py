"""The output that a notebook gets for a log: all that fits in 200 kB, for any host."""

from __future__ import annotations

import html
import json
import random
import zlib
from base64 import b64decode
from typing import Any

import anywidget
import jax
import jax.numpy as jnp
import msgspec
import pytest
from msgspec.structs import replace

import jaxviz
from jaxviz import schema
from jaxviz.display.bundle import log_bundle
from jaxviz.display.outputs import LogAnswers
from jaxviz.display.running_cell import WIDGET
from jaxviz.display.widget import LogWidget
from jaxviz.sentences import sentence
from jaxviz.watch import Log


@pytest.fixture(scope="module")
def log() -> Log:
    step = jax.jit(lambda x: x * 2)
    with jaxviz.watch() as log:
        step(jnp.ones(3))
        step(jnp.ones(4))
    return log


def shown(record: schema.Log, text: str = "") -> tuple[schema.Log | None, dict[str, Any]]:
    data = log_bundle(record, text, strip=True, key="k" * 32, last=True)
    assert len(json.dumps(data)) <= 200_000
    if schema.LOG_MIME not in data:
        return None, data
    display = msgspec.convert(data[schema.LOG_MIME], schema.LogDisplay)
    assert (display.strip, display.key) == (True, "k" * 32)
    packed = zlib.decompress(b64decode(display.log))
    return msgspec.json.decode(packed, type=schema.Log), data


def test_a_log_is_shown_whole(log: Log) -> None:
    record = log.record()
    saved, data = shown(record, "<b>text")
    assert saved == record
    assert data["text/plain"] == "<b>text"
    assert "<pre>&lt;b&gt;text</pre>" in data["text/html"]
    assert WIDGET not in data


def long(log: Log, count: int, name: int) -> schema.Log:
    """A log of `count` events, with names that do not compress."""
    chars = random.Random(0)
    record = log.record()
    events = [
        replace(event, number=number, name=f"{chars.getrandbits(4 * name):x}")
        for number, event in enumerate(record.events[:1] * count)
    ]
    return replace(record, events=events)


@pytest.mark.parametrize(("name", "least"), [(10, 1000), (400, 400), (4000, 60), (10**6, 0)])
def test_of_a_log_too_large_events_of_its_middle_are_left_out(
    log: Log, name: int, least: int
) -> None:
    record = long(log, 1000 if name < 10**5 else 3, name)
    saved, _ = shown(record)
    assert saved is not None
    assert len(saved.events) >= least
    assert len(saved.events) + saved.omitted == len(record.events)
    numbers = [event.number for event in saved.events]
    half = len(numbers) // 2
    if saved.omitted:
        assert numbers == [*range(half), *range(len(record.events) - half, len(record.events))]
    assert replace(saved, events=[], omitted=0) == replace(record, events=[])


def test_where_nothing_else_fits_there_is_the_text(log: Log) -> None:
    record = log.record()
    name = long(log, 1, 10**6).events[0].name
    functions = [replace(function, name=name) for function in record.functions]
    saved, data = shown(replace(record, functions=functions), "text")
    assert saved is None
    assert set(data) == {"text/plain", "text/html"}


def test_a_log_shows_itself(log: Log) -> None:
    data = log._repr_mimebundle_()
    assert list(data) == [schema.LOG_MIME, "text/plain", "text/html"]
    assert data["text/plain"] == repr(log)
    assert f"<pre>{html.escape(repr(log))}</pre>" in data["text/html"]
    assert set(log._repr_mimebundle_(include={"text/plain"})) == {"text/plain"}
    assert schema.LOG_MIME not in log._repr_mimebundle_(exclude={schema.LOG_MIME})


def test_a_log_gives_the_programs_of_its_events_while_jax_holds_them() -> None:
    step = jax.jit(lambda x: x * 2)
    with jaxviz.watch() as log:
        step(jnp.ones(3))
        step(jnp.ones(4))
    programs = [log.program(event.number) for event in log.events]
    assert all(isinstance(program, jaxviz.Program) for program in programs)
    first, *_, last = programs
    assert first is not None
    assert first.stage("jaxpr").cost is not None
    assert [program == first for program in programs] == [True] * 3 + [False] * 3
    assert last == programs[3]
    assert log.program(10**9) is None
    jax.clear_caches()
    assert log.program(log.events[0].number) is None


def test_a_log_of_what_failed_says_so() -> None:
    with pytest.raises(KeyError), jaxviz.watch() as log:
        raise KeyError("mine")
    assert log.record().error == "KeyError"
    assert not log.running


def test_the_widget_sends_the_log_and_nothing_else() -> None:
    widget = LogWidget("", payload=b"log", strip=True)
    state = widget.get_state()
    own = set(state) - set(anywidget.AnyWidget().get_state())
    traits = {"what", "payload", "strip", "_esm", "_css"}
    assert own == traits - set(anywidget.AnyWidget().get_state())
    assert (state["what"], state["strip"]) == ("log", True)
    widget.close()


def test_what_is_gone_or_fails_is_an_error_and_is_made_once() -> None:
    asked: list[int] = []

    def program(number: int) -> None:
        asked.append(number)

    def no_record() -> schema.Log:
        raise AssertionError("nobody asks for the log")

    traces = LogAnswers(program, no_record)
    with pytest.raises(ValueError, match="JAX's caches no longer contain") as raised:
        traces.job(3).wait()
    assert raised.value.args == (sentence("trace gone"),)
    with pytest.raises(ValueError, match="JAX's caches no longer contain"):
        traces.job(4, 5).wait()
    assert asked == [3, 4]
