"""Our counts are XLA's, stage by stage, in programs of every family."""

from __future__ import annotations

import subprocess
import sys

import jax
import pytest
from costed_programs import PROGRAMS, Call
from costs_table import HERE, faults
from golden_jax import part

OPEN = {
    "accumulate": pytest.mark.xfail(
        jax.__version_info__ >= (0, 12),
        reason="XLA of JAX 0.12 counts 4 bytes for a pointer of a tuple, which has 8: 116 of 5,157",
        strict=True,
    )
}
"""Programs whose figures are not XLA's, with the reason if it is known."""
CALLS = [
    pytest.param(call, id=f"{family}: {name}", marks=OPEN.get(name, ()))
    for family, calls in PROGRAMS.items()
    for name, call in calls.items()
]


@pytest.mark.parametrize("call", part(CALLS, of=2))
def test_costs_are_xlas(call: Call) -> None:
    assert list(faults(call)) == []


@pytest.mark.slow
def test_costs_of_the_gallery_and_of_libraries_are_xlas() -> None:
    """In a process of its own, which has eight devices."""
    command = [sys.executable, str(HERE / "costs_table.py"), "--check"]
    assert subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout == ""
