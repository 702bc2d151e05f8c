"""What an eqn is called, and what distinguishes it. As `js/src/model/describe.ts`."""

from __future__ import annotations

import math
import re

from jaxviz import schema

LONGEST = 28

TELLING = (
    "axes",
    "axis",
    "axis_name",
    "dimension",
    "dimensions",
    "new_dtype",
    "new_sizes",
    "shape",
    "permutation",
    "broadcast_dimensions",
    "y",
    "length",
    "reverse",
    "policy",
    "name",
)
"""The parameters that tell two eqns of one primitive apart, in the order they are shown."""

_DIMENSIONS = re.compile(r"[\[(]((?:\d+(?:,\s*)?)*)[\])]", re.ASCII)


def label_of(eqn: schema.Eqn) -> str:
    """Its primitive and what it calls."""
    return f"{eqn.op} {eqn.name}" if eqn.name else eqn.op


def detail_of(eqn: schema.Eqn) -> str:
    """What distinguishes it from others of its primitive, short enough for a box."""
    if eqn.op == "dot_general":
        return _contraction(eqn)
    params = {param.name: param.value for param in reversed(eqn.params)}
    for name in TELLING:
        value = params.get(name, "None")
        if value not in ("None", "False", eqn.name):
            text = f"{name}={value}"
            return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return ""


def _contraction(eqn: schema.Eqn) -> str:
    """`(([1], [0]), ([], []))` contracts dimension 1 of the left with 0 of the right: `1·0`."""
    values = [param.value for param in eqn.params if param.name == "dimension_numbers"]
    lists = [re.sub(r",\s*$", "", found) for found in _DIMENSIONS.findall("".join(values[:1]))]
    if len(lists) < 2:
        return ""
    return "·".join(re.sub(r",\s*", ",", one) for one in lists[:2])


_UNITS = ("KiB", "MiB", "GiB", "TiB")


def bytes_text(size: float) -> str:
    """`2.3 KiB`, rounded as JavaScript does: halves up."""
    if size < 1024:
        return f"{size:.0f} byte{'' if size == 1 else 's'}"
    unit = ""
    for larger in _UNITS:
        if size < 1024:
            break
        size /= 1024
        unit = larger
    return f"{math.floor(size * 10 + 0.5) / 10:.1f} {unit}"
