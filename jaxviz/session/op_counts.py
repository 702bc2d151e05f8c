"""Counts ops that JAX compiled one by one, outside jit, by op and by the user's line."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from jaxviz.schema import Frame, Op
from jaxviz.schema.signature import OpProgram, Trace
from jaxviz.session.op_reasons import MOST_PROGRAMS, reason_of
from jaxviz.session.sums import sums

OPS_APART = 2_000
"""The most pairs of op and line that are counted separately. Later ones are counted together."""
OPS_SHOWN = 100
"""The most rows that a page draws."""
SPANS_KEPT = 20
"""The most stretches of time that are stored for one op."""
SAME_SPAN = 0.01
"""The largest gap, in seconds, between two stretches of one op that count as one."""

OpAtLine = tuple[str, Frame | None]


class OpCounts:
    """Counts by op and line, in the order of first sight."""

    def __init__(self) -> None:
        self._ops: dict[OpAtLine, Op] = {}
        self._programs: dict[OpAtLine, dict[OpProgram, None]] = {}

    def add(self, apart: Trace) -> None:
        """Counts a trace or compilation of one of JAX's own functions, if an op called it."""
        if apart.op is None or not apart.op.name:
            return
        key = (apart.op.name, apart.site)
        if key not in self._ops and len(self._ops) >= OPS_APART:
            key = ("", None)
        known = self._ops.get(key) or _new_op(*key)
        programs = self._programs.setdefault(key, {})
        if apart.op.program is not None and len(programs) < MOST_PROGRAMS:
            programs[apart.op.program] = None
        self._ops[key] = replace(
            known,
            traces=known.traces + (apart.kind == "trace"),
            compiles=known.compiles + (apart.kind == "compile"),
            seconds=known.seconds + apart.seconds,
            spans=_with_span(known.spans, apart.start, apart.start + apart.seconds),
        )

    def rows(self) -> list[Op]:
        """The ops that were compiled. Of too many, the longest, and the sum of the others."""
        found = [
            replace(op, reason=reason_of(self._programs[key])) if key[0] else op
            for key, op in self._ops.items()
            if op.compiles > 0
        ]
        if len(found) <= OPS_SHOWN:
            return [_named(op) for op in found]
        longest = sorted(range(len(found)), key=lambda i: -found[i].seconds)
        kept = sorted(longest[: OPS_SHOWN - 1])
        return [
            *(_named(found[i]) for i in kept),
            _sum([found[i] for i in longest[OPS_SHOWN - 1 :]]),
        ]


def _new_op(name: str, site: Frame | None) -> Op:
    return Op(name=name, site=site, traces=0, compiles=0, reason=[], seconds=0.0, spans=[])


def _named(op: Op) -> Op:
    return op if op.name else replace(op, name="… other ops")


def _with_span(spans: list[float], start: float, stop: float) -> list[float]:
    """The spans with one more. A span that follows the last one closely extends it, such as a
    compilation after its trace."""
    if spans and start - spans[-1] <= SAME_SPAN:
        return [*spans[:-1], max(spans[-1], stop)]
    return spans if len(spans) >= 2 * SPANS_KEPT else [*spans, start, stop]


def _sum(ops: Sequence[Op]) -> Op:
    more = _new_op(f"… {len(ops):,} ops more", None)
    return replace(more, **sums(ops, "traces", "compiles", "seconds"))
