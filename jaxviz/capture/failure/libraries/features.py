"""Fixes of layers that were made for another number of features than they get."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.libraries._running import RunningLayer, running_layer
from jaxviz.capture.failure.libraries.reading import made, value
from jaxviz.schema import Mend
from jaxviz.sentences import sentence

MADE = sentence("The layer has other")


def resized(call: FailedCall) -> Iterator[Mend]:
    """The layer, made for the features that it gets; advice if its call is not in the cell."""
    layer = running_layer(call.error)
    if layer is None or layer.gets == layer.takes:
        return
    maker = made(call, call.node.func if isinstance(call.node, ast.Call) else None)
    match maker:
        case ast.Call(args=[ast.Constant(value=size) as first, *_]) if (
            size == layer.takes and _is_that(call, layer)
        ):
            title = sentence("make the layer for gets features", gets=str(layer.gets))
            yield edited(call, title, (first, str(layer.gets)), differs=MADE)
        case _:
            yield sketch(
                sentence("make the layer for gets", gets=str(layer.gets), takes=str(layer.takes))
            )


def _is_that(call: FailedCall, layer: RunningLayer) -> bool:
    """Whether the layer that failed is the one that the line calls, and not one within it."""
    found = value(call.node.func, call)
    return found is layer.layer
