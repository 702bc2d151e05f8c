"""Captures every program of the gallery, for `shoot.mjs` to show.

    python gallery/capture.py FOLDER [NAME ...]

Writes `NAME.wire`, what the page is sent, and `programs.json`: of each program, and of some in each
stage, its name, what a reader should see in it, its eqns, and why it is missing where a library is
not installed.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

import jaxviz
from jaxviz.display import wire

PROGRAMS = Path(__file__).parent / "programs"
STAGES = {"stablehlo": "StableHLO", "hlo": "Optimized HLO"}
IN_ALL_STAGES = ("mlp_grad", "nnx_transformer", "sharded")


def main(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    found = sorted(path for path in PROGRAMS.glob("*.py") if not names or path.stem in names)
    listed = [entry for path in found for entry in captured(path, folder)]
    (folder / "programs.json").write_text(json.dumps(listed, indent=1))


def captured(path: Path, folder: Path) -> list[dict[str, Any]]:
    name = path.stem
    try:
        module = load(path)
        fn, args = module.program()
    except ModuleNotFoundError as error:
        print(f"{name}: left out, {error}", file=sys.stderr)
        return [{"name": name, "about": "", "eqns": 0, "missing": str(error)}]
    program = jaxviz.inspect(fn)(*args)
    about = " ".join((module.__doc__ or "").split())
    entries = [entry(program, name, "jaxpr", name, about)]
    if name in IN_ALL_STAGES:
        entries += [
            entry(program, f"{name}.{stage}", stage, name, f"{title} of {name}.")
            for stage, title in STAGES.items()
        ]
    (folder / f"{name}.wire").write_bytes(wire.encode(program.record))
    return entries


def entry(program: Any, name: str, stage: str, file: str, about: str) -> dict[str, Any]:
    eqns = sum(len(graph.eqns) for graph in program.stage(stage).graphs)
    found = {"name": name, "stage": stage, "file": file}
    return {**found, "about": about, "eqns": eqns, "missing": ""}


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"gallery_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python module.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
