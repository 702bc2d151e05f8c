"""What a page may ask this kernel about: programs, and logs."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from uuid import uuid4

from jaxviz.display.captures import captured
from jaxviz.display.changes import changed
from jaxviz.display.shown import until_rerun
from jaxviz.display.traces import Traces
from jaxviz.schema import Capture
from jaxviz.stages import Stages

OUTSIDE = 20
"""How many are kept that no cell has shown, the newest."""

Shown = Stages | Traces
"""What can be asked for more: a program for its stages, a log for its programs."""

PROCESS = uuid4().hex
"""This kernel, until it is restarted: its outputs bear it."""

_shown: dict[str, Shown] = {}
_outside: deque[str] = deque()
_captures: dict[str, Capture] = {}


def keep(shown: Shown) -> str:
    """The key under which it is known from now on.

    It is known until the cell that shows it runs again, or, where no cell does, until
    `OUTSIDE` newer ones are shown.
    """
    key = uuid4().hex
    _shown[key] = shown
    with suppress(Exception):
        if isinstance(shown, Stages) and shown.record.compared is None:
            _captures[key] = captured(key, shown.record)
    try:
        until_rerun(lambda: _forget(key))
    except Exception:
        _outside.append(key)
        if len(_outside) > OUTSIDE:
            _forget(_outside.popleft())
    changed()
    return key


def hold(key: str, shown: Shown) -> None:
    """It is known under `key` as long as the kernel lives."""
    _shown[key] = shown


def known(key: str) -> Shown | None:
    """What was kept under the key, while it is."""
    return _shown.get(key)


def logs() -> list[Traces]:
    """All logs that are known."""
    return [shown for shown in [*_shown.values()] if isinstance(shown, Traces)]


def captures() -> list[Capture]:
    """The programs that are known, in the order in which they were shown."""
    return [*_captures.values()]


def forget_captures() -> None:
    """They are listed no more; who shows them may still ask about them."""
    _captures.clear()


def _forget(key: str) -> None:
    _shown.pop(key, None)
    if _captures.pop(key, None) is not None:
        changed()
