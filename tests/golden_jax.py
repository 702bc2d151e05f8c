"""Says which version of JAX the golden files are of: others make other eqns of the same call."""

from __future__ import annotations

import re
from pathlib import Path

import jax
import pytest

PINNED = (Path(__file__).parent / "constraints" / "pinned.txt").read_text(encoding="utf-8")
GOLDEN_JAX = dict(re.findall(r"^(.+)==(.+)$", PINNED, re.MULTILINE))["jax"]

of_the_golden_jax = pytest.mark.skipif(
    jax.__version__ != GOLDEN_JAX, reason=f"golden stages are of jax {GOLDEN_JAX}"
)
