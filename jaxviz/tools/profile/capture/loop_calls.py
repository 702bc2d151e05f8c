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

from jaxviz.capture.events.user_lines import users_loops
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
        """All code that was seen, by its `id`. It stays alive."""
        self._spans: dict[int, tuple[tuple[int, int], ...]] = {}
        """The first instruction of each loop of the user's code and its jump back, inner loops
        first."""

    def note(self, fun: Any, frame: FrameType | None) -> None:
        """Records a call of `fun` from this frame. It runs within the user's call."""
        if len(self._calls) >= MOST_CALLS or get_ident() != self._thread:
            return
        loops = list[Loop]()
        while frame is not None:
            key = id(frame.f_code)
            spans = self._spans.get(key)
            if spans is None:
                spans = self._seen(frame.f_code)
            for start, stop in spans:
                if start <= frame.f_lasti <= stop and (key, start) not in loops:
                    loops.append((key, start))
            frame = frame.f_back
        module = getattr(fun, "__module__", "")
        is_op = type(module) is str and module.partition(".")[0] in ("jax", "jaxlib")
        self._calls.append(_Call(time.time(), tuple(reversed(loops)), is_op))

    def _seen(self, code: CodeType) -> tuple[tuple[int, int], ...]:
        self._codes[id(code)] = code
        self._spans[id(code)] = (*sorted(users_loops(code), reverse=True),)
        return self._spans[id(code)]

    def loops(self, until: float) -> list[LoopRuns]:
        """The loops that called many of JAX's functions before this time, with the most calls
        first."""
        calls = [one for one in self._calls if one.moment <= until]
        left, found = [one for one in calls if one.is_op], list[LoopRuns]()
        outer = set[Loop]()
        for _ in range(MOST_LOOPS):
            loop = _main_loop(left, outer)
            if loop is None:
                break
            outer.update(*(one.loops for one in left if loop in one.loops))
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
        spans = [(calls[a].moment, calls[b].moment) for a, b in pairwise(own) if b - a <= 2]
        seconds = sum(end - start for start, end in spans)
        if 3 * ops < 2 * len(own) or seconds > LONGEST_CALL * len(own):
            return None
        return LoopRuns(_site(self._codes[loop[0]], loop[1]), len(own), spans)


def _main_loop(calls: list[_Call], seen: set[Loop]) -> Loop | None:
    """The loop with the most calls, or one within it that has half as many; none of those that were
    `seen` around another."""
    counts = Counter(loop for one in calls for loop in one.loops if loop not in seen)
    if max(counts.values(), default=0) < FEWEST_OPS:
        return None
    [(outer, most)] = counts.most_common(1)
    inside = [one.loops for one in calls if outer in one.loops]
    within = Counter(loop for loops in inside for loop in loops[loops.index(outer) :])
    depths = {loop: at for loops in inside for at, loop in enumerate(loops)}
    return max(
        (loop for loop, count in within.items() if count >= MOST * most),
        key=depths.__getitem__,
    )


def _site(code: CodeType, start: int) -> Frame:
    """The line on which a loop begins. The first instruction of a `while` is in its body."""
    positions = next(islice(code.co_positions(), start // 2, None), (None,) * 4)
    line = positions[0] or code.co_firstlineno
    text = linecache.getline(code.co_filename, line)
    if "for " not in text:
        for number in range(line - 1, code.co_firstlineno - 1, -1):
            above = linecache.getline(code.co_filename, number)
            if above.strip() and _indent(above) < _indent(text):
                line = number if above.lstrip().startswith("while ") else line
                break
    return place(code.co_filename, code.co_qualname, line)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
