"""JAX's own primitive harnesses, lowered: the module is JAX's plain one, and is read whole."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import jax
import pytest
from golden_jax import part
from records import eqns_of, loose_ends
from test_harnesses import HARNESSES, traced
from test_later import x64
from test_stablehlo import printed

from jaxviz.capture import Captured, capture
from jaxviz.schema import Stage

CHUNKS = 4
EVERY = 8
_ARRAY = re.compile(r"dense(_resource)?<[^>]*>")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("chunk", part(range(CHUNKS), of=4))
def test_every_op_is_there_and_is_linked(chunk: int) -> None:
    read, refused = 0, Counter[str]()
    for harness in HARNESSES[chunk * EVERY :: CHUNKS * EVERY]:
        with x64(True):
            found = traced(harness)
            if isinstance(found, str):
                continue
            function, arguments = found
            jitted = jax.jit(function)
            captured = capture(jitted, tuple(arguments), {})
            try:
                plain = jitted.lower(*arguments).as_text()
            except NotImplementedError:
                refused[refusal(captured)] += 1
                continue
        compare(lowered(captured), plain, harness.fullname)
        read += 1
    print(f"{read} harnesses, refused: {dict(refused) or 'none'}")
    assert read > 30 * refused.total()


def lowered(captured: Captured) -> Stage:
    return captured.later.stage("stablehlo", captured.jaxpr(), lambda doing: None)


def refusal(captured: Captured) -> str:
    stage = lowered(captured)
    assert stage.error is not None
    assert "NotImplementedError" in stage.error
    return stage.error.text


def compare(stage: Any, plain: str, title: str) -> None:
    assert stage.error is None, title
    assert _ARRAY.sub("", stage.text) == _ARRAY.sub("", plain), title
    assert Counter(eqn.op for eqn in eqns_of(stage)) == printed(plain), title
    assert loose_ends(stage) == [], title
    unknown = {eqn.op for eqn in eqns_of(stage) if not eqn.origin}
    assert unknown <= {"stablehlo.constant"}, title
