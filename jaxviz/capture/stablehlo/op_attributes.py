"""Makes the params of an eqn from an op's attributes, written as one reads them."""

from __future__ import annotations

import re
from typing import Any

from jaxviz.capture.params import VALUE_LIMIT
from jaxviz.capture.stablehlo.elided import elided
from jaxviz.capture.stablehlo.meshes import with_meshes
from jaxviz.capture.stablehlo.operations import Op
from jaxviz.capture.strings import name, plain
from jaxviz.schema import Param

_SHOWN_ELSEWHERE = frozenset(("callee", "call_target_name", "operandSegmentSizes"))
_PRINTED = 4096
_PLAIN_ATTRIBUTES = frozenset(
    ("Attribute", "DenseI64ArrayAttr", "IntegerAttr", "StringAttr", "BoolAttr")
)
_TYPED = re.compile(r"(-?[\d.e+-]+) : [if]\d+")
_ENUM = re.compile(r"#stablehlo<\w+ (\w+)>")
_INTEGERS = re.compile(r"array<i\d+(?:: ([^>]*))?>")
_DENSE = re.compile(r"dense<(?!\.\.\.)([^>]*)> : tensor<(?:[^<>]|<[^<>]*>)*>")


class Params:
    """Makes the params of a stage's ops. Equal attributes become one `Param` object."""

    def __init__(self, meshes: dict[str, str]) -> None:
        self._meshes = meshes
        self._known: dict[tuple[str, str], Param] = {}

    def of(self, op: Op) -> list[Param]:
        """The op's attributes by MLIR's names, without those that an eqn has as fields."""
        return [
            self._param(
                key, str(value) if type(value).__name__ in _PLAIN_ATTRIBUTES else _printed(value)
            )
            for key, value in op.attributes.items()
            if key not in _SHOWN_ELSEWHERE
        ]

    def _param(self, key: str, printed: str) -> Param:
        found = self._known.get((key, printed))
        if found is None:
            shown = _shown(key, with_meshes(printed, self._meshes))
            found = self._known[key, printed] = shown
        return found


def _shown(key: str, printed: str) -> Param:
    text = plain(readable(key, printed))
    size = len(text)
    if size > VALUE_LIMIT:
        text = text[: VALUE_LIMIT - 1] + "…"
    return Param(name=name(key), value=text, size=size)


def readable(key: str, printed: str) -> str:
    """The attribute as MLIR prints it, without types, prefixes and quotes that tell nothing more,
    and without the values of arrays."""
    if printed == "unit":
        return "true"
    text = elided(f"{key} = {printed}").partition(" = ")[2]
    text = _INTEGERS.sub(lambda found: f"[{found[1] or ''}]", text)
    text = _ENUM.sub(r"\1", _TYPED.sub(r"\1", text))
    text = _DENSE.sub(r"\1", text)
    quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1] if quoted and '"' not in text[1:-1] else text


def _printed(value: Any) -> str:
    """The attribute as MLIR prints it; `dense<...>` for one with over `_PRINTED` elements."""
    kind = type(value).__name__
    dense = kind.startswith("Dense") and kind.endswith("ElementsAttr")
    if dense and ("Resource" in kind or len(value) > _PRINTED):
        return "dense<...>"
    return str(value)
