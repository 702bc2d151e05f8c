"""Judges the cards of the programs in this folder, by library: the help page, the first fix and the
story of the value.

python -m tests.truth.errors.score               prints each fault, and the score
python -m tests.truth.errors.score nnx einsum    the programs with these letters in their names
python -m tests.truth.errors.score --save FILE   keeps the score, for docs/reliability.md

Applies the first fix of each card to the cell, runs it, and compares its result with that of the
meant program, if the case has one (`cases.py`).
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")
    sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[2] / "errors")]

import jax
import numpy as np
from IPython.utils.capture import capture_output

from jaxviz import schema
from jaxviz.explain import explanation_of

cases: Any = importlib.import_module("truth.errors.cases")
shells: Any = importlib.import_module("shells")
tested: Any = importlib.import_module("test_explain")
fixed: Any = importlib.import_module("test_fixes")

COLUMNS = ("programs", "pages", "edits", "wrong", "advice", "stories", "untrue")
LIBRARIES = {
    "flax.linen": "Flax linen",
    "nnx": "Flax NNX",
    "optax": "Optax",
    "equinox": "Equinox",
    "haiku": "Haiku",
    "keras": "Keras",
    "numpyro": "NumPyro",
    "diffrax": "Diffrax",
}


class Judged(NamedTuple):
    """The judgement on one card."""

    page: bool
    edits: bool
    advice: bool
    stories: bool
    wrong: str
    """Why the edit is wrong; empty if it is right."""
    untrue: str
    """The story, if it is not that of the case."""


def judged(shell: Any, case: Any) -> Judged:
    error = raised(shell, case.source)
    found = None if error is None else explanation_of(error)
    if found is None:
        return Judged(case.kind == "none", False, False, False, "", "")
    card, first = found.card, next(iter(found.card.fixes), None)
    edits = first is not None and first.promise != "sketch"
    story, truth = tested.told(card, found.program)["story"], case.facts.get("story")
    return Judged(
        page=card.kind == case.kind,
        edits=edits,
        advice=first is not None and not edits,
        stories=bool(story),
        wrong=wrong_fix(shell, case, first) if first is not None and edits else "",
        untrue=story if truth is not None and story != truth else "",
    )


def raised(shell: Any, code: str) -> BaseException | None:
    with capture_output(), warnings.catch_warnings(action="ignore"):
        return shell.run_cell(code, store_history=True).error_in_exec


def wrong_fix(shell: Any, case: Any, fix: schema.Fix) -> str:
    """Why a fix is wrong: it fails, or its result is another one and it does not say so."""
    lines = case.source.splitlines()
    text = "\n".join([*lines[: fix.first - 1], *fix.lines, *lines[fix.last :]])
    try:
        found = fixed.result(shell, text)
        if case.meant and not fix.differs:
            for one, other in zip(fixed.result(shell, case.meant), found, strict=True):
                np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-5)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"
    return ""


def library(case: Any) -> str:
    imports = [line for line in case.source.splitlines() if "import" in line]
    known = (name for word, name in LIBRARIES.items() if any(word in line for line in imports))
    return next(known, "JAX")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.truth.errors.score")
    parser.add_argument("letters", nargs="*", help="letters of programs' names")
    parser.add_argument("--save", metavar="FILE", help="keep the score, as JSON")
    args = parser.parse_args()
    shell, rows = next(shells.fresh(shells.SETUP)), {}
    for case in cases.CASES:
        if case.of_this_jax and (not args.letters or any(one in case.name for one in args.letters)):
            _count(rows.setdefault(library(case), dict.fromkeys(COLUMNS, 0)), case, shell)
    for name, row in rows.items():
        print(name, ", ".join(f"{count} {column}" for column, count in row.items()))
    if args.save:
        version = ".".join(map(str, sys.version_info[:2]))
        made = {"jax": jax.__version__, "python": version, "cards": rows}
        Path(args.save).write_text(json.dumps(made, indent=1))


def _count(row: dict[str, int], case: Any, shell: Any) -> None:
    with contextmanager(shells.left_as_before)(shell):
        found = judged(shell, case)
    said = [*["another page"] * (not found.page), found.wrong, found.untrue]
    for one in filter(None, said):
        print(f"✗ {case.name}: {one}", flush=True)
    counts = (1, found.page, found.edits, bool(found.wrong))
    counts += (found.advice, found.stories, bool(found.untrue))
    for column, count in zip(COLUMNS, counts, strict=True):
        row[column] += count


if __name__ == "__main__":
    main()
