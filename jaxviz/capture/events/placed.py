"""What the user's lines say of what happened: which op they called, and whether in a loop."""

from __future__ import annotations

from dataclasses import replace
from types import FrameType

from jaxviz.capture.events.functions import site_of
from jaxviz.capture.events.loops import is_looped
from jaxviz.capture.events.ops import op_of
from jaxviz.capture.events.spans import Apart, Span
from jaxviz.signature import Fact


def placed(one: Fact | Apart, span: Span, frame: FrameType) -> Fact | Apart:
    """The same with that, as far as it can be read. A trace of JAX's within another is part of that
    one, and no op of its own."""
    try:
        if isinstance(one, Fact):
            return replace(one, looped=is_looped(frame))
        if span.kind != "compile" and span.depth > 0:
            return one
        return one._replace(op=op_of(frame, span.name), site=site_of(frame))
    except Exception:
        return one
