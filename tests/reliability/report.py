"""The score: printed, kept as JSON of one version of JAX, and docs/reliability.md of all versions."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import jax

from .runner import Result

PARTS = ("counts", "reasons", "places", "unknown", "wrong")
DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "reliability.md"
HEAD = """# How reliable it is

What jaxviz tells of traces, held against the truth. Each *program* is a small cell of a user's: of
each it is known beforehand what is traced, lowered and compiled, at which line, and why, since it is
made of parts of which that is known; and its functions count how often their bodies run. They are
every kind of change with every way to write a function, and a draw of the orders of looking at it
(`%jaxviz`, `jaxviz.inspect`, a later stage opened, before the calls, between and after them).

*Counts right*: as many traces, lowerings and compilations are told as there were. *Wrong reasons*:
another change is told than the one that was made. *Not known why*: jaxviz says that it does not
know. *Wrong lines*: another function, definition or call is named. `make reliability` writes this
page; `python -m tests.reliability --case NAME --show` prints programs.
"""


def score(results: Iterable[Result]) -> dict[str, Any]:
    """One version's figures, by library."""
    libraries: dict[str, dict[str, int]] = {}
    for one in results:
        row = libraries.setdefault(one.program.library, dict.fromkeys(COLUMNS, 0))
        row["programs"] += 1
        row["traces"] += one.traces
        row["looked"] += one.program.looking != "not looked at"
        for part in PARTS:
            row[part] += len(getattr(one, part))
        row["counted"] += not (one.counts or one.wrong)
    return {
        "jax": jax.__version__,
        "python": ".".join(map(str, sys.version_info[:2])),
        "libraries": libraries,
    }


COLUMNS = ("programs", "looked", "traces", "counted", *PARTS)


def total(made: dict[str, Any]) -> dict[str, int]:
    rows = made["libraries"].values()
    return {column: sum(row[column] for row in rows) for column in COLUMNS}


def text(scores: list[dict[str, Any]]) -> str:
    """The page."""
    return "\n".join([HEAD, *(line for made in scores for line in _table(made))])


def _table(made: dict[str, Any]) -> Iterator[str]:
    yield f"## jax {made['jax']}, Python {made['python']}, CPU"
    yield ""
    yield (
        "| library | programs | looked at | traces | counts right | wrong reasons | not known why "
        "| wrong lines |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for library, row in made["libraries"].items():
        yield _row(library, row)
    yield _row("**all**", total(made))
    yield ""
    if lacking := made.get("lacking"):
        yield f"Not installed there: {', '.join(lacking)}."
        yield ""


def _row(name: str, row: dict[str, int]) -> str:
    counted = f"{100 * row['counted'] / row['programs']:.1f} %"
    figures = [row["programs"], row["looked"], row["traces"], counted]
    figures += [row["reasons"], row["unknown"], row["places"]]
    return f"| {name} | " + " | ".join(map(_figure, figures)) + " |"


def _figure(value: int | str) -> str:
    return value if isinstance(value, str) else f"{value:,}"


def write(files: list[str]) -> None:
    """docs/reliability.md, of the scores that were kept."""
    scores = [json.loads(Path(file).read_text()) for file in files]
    scores.sort(key=lambda made: [int(part) for part in made["jax"].split(".")])
    DOCUMENT.write_text(text(scores))
