"""Comparisons that are too large to be saved whole in a notebook."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import load

from jaxviz.display import decode, encode
from jaxviz.display.fit import reductions

GOLDEN = sorted((Path(__file__).parents[1] / "golden" / "compared").glob("*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_marks_are_of_the_eqns_that_are_left(path: Path) -> None:
    record = load(path)
    assert record.compared
    for _, data in reductions(record, encode(record), "jaxpr"):
        saved = decode(data)
        if saved.compared is None:
            continue
        eqns = sum(len(graph.eqns) for graph in saved.stages[0].graphs)
        kept = [mark for mark in record.compared.marks if mark.eqn < eqns]
        assert saved.compared.marks == kept
