"""What a page may ask this kernel about: programs, and logs."""

from __future__ import annotations

from collections import deque
from uuid import uuid4

from jaxviz.display.shown import until_rerun
from jaxviz.display.traces import Traces
from jaxviz.stages import Stages

OUTSIDE = 20
"""How many are kept that no cell has shown, the newest."""

Shown = Stages | Traces
"""What can be asked for more: a program for its stages, a log for its programs."""

_shown: dict[str, Shown] = {}
_outside: deque[str] = deque()


def keep(shown: Shown) -> str:
    """The key under which it is known from now on.

    It is known until the cell that shows it runs again, or, where no cell does, until
    `OUTSIDE` newer ones are shown.
    """
    key = uuid4().hex
    _shown[key] = shown
    try:
        until_rerun(lambda: _forget(key))
    except Exception:
        _outside.append(key)
        if len(_outside) > OUTSIDE:
            _forget(_outside.popleft())
    return key


def known(key: str) -> Shown | None:
    """What was kept under the key, while it is."""
    return _shown.get(key)


def _forget(key: str) -> None:
    _shown.pop(key, None)
