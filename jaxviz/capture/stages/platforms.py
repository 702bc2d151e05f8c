"""Names the platforms that JAX lowers for, which need not be here, and the line that one of them
cannot do."""

from __future__ import annotations

import re

from jaxviz.capture.failure.errors import CaptureError
from jaxviz.schema import Sentence, Stage
from jaxviz.schema.sentence import NOTHING
from jaxviz.sentences import sentence

PLATFORMS = ("cpu", "cuda", "rocm", "tpu")
_OTHER_NAMES = {"gpu": "cuda"}


def platform_named(text: str) -> str:
    """JAX's name of a platform: `cuda` of `gpu`. Raises CaptureError where it is none of them."""
    found = _OTHER_NAMES.get(text, text)
    if found not in PLATFORMS:
        raise CaptureError(
            f"there is no platform {text!r}: the platforms are {', '.join(PLATFORMS)}, and gpu, "
            "which is cuda."
        )
    return found


_OPS_OF_ERRORS = {
    r"specified backend": ("pure_callback", "io_callback", "debug_callback", "debug_print"),
    r"interpret mode|Mosaic|Triton|supported GPU devices": ("pallas_call",),
}
"""Ops by what JAX says where it cannot lower them, if that does not name them."""


def line_refused(reason: str, jaxpr: Stage) -> Sentence:
    """The first of the user's lines with the op that JAX could not lower, for this `reason`:
    ` at model.py, line 7 (`…`)`. Empty where that is not known."""
    named = re.search(r"primitive '([^']+)'", reason)
    others = next((ops for text, ops in _OPS_OF_ERRORS.items() if re.search(text, reason)), ())
    ops = (named[1],) if named else others
    eqns = (eqn for graph in jaxpr.graphs for eqn in graph.eqns if eqn.op in ops)
    number = next((eqn.frame for eqn in eqns if eqn.frame is not None), None)
    if number is None:
        return NOTHING
    frame = jaxpr.frames[number]
    if not frame.code:
        return sentence("at a line", file=frame.file, line=str(frame.line))
    return sentence("at a line, code", file=frame.file, line=str(frame.line), code=frame.code)
