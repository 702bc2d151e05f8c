"""The static picture of a log."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import jax
import jax.numpy as jnp
import pytest
from msgspec.structs import replace

import jaxviz
from jaxviz import schema
from jaxviz.display.logs import log_bundle
from jaxviz.picture.timeline import BARS, MOST, WIDTH, timeline

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def record() -> schema.Log:
    step = jax.jit(lambda x: x * 2)
    other = jax.jit(jnp.sin)
    with jaxviz.watch() as log:
        step(jnp.ones(3))
        step(jnp.ones(4))
        other(1.0)
    return log.record()


def parts(record: schema.Log, kind: str) -> list[Any]:
    return [*ElementTree.fromstring(timeline(record)).iter(f"{SVG}{kind}")]


def bars(record: schema.Log) -> list[tuple[float, float]]:
    """The left and right of each, px."""
    found = [part.attrib for part in parts(record, "rect") if float(part.get("y", 0)) > 20]
    return [(float(one["x"]), float(one["x"]) + float(one["width"])) for one in found]


def test_each_event_is_a_bar_within_the_picture(record: schema.Log) -> None:
    assert len(bars(record)) == len(record.events)
    assert all(200 < left < right <= WIDTH for left, right in bars(record))
    texts = [part.text for part in parts(record, "text")]
    first = record.functions[0]
    assert (first.traces, first.retraces) == (2, 1)
    assert "2 traces, 1 again" in texts
    arrows = [part for part in parts(record, "path") if part.get("class") == "a"]
    assert len(arrows) == sum(event.again for event in record.events) == 1


def test_of_many_the_longest_are_drawn_and_the_rest_is_counted(record: schema.Log) -> None:
    functions = [
        replace(record.functions[0], name=f"f{n}", seconds=float(n)) for n in range(MOST + 1)
    ]
    events = [replace(record.events[0], name="f9", seconds=n / 1e6) for n in range(1000)]
    many = replace(record, functions=functions, events=events)
    texts = [part.text for part in parts(many, "text")]
    assert "f0" not in texts
    assert f"f{MOST}" in texts
    assert texts[-1] == f"not drawn: 1 function and {1000 - BARS} events that took less"
    assert len(bars(many)) == BARS
    assert len(timeline(many)) < 40_000


def test_a_name_is_text(record: schema.Log) -> None:
    functions = [replace(record.functions[0], name="<script>&\x00'\"")]
    texts = [part.text for part in parts(replace(record, functions=functions), "text")]
    assert any(text and text.startswith("<script>&") for text in texts)


def test_a_log_without_functions_has_its_text_alone(record: schema.Log) -> None:
    empty = replace(record, functions=[], events=[])
    with pytest.raises(ValueError, match="nothing to draw"):
        timeline(empty)
    shown = [log_bundle(one, "text", False, "", last=False) for one in (record, empty)]
    assert ["<img" in one["text/html"] for one in shown] == [True, False]
    assert all(re.search("<pre>text</pre>", one["text/html"]) for one in shown)
