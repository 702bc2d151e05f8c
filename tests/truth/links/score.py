"""Which instructions of optimized HLO bear their eqn, over the gallery and programs of libraries,
whether what is guessed is right (`removed.py`), and the same of the labelled functions.

python -m tests.truth.links.score               prints each program, in f32 and in bf16
python -m tests.truth.links.score nnx gpt2      those with these letters in their names
python -m tests.truth.links.score --save FILE   keeps the shares, for docs/reliability.md
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
    sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[3] / "gallery")]

import jax
import jax.numpy as jnp

import jaxviz
from jaxviz import schema
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.ops import row_of
from tests.truth.links.removed import Removed, removed
from truth.libraries import library, programs
from truth.links.checked import FUNCTIONS, Checked, checked

gallery: Any = importlib.import_module("calls")
DTYPES = ("f32", "bf16")
KINDS = {
    "bf16": ("half",),
    "sharded": ("sharded",),
    "convolution": ("convolution",),
    "scatter": ("scatter", "gather", "places"),
    "cumulative": ("cumulative",),
    "others": ("",),
}
"""Prefixes of the names of labelled functions, by kind; the first that fits counts."""
NOTHING = Checked([], 0, 0, 0)


class Share(NamedTuple):
    """Numbers of instructions that do work, and of linked ones among them."""

    work: int
    exact: int
    guessed: int
    own: int
    """Bear no eqn, but the reason why XLA inserted them."""
    without: Counter[str]
    """The opcodes of the rest."""
    removed: Removed


def share(stage: schema.Stage, jaxpr: schema.Stage, seed: str) -> Share:
    eqns = [eqn for graph in stage.graphs for eqn in graph.eqns if not row_of(eqn.op).idle]
    exact = sum(bool(eqn.origin) and not eqn.guess for eqn in eqns)
    own = sum(not eqn.origin and eqn.own != "" for eqn in eqns)
    without = Counter(eqn.op for eqn in eqns if not eqn.origin and not eqn.own)
    guessed = sum(eqn.guess for eqn in eqns)
    return Share(len(eqns), exact, guessed, own, without, removed(stage, jaxpr, seed))


def in_bf16(args: Any) -> Any:
    """The arguments with bf16 in place of f32."""

    def half(leaf: Any) -> Any:
        is_single = getattr(leaf, "dtype", None) == jnp.float32
        if not is_single or isinstance(leaf, jax.ShapeDtypeStruct):
            return leaf
        return jax.device_put(leaf.astype(jnp.bfloat16), getattr(leaf, "sharding", None))

    return jax.tree.map(half, args)


def calls(letters: list[str]) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """For each program its library, its name, and a function that makes its call."""
    for name, made in gallery.installed():
        if not letters or any(one in name for one in letters):
            yield "gallery", name, lambda made=made: made
    for name, call in programs().items():
        if not letters or any(one in name for one in letters):
            yield library(name), name, call


def measured(name: str, call: Callable[[], Any], dtype: str) -> Share | str:
    """The share of a program, or why there is none: not all are written for bf16."""
    try:
        function, args = call()
        program = jaxviz.inspect(function)(*(in_bf16(args) if dtype == "bf16" else args))
        stage = program.stage("hlo")
    except (
        CaptureError,
        ModuleNotFoundError,
        AttributeError,
    ) as error:  # a library's older version
        return str(error).splitlines()[0]
    return (
        str(stage.error) if stage.error else share(stage, program.stage("jaxpr"), f"{name} {dtype}")
    )


def of_labelled() -> dict[str, list[int]]:
    """By kind how many labelled functions there are; then of their StableHLO what came from an eqn,
    what of that is linked, how much of it exactly, and how much wrongly; then of their HLO. Only
    HLO has labels for programs of several devices."""
    rows: dict[str, list[int]] = {}
    for name in FUNCTIONS:
        kind = next(kind for kind, begins in KINDS.items() if name.startswith(begins))
        stablehlo = checked(name, "stablehlo") if kind != "sharded" else NOTHING
        both = (stablehlo, checked(name, "hlo"))
        counts = [1, *(n for one in both for n in (*one[1:], len(one.wrong)))]
        rows[kind] = [x + y for x, y in zip(rows.get(kind, [0] * 9), counts, strict=True)]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.truth.links.score")
    parser.add_argument("letters", nargs="*", help="letters of programs' names")
    parser.add_argument("--save", metavar="FILE", help="keep the shares, as JSON")
    args = parser.parse_args()
    rows: dict[str, dict[str, list[int]]] = {}
    for counted, name, call in calls(args.letters):
        for dtype in DTYPES:
            found = measured(name, call, dtype)
            print(f"{name:32} {dtype:5}", _told(found), flush=True)
            row = rows.setdefault(counted, {}).setdefault(dtype, [0] * 9)
            if isinstance(found, Share):
                row[:] = [a + b for a, b in zip(row, (1, *found[:4], *found.removed), strict=True)]
    if args.save:
        version = ".".join(map(str, sys.version_info[:2]))
        made = {"jax": jax.__version__, "python": version, "links": rows, "labelled": of_labelled()}
        Path(args.save).write_text(json.dumps(made, indent=1))


def _told(found: Share | str) -> str:
    if isinstance(found, str):
        return found
    told = f"{found.work:6} {found.exact:6} {found.guessed:6} {found.own:4}"
    return f"{told} | {' '.join(map(str, found.removed))} | {dict(found.without)}"


if __name__ == "__main__":
    main()
