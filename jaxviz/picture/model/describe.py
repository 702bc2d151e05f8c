"""What an eqn is called, and sizes. As `js/src/facts/describe.ts`."""

from __future__ import annotations

import math
import re

from jaxviz import schema

_DIALECT = re.compile(r"(?:stablehlo|chlo|mhlo|func)\.")


def label_of(eqn: schema.Eqn) -> str:
    """Its primitive, without its dialect, and what it calls."""
    dialect = _DIALECT.match(eqn.op)
    plain = eqn.op[dialect.end() :] if dialect else eqn.op
    return f"{plain} {eqn.name}" if eqn.name else plain


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
