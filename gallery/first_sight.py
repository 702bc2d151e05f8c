"""Captures the programs of `docs/first-sight.md`, for `first-sight.mjs` to lay out.

    python gallery/first_sight.py FOLDER

The programs are those of libraries and models in the tests, and those of the gallery. Writes each
as `NAME.json`, with its jaxpr only. The folder `same` has one model in five libraries.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

import msgspec

import jaxviz

ROOT = Path(__file__).parent.parent
sys.path += [str(ROOT), str(ROOT / "tests"), str(ROOT / "gallery")]

from tests.truth.libraries import programs  # noqa: E402

Make = Callable[[], Any]


def main(folder: Path) -> None:
    capture(found(), folder)
    same = importlib.import_module("same_models").STYLES["transformer"]
    capture(same.items(), folder / "same")


def capture(programs: Iterable[tuple[str, Make]], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in programs:
        fn, args = make()
        record = jaxviz.inspect(fn)(*args).record
        stages = [msgspec.structs.replace(stage, text="") for stage in record.stages]
        lean = msgspec.structs.replace(record, stages=stages, listings=[])
        (folder / f"{name}.json").write_text(json.dumps(msgspec.to_builtins(lean)))


def found() -> Iterator[tuple[str, Make]]:
    """The programs by name; those whose libraries are not installed are left out, and named."""
    yield from programs().items()
    for module in ("models", "library_models"):
        steps = vars(importlib.import_module(module))
        names = [name for name in steps if name.endswith("_step") or name == "mlp_adam"]
        yield from ((f"{name}", steps[name]) for name in names if name != "adam_step")
    for name, call in importlib.import_module("calls").installed():
        yield f"gallery_{name}", lambda call=call: call


if __name__ == "__main__":
    main(Path(sys.argv[1]))
