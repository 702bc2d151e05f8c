"""`python -m tests.truth.libraries`: see the package's own words."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import jax

from . import lacking, library, programs
from .agreement import Agreement, agreement, authors, inspected
from .outlines import outline, text

COLUMNS = ("programs", "roles", "names", "nobodys")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.truth.libraries")
    parser.add_argument("letters", nargs="*", help="letters of programs' names")
    parser.add_argument("--save", metavar="FILE", help="keep the score, as JSON")
    args = parser.parse_args()
    libraries: dict[str, dict[str, int]] = {}
    for name in programs():
        if not args.letters or any(letters in name for letters in args.letters):
            row = libraries.setdefault(library(name), dict.fromkeys(COLUMNS, 0))
            count(row, told(name, quiet=bool(args.save)))
    print(f"jax {jax.__version__}")
    for label, row in libraries.items():
        print(f"{label}: " + ", ".join(f"{row[column]} {column}" for column in COLUMNS))
    for label, why in lacking().items():
        print(f"{label} is not here: {why}")
    if args.save:
        made: dict[str, Any] = {
            "jax": jax.__version__,
            "python": ".".join(map(str, sys.version_info[:2])),
            "names": libraries,
            "lacking": sorted(lacking()),
        }
        Path(args.save).write_text(json.dumps(made, indent=1), encoding="utf-8")


def told(name: str, quiet: bool) -> Agreement:
    stage = inspected(name).stage("jaxpr")
    found = agreement(name, stage)
    if found.lines() and not quiet:
        said = f"jaxviz: {text(outline(stage))}", f"author: {authors()[name]}"
        print(f"✗ {name}", *said, *found.lines(), sep="\n    ", flush=True)
    return found


def count(row: dict[str, int], found: Agreement) -> None:
    row["programs"] += 1
    for column in COLUMNS[1:]:
        row[column] += not getattr(found, column)


if __name__ == "__main__":
    main()
