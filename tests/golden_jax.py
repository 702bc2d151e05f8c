"""Says which version of JAX the golden files are of: others make other eqns of the same call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import jax
import pytest

PINNED = (Path(__file__).parent / "constraints" / "pinned.txt").read_text(encoding="utf-8")
GOLDEN_JAX = dict(re.findall(r"^(.+)==(.+)$", PINNED, re.MULTILINE))["jax"]

EVERY_JAX = frozenset({"capture", "errors", "tools", "watch"})
"""Folders whose tests run on each JAX: they read what JAX makes."""
SELDOM = frozenset({"analysis", "display", "program"})
"""Folders whose tests read records: on another JAX `make test-all` alone runs them."""
ONE_JAX = frozenset({"export", "project", "schema"})
"""Folders whose tests no JAX can change: of files, texts and scripts."""

_SLOW_ELSEWHERE = """
find_nan find_nan_magic guards harnesses mends module_files profile_magic reliability run
stablehlo_harnesses statistics_lines statistics_magic
"""
SLOW_ELSEWHERE = frozenset(f"test_{name}" for name in _SLOW_ELSEWHERE.split())
"""Modules of these that take long and seldom differ: on another JAX `make test-all` runs them."""

Golden = Callable[[Path, str], str]
"""The fixture `golden`: what a golden file says, beside the text that it should say."""


def part(cases: Iterable[Any], of: int) -> list[Any]:
    """Cases of a sweep: one in `of` cases in every run, all in `make test-all`."""
    return [
        case if number % of == 0 else pytest.param(case, marks=pytest.mark.slow)
        for number, case in enumerate(cases)
    ]


slow_elsewhere = pytest.mark.slow if jax.__version__ != GOLDEN_JAX else lambda test: test

of_the_golden_jax = pytest.mark.skipif(
    jax.__version__ != GOLDEN_JAX, reason=f"golden stages are of jax {GOLDEN_JAX}"
)
