"""Turns types of StableHLO, as MLIR prints them, into avals."""

from __future__ import annotations

import math
import re

from jaxviz.capture.shown.strings import name
from jaxviz.schema import Aval

_TENSOR = re.compile(r"tensor<((?:(?:\d+|\?)x)*)(complex<f\d+>|\w+)(?:, .*)?>")
_INTEGER = re.compile(r"(u?)i(\d+)")
_FLOAT = re.compile(r"f(\d+)")


class Types:
    """The avals of a stage. Each type with its sharding is one record."""

    def __init__(self) -> None:
        self.records: list[Aval] = []
        self._index: dict[tuple[str, str | None], int] = {}

    def index(self, text: str, sharding: str | None = None) -> int:
        """The index in `records` of a type as MLIR prints it; adds the type if it is new."""
        key = (text, sharding)
        if key not in self._index:
            self._index[key] = len(self.records)
            self.records.append(aval_of(text, sharding))
        return self._index[key]


def aval_of(text: str, sharding: str | None = None) -> Aval:
    """The aval of a type: `tensor<8x64xf32>` is `f32[8,64]`. A type that is no tensor keeps its
    text, and has no shape and no bytes."""
    found = _TENSOR.fullmatch(text)
    sizes = found[1].split("x")[:-1] if found else []
    element, dtype, bits = _element(found[2]) if found else ("", "", None)
    count = None if "?" in sizes else math.prod(map(int, sizes))
    return Aval(
        text=f"{element}[{','.join(sizes)}]" if found else name(text),
        kind="array" if found else _kind(text),
        shape=[size if size == "?" else int(size) for size in sizes] if found else None,
        dtype=dtype,
        weak_type=False,
        sharding=sharding,
        memory=None,
        layout=None,
        bytes=None if bits is None or count is None else math.ceil(count * bits / 8),
    )


def _kind(text: str) -> str:
    if text.startswith("tuple<"):
        return "tuple"
    return "token" if text == "!stablehlo.token" else "other"


def _element(text: str) -> tuple[str, str, int | None]:
    """JAX's short and long names of an element's type (`f32`, `float32`), and its bits; None for
    the bits if the type is not known."""
    if text == "i1":
        return "bool", "bool", 8
    if found := _INTEGER.fullmatch(text):
        sign = "u" if found[1] else ""
        return f"{sign or 'i'}{found[2]}", f"{sign}int{found[2]}", int(found[2])
    if found := _FLOAT.fullmatch(text):
        return text, f"float{found[1]}", int(found[1])
    if text.startswith("complex<f"):
        bits = 2 * int(text[9:-1])
        return f"c{bits}", f"complex{bits}", bits
    if text == "bf16":
        return "bf16", "bfloat16", 16
    return _small(text)


def _small(text: str) -> tuple[str, str, int | None]:
    """As `_element`, for floats of up to 8 bits: `f8E4M3FN` is `f8_e4m3fn`, `float8_e4m3fn`."""
    found = re.fullmatch(r"f(\d)(E\w+)", text)
    if found is None:
        return text, text, None
    short = f"{found[1]}_{found[2].lower()}"
    return f"f{short}", f"float{short}", int(found[1])
