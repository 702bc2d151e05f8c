"""The reason of a retrace in one line: the kernel and the page have the same words.

The page has them in `js/src/words/events/changes.ts`. `pytest --update-golden` writes the cases
that the tests of both sides read.
"""

from __future__ import annotations

import json
from pathlib import Path

from golden_jax import Golden
from hypothesis import given
from hypothesis import strategies as st

from jaxviz.analysis.retraces import reason_text
from jaxviz.schema import Change

GOLDEN = Path(__file__).parents[1] / "reason_texts.json"

CASES: list[list[tuple[str, str, str, str]]] = [
    [],
    [("first", "", "", "")],
    [("unknown", "", "", "")],
    [("cleared", "", "", "")],
    [("order", "n", "3", "5")],
    [("function", "", "", "")],
    [("shape", "x", "f32[8,32]", "f32[5,32]")],
    [("shape", "x", "f32[8,32]", "f32[5,32]"), ("shape", "y", "f32[8]", "f32[5]")],
    [("shape", "x", "f32[8,32]", "i32[8,16]"), ("dtype", "x", "f32[8,32]", "i32[8,16]")],
    [("shape", "x", "f32[8]", "f32[8,1]")],
    [("shape", "params['layers'][0]['w']", "f32[]", "f32[1]")],
    [("shape", "keys", "key<fry>[2]", "key<fry>[3]")],
    [("dtype", "x", "f32[]", "i32[]")],
    [("dtype", "x", "f32[8]", "bf16[8]")],
    [("weak type", "lr", "~f32[] (float)", "f32[]")],
    [("static", "mode", "'train'", "'eval'")],
    [("static", "model", "Model()", "another Model, not equal to it")],
    [("style", "x", "by position", "by keyword"), ("style", "y", "by position", "by keyword")],
    [("pytree", "params", "{'w': *}", "{'b': *, 'w': *}")],
    [("none", "mask", "None", "f32[8]")],
    [("config", "jax_enable_x64", "False", "True")],
    [("mesh", "", "no mesh", "mesh (x: 2)")],
    [("sharding", "x", "P('a')", "P('b')"), ("device", "y", "cpu:0", "cpu:1")],
    [("committed", "x", "uncommitted", "committed to cpu:0")],
    [("options", "donate_argnums", "()", "(0,)")],
    [
        ("dtype", "q", "f32[4]", "bf16[4]"),
        ("dtype", "k", "f32[4]", "bf16[4]"),
        ("shape", "x", "f32[8]", "f32[5]"),
    ],
    [("static", "lr", "f32[]", "0.25 (static)")],
    [("class", "Batch", "cell 1", "cell 4")],
    [("class", "Batch", "", ""), ("static", "n", "1", "2")],
    [("shape", "x", "~f32[3]", "~f32[4]")],
    [("dtype", "lr", "~i32[] (int)", "~f32[] (float)")],
    [("shape", "<img src=x>", "f32[8", "f32]5[")],
    [("shape", "x", "f32[8][2]", "f32[5][2]")],
    [("shape", "__proto__", "", "")],
    [("kind of tomorrow", "", "a", "b")],
]


def test_the_page_has_the_same_texts(golden: Golden) -> None:
    cases = [
        {"reason": reason, "text": reason_text([Change(*one) for one in reason])}
        for reason in CASES
    ]
    text = "[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n]\n"
    assert golden(GOLDEN, text) == text


KINDS = st.sampled_from([case[0][0] for case in CASES if case])
TEXTS = st.text(alphabet="f32[8,]→; x'", max_size=12)


@given(st.lists(st.builds(Change, KINDS, TEXTS, TEXTS, TEXTS), max_size=4))
def test_every_reason_is_reported_in_one_line(reason: list[Change]) -> None:
    assert "\n" not in reason_text(reason)
