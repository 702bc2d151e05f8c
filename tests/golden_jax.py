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

_OF_ONE_JAX = """
amounts compare_parts compare_properties compare_scale compared_saved dot drawable formats glossary
html install jax_environment kernel_words languages lessons_table limits listing live_faults
live_outputs load loader locale mutated_files opening other_jaxviz picture picture_compared
picture_engine picture_kernel picture_properties png readme reference rules rules_generated site
wire
"""
OF_ONE_JAX = frozenset(f"test_{name}" for name in _OF_ONE_JAX.split())
"""Modules of tests that no version of JAX can change: of what records become, and of texts."""

_SLOW_ELSEWHERE = """
cost_table display find_nan find_nan_magic harnesses how_to library_programs live
live_faults mends module_files page_requests panel profile_magic reliability run stablehlo_harnesses
statistics_lines statistics_magic unchanged
"""
SLOW_ELSEWHERE = frozenset(f"test_{name}" for name in _SLOW_ELSEWHERE.split())
"""Modules that take long and seldom differ: on other versions of JAX `make test-all` runs them."""

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
