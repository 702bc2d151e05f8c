"""Sentences of the kernel that the page translates (`js/src/words/kernel-words.ts`).

`pytest --update-golden` writes the sentences that the tests of both sides read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
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
from jaxviz.analysis.cost.costed import TOGETHER
from jaxviz.analysis.links.inserted import CAST, DEVICES, LAYOUT, MEMORY, SHARED_CAST
from jaxviz.capture.calls.kept_call import ARGUMENT_GONE
from jaxviz.capture.calls.kept_function import GONE as NO_LONGER
from jaxviz.capture.failure.attempt import GONE as NO_FUNCTION
from jaxviz.capture.failure.attempt import GONE_CALL as NO_CALL
from jaxviz.capture.given.jax_objects import COMPILED_FOR_THIS, NOT_COMPILED, not_known
from jaxviz.capture.given.module_files import not_there
from jaxviz.capture.jaxprs.constants import ConstantGoneError
from jaxviz.capture.jaxprs.inlined import LONGEST_RUN, MOST_EQNS
from jaxviz.capture.jaxprs.structure import UNREAD
from jaxviz.capture.rerun.retained_run import INPUTS_GONE
from jaxviz.capture.stages.compiling import (
    COMPILED_ELSEWHERE,
    COMPILED_FOR_CPUS,
    COMPILING_ELSEWHERE,
)
from jaxviz.capture.stages.hlo import CLONE
from jaxviz.capture.stages.lowering import LOWERED_FOR, NO_DEVICES
from jaxviz.capture.stages.refusal import DEEPEST, TOO_DEEP, TOO_LONG, TOO_MANY
from jaxviz.display.bundle import TOO_LARGE
from jaxviz.display.known import NOT_TRACED
from jaxviz.display.page_requests import GONE
from jaxviz.session.log import NOT_KEPT
from jaxviz.session.session import EFFECTS, LACKING, LOST_HITS, NO_HITS, OVERLOOKED
from jaxviz.stages import GIVEN_UP, ON_SOME_DEVICES
from jaxviz.tools.job.agree import OTHER_FUNCTION, OTHER_JAXPRS, OTHER_LOWERING
from jaxviz.tools.statistics.capture import MOST_RESULTS, NO_FLOATS, TOO_MANY_RESULTS
from jaxviz.tools.steps.capture import NO_LINES
from jaxviz.tools.steps.capture.known_calls import KNOWN, KNOWN_AS
from jaxviz.tools.steps.capture.recorder import ENDED, REPLACED
from jaxviz.tools.steps.report import NOT_AT_HAND
from jaxviz.tools.timeit.text import ALONE, GAINS, LOSES, OVERLAP

GOLDEN = Path(__file__).parents[1] / "kernel_words.json"

WORDS = (
    *("by keyword", "by position", "committed to cpu:0", "left out", "no mesh", "uncommitted"),
    *("absent", "tuple of 2", "list of 2", "empty tuple", "empty list", "empty dict"),
    *("weak", "not weak", "x: float64 taken as float32"),
)
DOING = (
    "waiting",
    "lowering",
    "reading the module",
    "compiling",
    COMPILING_ELSEWHERE,
    "reading the executable",
    "reading the program",
    "comparing",
)

MISSING = (
    "the program's other stages are not",
    "the program's text and params are not",
    "the program's other stages, text and params are not",
    "the program's text, params and nested bodies are not",
    "the program's other stages, text, params and nested bodies are not",
    "only an overview of its 41,000 eqns is",
)
PARTIAL = [
    f"To keep the notebook small, {missing} saved: run the cell again to see all."
    for missing in MISSING
]


OF_VALUES = (NO_FLOATS, TOO_MANY_RESULTS.format(1_234, MOST_RESULTS), INPUTS_GONE)


def test_the_sentences_that_the_page_is_held_to(golden: Golden) -> None:
    devices = "Each of 8 devices runs this: shapes and costs are those of its own part."
    sentences = [*WORDS, *DOING, *PARTIAL, UNREAD, CLONE, devices, GONE, "Stopped."]
    sentences += [NOT_KEPT, NO_HITS, LOST_HITS, EFFECTS, LACKING, OVERLOOKED]
    sentences.append(str(ConstantGoneError(64 << 20, "float32[16777216]")))
    sentences.append(TOGETHER)
    sentences += [LAYOUT, MEMORY, DEVICES, SHARED_CAST.format(wide="float32", narrow="bfloat16")]
    sentences.append(CAST.format(op="dot_general", narrow="bfloat16", wide="float32"))
    for said in (REDUCED, SEVERAL_REDUCED):
        cause = said.format("1", "x f32[64,512]", "data", "2", "64")
        sentences += [cause, cause + AT_ONCE.format(3), cause + IN_STEPS.format(2, 1)]
    gathered = GATHERED.format("0", "w f32[64,32]", "data and model")
    sentences += [gathered, gathered + SLICED, MOVED.format(0, "x f32[64,32]", "data", 1)]
    sentences += [PASSED_ON.format(0, "x f32[64,16]", "data", 1, 16, to) for to in BESIDE.values()]
    sentences += [ON_SOME_DEVICES, COMPILED_FOR_THIS, COMPILED_ELSEWHERE, GIVEN_UP, *refusals()]
    sentences += [
        NO_FUNCTION,
        ARGUMENT_GONE,
        NOT_TRACED.format("KeyboardInterrupt"),
    ]
    sentences += [NO_LONGER, NOT_AT_HAND, NO_LINES, KNOWN.format("inner"), ENDED, REPLACED]
    sentences.append(KNOWN_AS.format("inner", "f32[3], ~f32[] → f32[3]"))
    sentences.append("These are the first 12 of 3,000 steps.")
    sentences += [TOO_LARGE, COMPILED_FOR_CPUS.format(1024)]
    sentences += [NO_DEVICES.format("cpu"), LOWERED_FOR.format("tpu")]
    sentences += [OTHER_JAXPRS, OTHER_LOWERING, OTHER_FUNCTION.format("loss", "step")]
    sentences += [ALONE, OVERLAP, LOSES.format("3.6")]
    sentences += [GAINS.format("4.0", *calls) for calls in ((1, "call"), (1_200, "calls"))]
    sentences += ["scan, index 37", "while, iteration 2", "cond, branch true"]
    sentences += [NO_CALL.format("NameError"), *OF_VALUES]
    assert all(sentences)
    text = json.dumps(sentences, ensure_ascii=False, indent=0) + "\n"
    assert golden(GOLDEN, text) == text


def refusals() -> Iterator[str]:
    """Why a stage is never made. Of these the page offers no second try."""
    yield TOO_DEEP.format(100, DEEPEST)
    yield TOO_LONG.format(65_536, LONGEST_RUN)
    yield TOO_MANY.format(1_000_000, MOST_EQNS)
    for stage in (not_known("jaxpr", "Lowered"), not_known("jaxpr", "Exported")):
        yield stage.error or ""
    yield NOT_COMPILED
    yield not_there("jaxpr", "StableHLO").error or ""
