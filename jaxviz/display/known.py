"""The programs that a page may ask this kernel about."""

from __future__ import annotations

from collections import deque
from uuid import uuid4

from jaxviz.display.shown import until_rerun
from jaxviz.stages import Stages

OUTSIDE = 20
"""Programs kept that no cell has shown, the newest."""

_programs: dict[str, Stages] = {}
_outside: deque[str] = deque()


def keep(stages: Stages) -> str:
    """The key under which a program is known from now on.

    It is known until the cell that shows it runs again, or, where no cell does, until
    `OUTSIDE` newer ones are shown.
    """
    key = uuid4().hex
    _programs[key] = stages
    try:
        until_rerun(lambda: _forget(key))
    except Exception:
        _outside.append(key)
        if len(_outside) > OUTSIDE:
            _forget(_outside.popleft())
    return key


def known(key: str) -> Stages | None:
    """The program that was kept under the key, while it is."""
    return _programs.get(key)


def _forget(key: str) -> None:
    _programs.pop(key, None)
