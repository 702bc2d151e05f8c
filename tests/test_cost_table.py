"""What we count is what XLA counts, stage by stage, in programs of every family."""

from __future__ import annotations

import pytest
from costed_programs import PROGRAMS, Call
from costs_table import agrees, pairs, rows

CALLS = [
    pytest.param(call, id=f"{family}: {name}")
    for family, calls in PROGRAMS.items()
    for name, call in calls.items()
]


@pytest.mark.parametrize("call", CALLS)
def test_costs_are_xlas(call: Call) -> None:
    for row in rows(call):
        if row.apart:
            continue
        for what, ours, reported in pairs(row):
            assert agrees(ours, reported), (row.kind, what, ours, reported)
