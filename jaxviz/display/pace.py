"""How often something that grows is sent to a page."""

from __future__ import annotations

SHARE = 30
"""An update is followed by a rest of so many times its own length, at least."""
RATE = 250_000
"""Bytes a second: a quarter of what Jupyter's server lets pass of a kernel's outputs, by default,
before it drops the user's."""


def rest(often: float, seconds: float, size: int) -> float:
    """Seconds to rest after an update that took `seconds` and is `size` bytes; at least `often`."""
    return max(often, SHARE * seconds, size / RATE)
