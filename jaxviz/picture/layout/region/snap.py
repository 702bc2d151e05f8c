"""Lengths in which sums are exact."""

from __future__ import annotations

import math


def snap(length: float) -> float:
    """To the nearest 64th of a px: what is upright stays so."""
    return math.floor(length * 64 + 0.5) / 64
