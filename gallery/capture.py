"""Captures every program of the gallery, for `shoot.mjs` to show.

    python gallery/capture.py FOLDER [NAME ...]

The programs are those in `programs/`, and the programs of libraries in the tests. Writes
`NAME.wire`, which the page gets, and `programs.json`. This lists each program (some in each stage)
with its name, the things that a reader should see in it, its eqns, whether only its first view is
shown, and why it is missing if a library is not installed.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

import jaxviz
from jaxviz.display import wire

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT))

from tests.truth.libraries import lacking, programs  # noqa: E402
from tests.truth.libraries.agreement import authors  # noqa: E402

PROGRAMS = ROOT / "gallery" / "programs"
IN_FULL = (
    *("nnx_mnist", "nnx_scan", "linen_vae", "equinox_scan_over_layers", "haiku_batch_norm"),
    *("keras_fit", "jitted_layers", "scan_over_batches", "optax_two_optimizers", "numpyro_nuts"),
)
"""Programs of libraries that are shown as those of the gallery are; of the others the first view.
"""
STAGES = {"stablehlo": "StableHLO", "hlo": "Optimized HLO"}
IN_ALL_STAGES = ("mlp_grad", "nnx_transformer", "sharded")


def main(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    found = sorted(path for path in PROGRAMS.glob("*.py") if not names or path.stem in names)
    listed = [entry for path in found for entry in of_file(path, folder)]
    for name in dict.fromkeys((*IN_FULL, *programs())):
        if not names or name in names:
            listed += of_library(name, folder)
    (folder / "programs.json").write_text(json.dumps(listed, indent=1))


def of_file(path: Path, folder: Path) -> list[dict[str, Any]]:
    try:
        module = load(path)
    except ModuleNotFoundError as error:
        return left_out(path.stem, str(error))
    return captured(path.stem, module.program, " ".join((module.__doc__ or "").split()), folder)


def of_library(name: str, folder: Path) -> list[dict[str, Any]]:
    if name not in programs():
        return left_out(name, "; ".join(lacking().values()))
    about = f"What its author would say that its parts are: `{authors()[name]}`"
    own = f"{name}_of_tests" if (PROGRAMS / f"{name}.py").exists() else name
    found = captured(own, programs()[name], about, folder)
    return [{**one, "first_alone": name not in IN_FULL} for one in found]


def left_out(name: str, why: str) -> list[dict[str, Any]]:
    print(f"{name}: left out, {why}", file=sys.stderr)
    return [{"name": name, "about": "", "eqns": 0, "missing": why}]


def captured(name: str, make: Callable[[], Any], about: str, folder: Path) -> list[dict[str, Any]]:
    fn, args = make()
    program = jaxviz.inspect(fn)(*args)
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
