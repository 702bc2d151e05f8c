"""Findings: what is said of programs with a fault, and that nothing is said of near misses."""

from __future__ import annotations

import pytest
from findings import Case, cases, expected

import jaxviz


def found(one: Case) -> list[jaxviz.Finding]:
    program = jaxviz.inspect(one.fun)(*one.args)
    for stage in one.stages:
        assert program.stage(stage).error is None
    return program.findings


@pytest.mark.parametrize("name", cases())
def test_a_program_has_the_findings_that_its_comments_say(name: str) -> None:
    one = cases()[name]
    told = [(each.kind, each.at.line if each.at else 0) for each in found(one)]
    assert sorted(told) == expected(one), found(one)
