"""Sentences of the kernel that the page translates (`js/src/words/kernel-words.ts`).

`pytest --update-golden` writes the sentences that the tests of both sides read.
"""

from __future__ import annotations

import json
from pathlib import Path

from golden_jax import Golden

from jaxviz.analysis.collectives.causes import (
    AT_ONCE,
    BESIDE,
    GATHERED,
    IN_STEPS,
    MOVED,
    PASSED_ON,
    REDUCED,
    SEVERAL_REDUCED,
    SLICED,
)
from jaxviz.analysis.links.inserted import CAST, DEVICES, LAYOUT, MEMORY, SHARED_CAST
from jaxviz.tools.job.agree import OTHER_FUNCTION, OTHER_JAXPRS, OTHER_LOWERING

GOLDEN = Path(__file__).parents[1] / "kernel_words.json"

WORDS = (
    *("by keyword", "by position", "committed to cpu:0", "left out", "no mesh", "uncommitted"),
    *("absent", "tuple of 2", "list of 2", "empty tuple", "empty list", "empty dict"),
    *("weak", "not weak", "x: float64 taken as float32"),
)


def test_the_sentences_that_the_page_is_held_to(golden: Golden) -> None:
    sentences = [*WORDS, LAYOUT, MEMORY, DEVICES]
    sentences.append(SHARED_CAST.format(wide="float32", narrow="bfloat16"))
    sentences.append(CAST.format(op="dot_general", narrow="bfloat16", wide="float32"))
    for said in (REDUCED, SEVERAL_REDUCED):
        cause = said.format("1", "x f32[64,512]", "data", "2", "64")
        sentences += [cause, cause + AT_ONCE.format(3), cause + IN_STEPS.format(2, 1)]
    gathered = GATHERED.format("0", "w f32[64,32]", "data and model")
    sentences += [gathered, gathered + SLICED, MOVED.format(0, "x f32[64,32]", "data", 1)]
    sentences += [PASSED_ON.format(0, "x f32[64,16]", "data", 1, 16, to) for to in BESIDE.values()]
    sentences += [OTHER_JAXPRS, OTHER_LOWERING, OTHER_FUNCTION.format("loss", "step")]
    sentences += ["scan, index 37", "while, iteration 2", "cond, branch true"]
    assert all(sentences)
    text = json.dumps(sentences, ensure_ascii=False, indent=0) + "\n"
    assert golden(GOLDEN, text) == text
