"""What was compiled op by op, summed up by op and line."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from jaxviz.capture.events import Apart
from jaxviz.schema import Frame, Op

KNOWN = 2_000
"""Ops at lines that are told apart; later ones are one."""
SHOWN = 100
SPANS = 20
"""Times of one op that are kept."""
TOGETHER = 0.05
"""Seconds between two stretches of one op that are drawn as one."""

Key = tuple[str, Frame | None]


class Ops:
    """Counts by op and line, in the order in which they are met."""

    def __init__(self) -> None:
        self._ops: dict[Key, Op] = {}

    def add(self, apart: Apart) -> None:
        if not apart.op:
            return
        key = (apart.op, apart.site)
        if key not in self._ops and len(self._ops) >= KNOWN:
            key = ("", None)
        known = self._ops.get(key) or _met(*key)
        self._ops[key] = replace(
            known,
            traces=known.traces + (apart.kind == "trace"),
            compiles=known.compiles + (apart.kind == "compile"),
            seconds=known.seconds + apart.seconds,
            spans=_with(known.spans, apart.start, apart.start + apart.seconds),
        )

    def rows(self) -> list[Op]:
        """Those that were compiled; of too many the ones that took longest, and the others' sum."""
        found = [op for op in self._ops.values() if op.compiles > 0]
        if len(found) <= SHOWN:
            return [_named(op) for op in found]
        longest = sorted(range(len(found)), key=lambda i: -found[i].seconds)
        kept = sorted(longest[: SHOWN - 1])
        return [*(_named(found[i]) for i in kept), _sum([found[i] for i in longest[SHOWN - 1 :]])]


def _met(name: str, site: Frame | None) -> Op:
    return Op(name=name, site=site, traces=0, compiles=0, seconds=0.0, spans=[])


def _named(op: Op) -> Op:
    return op if op.name else replace(op, name="… other ops")


def _with(spans: list[float], start: float, stop: float) -> list[float]:
    """A trace, lowering and compilation that follow one another are one stretch."""
    if spans and start - spans[-1] <= TOGETHER:
        return [*spans[:-1], max(spans[-1], stop)]
    return spans if len(spans) >= 2 * SPANS else [*spans, start, stop]


def _sum(ops: Sequence[Op]) -> Op:
    return Op(
        name=f"… {len(ops):,} ops more",
        site=None,
        traces=sum(op.traces for op in ops),
        compiles=sum(op.compiles for op in ops),
        seconds=sum(op.seconds for op in ops),
        spans=[],
    )
