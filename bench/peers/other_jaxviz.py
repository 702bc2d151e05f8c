"""The pages that `jaxviz` 0.1.4 of PyPI makes of the programs; runs in an environment of its own.

    python bench/peers/other_jaxviz.py FOLDER NAME ...

Prints JSON: of each program how long its page took to make (ms) and its bytes, or the error.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from programs import PROGRAMS

import jaxviz


def main(folder: Path, names: list[str]) -> None:
    print(json.dumps({name: made(name, folder) for name in names}))


def made(name: str, folder: Path) -> dict[str, Any]:
    fn, args = PROGRAMS[name]()
    start = time.perf_counter()
    try:
        page = jaxviz.trace_model(fn, *args, return_html=True)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}".split("\n")[0]}
    taken = 1e3 * (time.perf_counter() - start)
    (folder / f"{name}.other.html").write_text(f"<!doctype html><meta charset=utf-8>{page}")
    return {"made": taken, "bytes": len(page.encode())}


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
