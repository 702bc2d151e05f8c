"""Findings of logs: what was traced again and need not be, and that nothing is said of the rest."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest
from findings import _MARK
from findings_of_logs import FOUND, SILENT

import jaxviz


@pytest.mark.parametrize("run", [*FOUND, *SILENT], ids=lambda run: run.__name__)
def test_a_log_has_the_findings_that_its_comments_say(run: Callable[[], None]) -> None:
    lines, start = inspect.getsourcelines(run)
    marks = [(at, _MARK.search(line)) for at, line in enumerate(lines)]
    with jaxviz.watch() as log:
        run()
    told = [(one.kind, one.at.line if one.at else 0) for one in log.findings]
    assert told == [(mark[1], start + at) for at, mark in marks if mark], log
    for one in log.findings:
        assert all((one.what, one.cost, one.mend))
