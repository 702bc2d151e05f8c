"""Records which Python loops call compiled programs, while a cell is profiled.

A loop is known by its bytecode: a call comes from a loop if the frame's instruction lies between
the loop's first one and its jump back.
"""

from __future__ import annotations

import linecache
import time
from collections import Counter
from itertools import islice, pairwise
from threading import get_ident
from types import CodeType, FrameType
from typing import Any, NamedTuple

from jaxviz.capture.events.user_lines import loops_of
from jaxviz.capture.shown.source import place
from jaxviz.schema import Frame

MOST_CALLS = 50_000
MOST_LOOPS = 5
FEWEST_OPS = 100
"""The fewest calls of JAX's own functions in a loop that is reported."""
MOST = 0.5
"""A loop within another is reported in its place if it has this share of the calls."""
LONGEST_CALL = 2e-3
"""The most seconds for each call. JAX starts a program in less; a slower loop does other work."""

Loop = tuple[int, int]
"""The `id` of the code, and the offset of the loop's first instruction."""


class LoopRuns(NamedTuple):
    """A Python loop that called many of JAX's own functions outside jit."""

    site: Frame
    programs: int
    """The number of calls of compiled programs, without those that were compiled for it."""
    spans: list[tuple[float, float]]
    """The times of the loop, from its first call to its last, in seconds since 1970."""


class _Call(NamedTuple):
    moment: float
    loops: tuple[Loop, ...]
    """Outermost first."""
    is_op: bool
    """True for a function of JAX itself, such as `jnp.sin`."""


class LoopCalls:
    """The calls of one thread, from loops and from elsewhere."""

    def __init__(self) -> None:
        self._thread = get_ident()
        self._calls: list[_Call] = []
        self._codes: dict[int, CodeType] = {}

    def note(self, fun: Any, frame: FrameType | None) -> None:
        """Records a call of `fun` from this frame. It runs within the user's call."""
        if len(self._calls) >= MOST_CALLS or get_ident() != self._thread:
            return
        loops = list[Loop]()
        for code, start in loops_of(frame):
            self._codes[id(code)] = code
            loops.append((id(code), start))
        is_op = str(getattr(fun, "__module__", "")).partition(".")[0] in ("jax", "jaxlib")
        self._calls.append(_Call(time.time(), tuple(reversed(loops)), is_op))

    def loops(self, until: float) -> list[LoopRuns]:
        """The loops that called many of JAX's functions before this time, with the most calls
        first."""
        calls = [one for one in self._calls if one.moment <= until]
        left, found = [one for one in calls if one.is_op], list[LoopRuns]()
        for _ in range(MOST_LOOPS):
            loop = _main_loop(left)
            if loop is None:
                break
            left = [one for one in left if loop not in one.loops]
            runs = self._runs(loop, calls)
            if runs is not None:
                found.append(runs)
        return found

    def _runs(self, loop: Loop, calls: list[_Call]) -> LoopRuns | None:
        """The runs of a loop; None if most of its time or calls are not those of JAX's
        functions."""
        own = [at for at, one in enumerate(calls) if loop in one.loops]
        ops = sum(calls[at].is_op for at in own)
        # `sum` of a generator adds between the generator's calls.
        spans = [
            (calls[a].moment, calls[b].moment) for a, b in pairwise(own) if b - a <= 2
        ]
        seconds = sum(end - start for start, end in spans)
        if 3 * ops < 2 * len(own) or seconds > LONGEST_CALL * len(own):
            return None
        return LoopRuns(_site(self._codes[loop[0]], loop[1]), len(own), spans)


def _main_loop(calls: list[_Call]) -> Loop | None:
    """The loop with the most calls, or one within it that has nearly as many."""
    counts = Counter(loop for one in calls for loop in one.loops)
    most = max(counts.values(), default=0)
    if most < FEWEST_OPS:
        return None
    large = {loop for loop, count in counts.items() if count >= MOST * most}
    depths = {loop: at for one in calls for at, loop in enumerate(one.loops) if loop in large}
    return max(depths, key=lambda loop: depths[loop])


def _site(code: CodeType, start: int) -> Frame:
    """The line on which a loop begins. The first instruction of a `while` is in its body."""
    positions = next(islice(code.co_positions(), start // 2, None), (None,) * 4)
    line = first = positions[0] or code.co_firstlineno
    text = linecache.getline(code.co_filename, line)
    indent = len(text) - len(text.lstrip())
    if "for " not in text:
        while line > code.co_firstlineno:
            text = linecache.getline(code.co_filename, line)
            if text.strip() and len(text) - len(text.lstrip()) < indent:
                break
            line -= 1
        if not text.lstrip().startswith("while "):
            line = first
    return place(code.co_filename, code.co_qualname, line)
