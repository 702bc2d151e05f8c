"""Two programs as one, compared with files that a person can read: `pytest --update-golden`."""

from __future__ import annotations

from pathlib import Path

import jax
import msgspec
import pytest
from compared_programs import PAIRS, captured
from records import loose_ends

from jaxviz import schema
from jaxviz.analysis.compare import compared
from jaxviz.display import decode, encode

GOLDEN = Path(__file__).parent / "golden" / "compared"


@pytest.mark.parametrize("name", PAIRS)
def test_golden(name: str, update_golden: bool) -> None:
    found = compared(*captured(name))
    path = GOLDEN / f"{name}.json"
    if update_golden:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    assert loose_ends(found.stages[0]) == []
    assert decode(encode(found)) == found
    golden = msgspec.json.decode(path.read_bytes(), type=schema.Program)
    if golden.jax == jax.__version__:
        assert found == golden
