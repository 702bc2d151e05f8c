"""Captures the programs of the gallery in all stages, and writes `records/NAME.wire`.

    python gallery/capture.py [NAME ...]
    python gallery/capture.py --check [NAME ...]    prints how records differ from new captures
    python gallery/capture.py --check --jaxpr       the same of the first stage alone

A record is in the wire form, as in a notebook's output. The site draws the records, so that it does
not need the libraries of the programs.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

import jax
from calls import PROGRAMS, as_cell, call
from msgspec.structs import replace

import jaxviz
from jaxviz import schema
from jaxviz.display import wire
from jaxviz.stages import StageKind

GALLERY = Path(__file__).parent
RECORDS = GALLERY / "records"
MOST_BYTES = 100_000
"""The most bytes of a record."""
STAGES: tuple[StageKind, ...] = ("jaxpr", "stablehlo", "hlo")


def main(arguments: list[str]) -> int:
    names = [one for one in arguments if not one.startswith("--")]
    stages = STAGES[:1] if "--jaxpr" in arguments else STAGES
    checked = "--check" in arguments
    faults = [
        fault
        for name in names or listed()
        for fault in (check(name, stages) if checked else write(name))
    ]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


def listed() -> list[str]:
    """The programs of the gallery, in its order."""
    sections = tomllib.loads((GALLERY / "gallery.toml").read_text("utf-8"))["sections"]
    return [program["name"] for section in sections for program in section["programs"]]


def write(name: str) -> Iterator[str]:
    """Writes a record, and reports one that is too large."""
    data = wire.encode(captured(name))
    (RECORDS / f"{name}.wire").write_bytes(data)
    print(f"{name}: {len(data):,} bytes", file=sys.stderr)
    if len(data) > MOST_BYTES:
        yield f"{name}: {len(data):,} bytes are more than {MOST_BYTES:,}"


def check(name: str, stages: Sequence[StageKind]) -> Iterator[str]:
    """Differences between a record and a new capture in facts that a reader relies on."""
    try:
        found = facts(captured(name, stages), stages)
    except ModuleNotFoundError as error:
        print(f"{name}: skipped, {error}", file=sys.stderr)
        return
    kept = facts(wire.decode((RECORDS / f"{name}.wire").read_bytes()), stages)
    yield from (
        f"{name}: {fact}: {kept.get(fact)} is now {found.get(fact)}"
        for fact in sorted({*found, *kept})
        if found.get(fact) != kept.get(fact)
    )


def captured(name: str, stages: Sequence[StageKind] = STAGES) -> schema.Program:
    """A program with these stages, and the whole cell as its code, as if a notebook had run it."""
    jax.clear_caches()  # a call that JAX has traced before keeps the lines of its first caller
    with chdir(PROGRAMS):
        function, args = call(Path(f"{name}.py"))
        program = jaxviz.inspect(function)(*args)
        made = [program.stage(kind) for kind in stages]
    if faults := [stage.error for stage in made if stage.error]:
        raise RuntimeError(f"{name}: {faults}")
    code = schema.Listing(
        file=f"{name}.py", cell=None, count=None, start=1, text=as_cell(PROGRAMS / f"{name}.py")
    )
    return replace(program.record, listings=[code])


def facts(program: schema.Program, stages: Sequence[StageKind]) -> dict[str, Any]:
    """Name, arguments, results, numbers of ops and names of groups."""
    found: dict[str, Any] = {
        "name": program.name,
        "args": [(one.path, one.aval) for one in program.args],
        "results": [(one.path, one.aval) for one in program.results],
    }
    for stage in [one for one in program.stages if one.kind in stages]:
        eqns = [eqn for graph in stage.graphs for eqn in graph.eqns]
        groups = [group for graph in stage.graphs for group in graph.groups]
        found[f"ops of {stage.kind}"] = Counter(eqn.op for eqn in eqns)
        found[f"groups of {stage.kind}"] = [(one.name, one.role) for one in groups]
        found[f"lines of {stage.kind}"] = sorted({(f.file, f.line) for f in stage.frames})
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
