"""Where a process may open no more files, what needs one says so in one sentence.

Each process is one of its own: it opens files until it may open no more, and tries everything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from jaxviz.safety.files import SENTENCE

ROOT = Path(__file__).parents[2]
SCRIPT = """
import json, os, resource, sys
import jax, jax.numpy as jnp, jaxviz
from jaxviz.capture.stages import refusal

def f(x):
    for _ in range(30):
        x = jnp.tanh(x) + 1.0
    return x

x = jnp.ones(8)
program, other = jaxviz.inspect(f)(x), jaxviz.inspect(f)(x)
with jaxviz.watch() as log:
    jax.jit(f)(x)
program.save("p.json")
program.save("p.mlir")
if sys.argv[1] == "used before":
    for form in ("svg", "png", "html", "dot", "jaxpr"):
        program.save(f"before.{form}")
    log.save("before.html")
    jaxviz.profile(f)(x)
resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
held = []
try:
    while True:
        held.append(os.open(os.devnull, os.O_RDONLY))
except OSError:
    pass

def elsewhere():
    before, refusal.LONGEST_RUN = refusal.LONGEST_RUN, 0
    found = str(other.stage("hlo").error)
    refusal.LONGEST_RUN = before
    return found

def said(work):
    try:
        return work()
    except Exception as error:
        return f"{type(error).__name__}: {error}"

tried = {
    **{f"load {one}": lambda one=one: jaxviz.load(one) for one in ("p.json", "p.mlir")},
    **{f"save {one}": lambda one=one: program.save(f"new.{one}")
       for one in ("json", "svg", "png", "html", "dot", "jaxpr", "mlir")},
    "save log": lambda: log.save("log.html"),
    "elsewhere": elsewhere,
    "profile": lambda: jaxviz.profile(f)(x),
    "passes": lambda: jaxviz.passes(program),
}
found = {name: said(work) for name, work in tried.items()}
works = [bool(str(program)), "text/plain" in program._repr_mimebundle_(), float(f(x)[0]) > 1.0,
         len(jaxviz.inspect(f)(x).stage("jaxpr").graphs) > 0]
for one in held:
    os.close(one)
after = [jaxviz.load("p.json") == program, program.save("p.png"), other.stage("hlo").error,
         bool(jaxviz.profile(f)(x).lines)]
print(json.dumps([found, works, after]))
"""


@pytest.mark.parametrize("before", ["used before", "new"])
def test_it_is_reported_in_one_sentence_and_all_works_afterwards(
    before: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, before],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found, works, after = json.loads(done.stdout.splitlines()[-1])
    for name, sentence in found.items():
        assert sentence is not None, name
        assert "\n" not in sentence
        assert "Errno" not in sentence, name
        assert SENTENCE in sentence or SENTENCE.capitalize() in sentence, (name, sentence)
    assert works == [True] * 4
    assert after == [True, None, None, True]
