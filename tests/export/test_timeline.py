"""The static picture of a log, which is made once, when the cell ends."""

from __future__ import annotations

import re
import sys
from base64 import b64decode
from xml.etree import ElementTree

import jax
import jax.numpy as jnp
import pytest
from msgspec.structs import replace
from svg import SVG

import jaxviz
from jaxviz import schema
from jaxviz.display.bundle import log_bundle


@pytest.fixture(scope="module")
def record() -> schema.Log:
    @jax.jit
    def step(x: jax.Array) -> jax.Array:
        return x * 2

    jax.clear_caches()  # or `jnp.ones` may be compiled already
    with jaxviz.watch() as log:
        step(jnp.ones(3))
        step(jnp.ones(4))
    return log.record()


def shown(record: schema.Log, strip: bool = False, last: bool = True) -> str:
    return log_bundle(record, "text", strip, "", last)["text/html"]


def texts(html: str) -> list[str]:
    """The texts of the picture."""
    [data] = re.findall(r'<img [^>]*src="data:image/svg\+xml;base64,([^"]+)"', html)
    root = ElementTree.fromstring(b64decode(data))
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


def test_it_says_what_was_traced_and_how_often(record: schema.Log) -> None:
    found = texts(shown(record))
    assert {"step", "2 traces (1 retrace)", "op by op"} <= {*found}
    assert found[-4:] == ["trace", "lower", "compile", "repeated"]


def test_it_is_made_for_the_last_output_alone(record: schema.Log) -> None:
    assert "<img" not in shown(record, last=False)
    assert "<img" not in shown(record, strip=True)
    assert shown(record).count("<img") == 1


def test_a_name_is_text(record: schema.Log) -> None:
    functions = [replace(record.functions[0], name="<script>&\x00'\"")]
    assert "<script>& '\"" in texts(shown(replace(record, functions=functions)))


def test_an_output_without_a_picture_has_its_text(
    record: schema.Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = replace(record, functions=[], ops=[], events=[])
    assert "<img" not in shown(empty)
    monkeypatch.setitem(sys.modules, "_quickjs", None)
    assert "<img" not in shown(record)
    assert "<pre>text</pre>" in shown(record)
