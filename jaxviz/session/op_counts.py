"""Counts compiled ops by line, in bounded memory. An op is a function of JAX that the user called
outside jit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from jaxviz.schema import (
    Frame,
    Op,
    Variety,
)
from jaxviz.schema.signature import OpProgram, Trace


def sums(records: Sequence[object], *fields: str) -> dict[str, Any]:
    """The sum of each field over all records."""
    return {field: sum(getattr(record, field) for record in records) for field in fields}


MOST_OP_PROGRAMS = 200
"""The most programs of one op at one line that are compared: the first ones."""


def reason_of(programs: Collection[OpProgram]) -> list[Variety]:
    """Differences between the programs of an op, with the number of each."""
    by_label: defaultdict[str, list[OpProgram]] = defaultdict(list)
    for one in programs:
        by_label[one.label].append(one)
    counts = {"program": len(by_label)} | {
        kind: max((_different(kind, own) for own in by_label.values()), default=0)
        for kind in ("shape", "dtype", "weak type", "static value", "placement")
    }
    return [Variety(kind=kind, count=count) for kind, count in counts.items() if count > 1]


def _different(kind: str, programs: Iterable[OpProgram]) -> int:
    """The number of different values. Static arguments are compared only between calls with the
    same types, because JAX derives some from these. Placements are compared between calls that are
    otherwise equal."""
    found: defaultdict[Hashable, set[Hashable]] = defaultdict(set)
    for one in programs:
        types = one.shapes, one.dtypes, one.weak
        match kind:
            case "shape":
                found[None].add(one.shapes)
            case "dtype":
                found[None].add(one.dtypes)
            case "weak type":
                found[one.shapes, one.dtypes].add(one.weak)
            case "static value":
                found[types].add(one.statics)
            case _:
                found[types, one.statics].add(one.placed)
    return max(map(len, found.values()), default=0)


OPS_APART = 2_000
"""The most pairs of op and line that are counted separately. Later ones are counted together."""


OPS_SHOWN = 100
"""The most rows that a page draws."""


MOST_SPANS = 20
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
        op = self._ops.get(key) or _new_op(*key)
        programs = self._programs.setdefault(key, {})
        if apart.op.program is not None and len(programs) < MOST_OP_PROGRAMS:
            programs[apart.op.program] = None
        self._ops[key] = replace(
            op,
            traces=op.traces + (apart.kind == "trace"),
            compiles=op.compiles + (apart.kind == "compile"),
            seconds=op.seconds + apart.seconds,
            spans=_with_span(op.spans, apart.start, apart.start + apart.seconds),
        )

    def rows(self) -> list[Op]:
        """The ops that were compiled. Of too many, the longest, and the sum of the others."""
        found = [
            replace(op, reason=reason_of(self._programs[key])) if key[0] else op
            for key, op in self._ops.items()
            if op.compiles > 0
        ]
        if len(found) <= OPS_SHOWN:
            return [_with_title(op) for op in found]
        longest = sorted(range(len(found)), key=lambda i: -found[i].seconds)
        shown = sorted(longest[: OPS_SHOWN - 1])
        return [
            *(_with_title(found[i]) for i in shown),
            _sum_of_ops([found[i] for i in longest[OPS_SHOWN - 1 :]]),
        ]


def _new_op(name: str, site: Frame | None) -> Op:
    return Op(name=name, site=site, traces=0, compiles=0, reason=[], seconds=0.0, spans=[])


def _with_title(op: Op) -> Op:
    return op if op.name else replace(op, name="… other ops")


def _with_span(spans: list[float], start: float, stop: float) -> list[float]:
    """The spans with one more. A span that follows the last one closely extends it, such as a
    compilation after its trace."""
    if spans and start - spans[-1] <= SAME_SPAN:
        return [*spans[:-1], max(spans[-1], stop)]
    return spans if len(spans) >= 2 * MOST_SPANS else [*spans, start, stop]


def _sum_of_ops(ops: Sequence[Op]) -> Op:
    more = _new_op(f"… {len(ops):,} ops more", None)
    return replace(more, **sums(ops, "traces", "compiles", "seconds"))
