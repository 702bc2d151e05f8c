"""Sizes, flops and durations are written as people write them, in the kernel as on the page."""

import json
from pathlib import Path

import pytest

from jaxviz.sentences.amounts import bytes_text, flops_text, seconds_text

WRITERS = {"bytes": bytes_text, "flops": flops_text, "seconds": seconds_text}
TABLE = json.loads((Path(__file__).parents[1] / "amounts.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", WRITERS)
def test_amounts_are_written_as_people_write_them(kind: str) -> None:
    assert [[one, WRITERS[kind](one)] for one, _ in TABLE[kind]] == TABLE[kind]
