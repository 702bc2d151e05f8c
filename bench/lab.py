"""Measures outputs in JupyterLab: sixty of them while scrolling, one from cell to picture.

    python bench/lab.py

Prints JSON: `outputs`, of a notebook with 60 outputs of a program of 205 eqns; `plain`, of the same
notebook as a page without jaxviz shows it; `capture`, of a cell that shows a program of 5,122
eqns. They are opened in turn, `ROUNDS` times. `bench/lab.mjs` describes the figures.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from programs import mlp

import jaxviz

ROOT = Path(__file__).parent.parent
PORT = int(os.environ.get("JAXVIZ_PORT", "8946"))
OUTPUTS = 60
ROUNDS = 3
LIMIT = 60
"""Seconds that the server gets to answer."""
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}

CAPTURE = f"""
import sys, time
sys.path.insert(0, {str(ROOT / "bench")!r})
import jax
from programs import flat
fun, args = flat(19)
jax.make_jaxpr(flat(2)[0])(*flat(2)[1])
%load_ext jaxviz
"""
SHOWN = """
begin = time.time()
%jaxviz fun(*args)
print('jaxviz-times', begin, time.time())
"""
PLAIN = """
fun, args = flat(19)
begin = time.time()
traced = jax.make_jaxpr(fun)(*args)
print('jaxviz-times', begin, time.time())
"""


def main(folder: Path) -> dict[str, Any]:
    write(folder / "outputs.ipynb", [cell("f(x)", shown()) for _ in range(OUTPUTS)])
    write(folder / "plain.ipynb", [cell("f(x)", undrawn()) for _ in range(OUTPUTS)])
    write(folder / "capture.ipynb", [cell(text) for text in (CAPTURE, PLAIN, SHOWN)])
    server = served(folder)
    try:
        await_answer()
        command = ["node", "bench/lab.mjs", str(PORT), str(ROUNDS)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    finally:
        server.terminate()
        server.wait()
    return json.loads(done.stdout.strip().splitlines()[-1])


def shown() -> dict[str, Any]:
    """An output as a saved notebook has it."""
    fun, args = mlp()
    return jaxviz.inspect(fun)(*args)._repr_mimebundle_()


def undrawn() -> dict[str, Any]:
    """The data of `shown` as a page without jaxviz has it, which draws the still picture.

    JupyterLab keeps the data of an output after its notebook is closed, whoever draws it."""
    return {mime.replace("jaxviz", "unknown"): value for mime, value in shown().items()}


def cell(source: str, data: dict[str, Any] | None = None) -> dict[str, Any]:
    output = {"output_type": "display_data", "data": data, "metadata": {}}
    return {
        "cell_type": "code",
        "id": f"cell{time.monotonic_ns()}",
        "source": source.strip(),
        "metadata": {},
        "execution_count": None,
        "outputs": [output] if data else [],
    }


def write(path: Path, cells: list[dict[str, Any]]) -> None:
    metadata = {"kernelspec": KERNEL}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    path.write_text(json.dumps(notebook))


def served(folder: Path) -> subprocess.Popen[bytes]:
    """JupyterLab, set as for the browser tests."""
    config = ROOT / "ui-tests/jupyter_server_test_config.py"
    command = ["jupyter", "lab", f"--config={config}", f"--ServerApp.root_dir={folder}"]
    return subprocess.Popen(
        command,
        env=os.environ | {"JAXVIZ_PORT": str(PORT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def await_answer() -> None:
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        try:
            urlopen(f"http://127.0.0.1:{PORT}/lab").close()
            return
        except (URLError, ConnectionError):
            time.sleep(0.2)
    raise TimeoutError(f"JupyterLab did not answer within {LIMIT} s")


if __name__ == "__main__":
    print(json.dumps(main(Path(mkdtemp(prefix="jaxviz-lab-")))))
