"""The table of operations has a row for each primitive of the installed JAX."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter

import jax
import pytest
from golden_jax import GOLDEN_JAX
from msgspec.structs import replace

import jaxviz
from jaxviz import schema
from jaxviz.analysis.cost import with_costs
from jaxviz.analysis.cost.flops import FORMULAS
from jaxviz.ops import OPS, plain_name, row_of
from jaxviz.ops.row import NOT_REPORTED, Op
from jaxviz.ops.targets import TARGETS, target_of

MADE = """
import gc, importlib, json, sys, warnings
warnings.simplefilter("ignore")
for module in sys.argv[1:]:
    try:
        importlib.import_module(module)
    except ImportError:
        pass
from jax.extend.core import Primitive
print(json.dumps([made.name for made in gc.get_objects() if isinstance(made, Primitive)]))
"""
"""Prints the names of all primitives that there are once these modules are imported."""
FURTHER = (
    *("jax.experimental.pallas", "jax.experimental.pallas.tpu", "jax.experimental.pallas.tpu_sc"),
    "jax.experimental.pallas.mosaic_gpu",
    *("jax.experimental.buffer_callback", "jax.experimental.multihost_utils"),
    *("jax.experimental.xla_metadata", "jax._src.interpreters.pxla", "jax._src.program_order"),
)
"""Modules that make primitives, and that `import jax` does not import."""


def made_by(*modules: str) -> set[str]:
    """In a process of its own, where no test has made primitives."""
    command = [sys.executable, "-c", MADE, *modules]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {name.replace("-", "_") for name in json.loads(found)}


def number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:4])


def test_each_primitive_has_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    names = made_by("jax")
    assert len(names) > 240
    missing = sorted(names - {op.name for op in OPS})
    if number(jax.__version__) > number(GOLDEN_JAX):
        with capsys.disabled():
            print(f" jax {jax.__version__}: {len(missing)} of {len(names)} without a row", *missing)
    else:
        assert missing == []


def test_the_installed_jax_has_what_a_row_says_that_it_has() -> None:
    installed = number(jax.__version__)
    names = made_by("jax", *FURTHER)

    def said(op: Op) -> bool:
        return number(op.since) <= installed and (not op.until or installed <= number(op.until))

    rows = [op for op in OPS if op.since]
    assert [op.name for op in rows if said(op) and op.name not in names] == []
    assert [op.name for op in rows if not said(op) and op.name in names] == []


def test_no_op_has_two_rows() -> None:
    assert [name for name, count in Counter(op.name for op in OPS).items() if count > 1] == []


def test_each_primitive_says_in_one_sentence_what_it_does() -> None:
    assert [op.name for op in OPS if bool(op.does) != bool(op.since)] == []
    said = [op.does for op in OPS if op.does]
    assert [text for text in said if not re.fullmatch(r"[A-Z][^\n<>]*[^.]\.", text)] == []


def test_each_cost_is_a_formula_and_each_formula_a_cost() -> None:
    costs = {op.cost for op in OPS} | {target.cost for target in TARGETS}
    assert costs == {NOT_REPORTED, "custom", "library", *FORMULAS}


def test_what_has_begun_costs_what_the_whole_does_and_its_end_nothing() -> None:
    assert plain_name("all-reduce-start") == plain_name("all-reduce-done") == "all_reduce"
    for whole in ("all_reduce", "collective_permute", "all_gather"):
        begin, end = (whole.replace("_", "-") + part for part in ("-start", "-done"))
        assert row_of(begin).cost == row_of(whole).cost != row_of(end).cost == "free"
        assert row_of(begin).family == row_of(whole).family == row_of(end).family
    ends = [op for op in OPS if op.name.endswith("_done")]
    assert {op.cost for op in ends} == {"free"}
    for op in OPS:
        if op.name.endswith("_start"):
            assert op.cost == row_of(op.name.removesuffix("_start")).cost


def test_what_has_no_row_is_not_guessed() -> None:
    for name in ("unheard_of", "my_dot_general", "tt.add", "cholesky_start", "sin_update"):
        assert row_of(name).family == "other"
    stage = jaxviz.inspect(jax.numpy.sin)(1.0).stage("jaxpr")
    [graph] = stage.graphs
    unheard = replace(graph, eqns=[replace(graph.eqns[0], op="unheard_of")])
    found = with_costs(replace(stage, graphs=[unheard]), None).graphs[0].eqns[0].cost
    assert found == schema.Cost(flops=None, transcendentals=None, bytes=None, least=True)


@pytest.mark.parametrize(
    ("name", "family", "cost"),
    [
        ("__cublas$lt$matmul", "contraction", "dot"),
        ("__onednn$matmul", "contraction", "dot"),
        ("__cudnn$convForward", "contraction", "library_convolution"),
        ("__cudnn$fmhaSoftmax", "contraction", NOT_REPORTED),
        ("__cublas$triangularSolve", "contraction", "triangular_solve"),
        ("__gpu$TopK", "reduction", "moves"),
        ("xla.gpu.ext.cub_sort_pairs", "reduction", NOT_REPORTED),
        ("cusparse_gtsv2_ffi", "contraction", "tridiagonal_solve"),
        ("lapack_spotrf_ffi", "contraction", "library"),
        ("ApproxTopK", "reduction", "moves"),
        ("xla.sdy.FuncResultSharding", "collective", "moves"),
        ("my_sorted_matmul", "other", NOT_REPORTED),
        ("shard_and_dot", "other", NOT_REPORTED),
    ],
)
def test_a_custom_call_is_known_by_its_library(name: str, family: str, cost: str) -> None:
    assert (target_of(name).family, target_of(name).cost) == (family, cost)
