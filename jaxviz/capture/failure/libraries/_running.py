"""Reads the library layer that was running from the variables of the library's functions. Each name
has the versions that it was seen on; without them a card has advice in place of an edit."""

from __future__ import annotations

from typing import Any, NamedTuple

from jaxviz.capture.failure.expression import entries, users_entry
from jaxviz.capture.shown.objects import (
    attribute,
    context_of,
    has_attribute,
    is_a,
    module_of,
    namespace_of,
    title_of,
    traceback_of,
)
from jaxviz.capture.shown.source import file_kind, is_jax_file


class RunningLayer(NamedTuple):
    """A layer: the number of features that it expects, and those of its input."""

    layer: Any
    expected: int
    actual: int
    ndim: int


def library_frames(error: BaseException) -> list[dict[str, Any]]:
    """The variables of the functions of libraries below the user's line, innermost first."""
    at = users_entry(error)
    frames = [entry.tb_frame for entry in entries(at.tb_next if at else None)]
    return [
        dict(frame.f_locals)
        for frame in frames[::-1]
        if file_kind(frame.f_code.co_filename) == "installed"
    ]


def running_layer(error: BaseException) -> RunningLayer | None:
    """The innermost layer that was running: a Linear or Conv of NNX or Equinox.

    `self` and `inputs` of NNX' layers were seen on Flax 0.11.2 to 0.12.12, `self` and `x` of
    Equinox' on 0.13.8.
    """
    for frame_locals in library_frames(error):
        layer = frame_locals.get("self")
        expected = attribute(layer, "in_features", attribute(layer, "in_channels"))
        got = frame_locals.get("inputs", frame_locals.get("x"))
        shape = attribute(got, "shape", ())
        if is_a(expected, int) and shape:
            channels = -1 if has_attribute(layer, "in_features") else 0
            return RunningLayer(layer, expected, shape[channels], len(shape))
    return None


def is_struct(cls: type) -> bool:
    """True if a class is of flax.struct: `_flax_dataclass` was seen on Flax 0.11.2 to 0.12.12."""
    return "_flax_dataclass" in namespace_of(cls)


class RunningBatch(NamedTuple):
    """The fault of the input of an Equinox layer that was running."""

    batched: bool
    of_one: bool
    """True if the layer takes one element of an example: a token, or a vector of a sequence."""
    channels_last: bool
    state: int
    """The size of a cell's state, if its input has another one."""


def running_batch(error: BaseException) -> RunningBatch | None:
    """The input of the innermost layer of Equinox; None if no known layer was running.

    The variables `self`, `x`, `input`, `hidden` and `query` of its layers, and the fields that are
    read here, were seen on Equinox 0.13.8.
    """
    for frame_locals in library_frames(error):
        layer = frame_locals.get("self")
        if layer is not None and module_of(type(layer)).startswith("equinox.nn."):
            found = _batch(title_of(type(layer)), layer, frame_locals)
            if found is not None:
                return found
    return None


def _batch(kind: str, layer: Any, frame_locals: dict[str, Any]) -> RunningBatch | None:
    inputs = (frame_locals.get(name) for name in ("x", "input", "query"))
    got = next((one for one in inputs if has_attribute(one, "shape")), None)
    if got is None:
        return None
    shape = tuple(got.shape)
    hidden = frame_locals.get("hidden")
    spatial = attribute(layer, "num_spatial_dims")
    batched = channels_last = False
    state = 0
    if kind == "Linear":
        batched = len(shape) > 1 and shape[-1] == layer.in_features
    elif is_a(spatial, int):
        channels = attribute(layer, "in_channels")
        if len(shape) == spatial + 2 and shape[:1] == (1,) and shape[1] != channels:
            shape = shape[1:]  # an axis that the layer put in itself
        batched = len(shape) == spatial + 2
        channels_last = len(shape) > spatial and shape[-1] == channels
        channels_last &= not batched or shape[1] != channels
    elif kind in ("LayerNorm", "RMSNorm"):
        size = tuple(layer.shape)
        batched = len(shape) > len(size) and shape[len(shape) - len(size) :] == size
    elif kind == "MultiheadAttention":
        batched = len(shape) == 3
    elif kind in ("GRUCell", "LSTMCell"):
        batched = len(shape) == 2
        first = hidden[0] if is_a(hidden, tuple) else hidden
        size = tuple(attribute(first, "shape", ()))[-1:]
        state = layer.hidden_size if not batched and size != (layer.hidden_size,) else 0
    elif kind == "Embedding":
        batched = len(shape) > 0
    else:
        return None
    of_one = kind in ("Embedding", "LayerNorm", "RMSNorm")
    return RunningBatch(batched, of_one, channels_last, state)


def original_jax_error(error: BaseException) -> BaseException:
    """The JAX error that Keras failed to copy; any other error as it is.

    Keras makes an exception of the same class with its own message, which classes of
    `jax/_src/errors.py` refuse: seen on Keras 3.15.1 with JAX 0.6.2 to 0.12.0.
    """
    frames = [entry.tb_frame.f_code for entry in entries(traceback_of(error))]
    made = frames[-1] if frames else None
    if made is None or made.co_name != "__init__" or not is_jax_file(made.co_filename):
        return error
    seen: BaseException | None = error
    while seen is not None and module_of(type(seen)) != "jax.errors":
        seen = context_of(seen)
    return seen or error
