"""Leaves out of XLA's text the scalars that XLA may have taken from an array of the user's.

Where a program closes over arrays, XLA makes `constant(12345.6777)` of one of their elements. What
the user wrote as a number, and what follows from no array, stays.
"""

from __future__ import annotations

import math
import re

from jaxviz.schema import Stage

_SCALAR = re.compile(r"(?<= constant\()[^(){},\"]+(?=\))")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e[+-]?\d+)?")
_LIMITS = {0.0, 1.0, 65504.0, 3.4028235e38, 1.7976931348623157e308}.union(
    *({2.0**bits, 2.0**bits - 1} for bits in (7, 8, 15, 16, 31, 32, 63, 64))
)
"""What stands in many programs besides: the limits of types."""
_AS_CLOSE = 4e-3
"""By how much a number differs from what XLA writes of it in bf16, relatively."""


def without_elements(text: str, first: Stage) -> str:
    """The text of a module with `{...}` for such scalars. `first` is the first stage of the same
    program, whose text has the numbers that the user wrote."""
    arrays = any(graph.constvars for graph in first.graphs) or "dense<...>" in first.text
    if not arrays:
        return text
    written = _LIMITS.union(abs(float(number)) for number in _NUMBER.findall(first.text))
    return _SCALAR.sub(lambda found: found[0] if _is_plain(found[0], written) else "{...}", text)


def _is_plain(value: str, written: set[float]) -> bool:
    try:
        number = abs(float(value))
    except ValueError:  # true, false
        return value in ("true", "false")
    if not math.isfinite(number):
        return True
    return any(math.isclose(number, one, rel_tol=_AS_CLOSE) for one in written)
