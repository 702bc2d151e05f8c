"""`python -m jaxviz run script.py` is `python script.py`, with a card below the traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from golden_jax import part

CONDITION = "if or while on a traced value (TracerBoolConversionError)"
FAILS = """
import sys
import jax

@jax.jit
def 함수(x):
    print("traced", sys.argv[1:], __name__, __file__)
    return x if x > 0 else -x

함수(1.0)
"""
HOOKED = FAILS.replace("import jax\n", "import jax, jaxviz\njaxviz.explain_uncaught()\n", 1)
OWN = "def f():\n    raise KeyError('mine')\n\nf()\n"
NUMPY = "import jax, numpy as np\nnp.ones(3) + np.ones(4)\n"
SCRIPTS = {
    "a card": FAILS,
    "an error of one's own": OWN,
    "an error of NumPy's": NUMPY,
    "no error": "print('done')\n",
    "a status": "import sys\nprint('ends')\nsys.exit(3)\n",
    "a sentence": "raise SystemExit('no such file')\n",
    "an error of syntax": "def f(:\n    pass\n",
    "a cause": "try:\n    1 / 0\nexcept OSError:\n    pass\nfinally:\n    {}[0]\n",
    "an interrupt": "raise KeyboardInterrupt\n",
    "a platform": "import os\nos.environ['JAX_PLATFORMS'] = 'none'\nimport jax\njax.devices()\n",
    "its own folder": "import beside\nprint(beside.here)\n",
    "a hook of its own": "import sys\nsys.excepthook = lambda *a: print(a[0].__name__)\n1 / 0\n",
}
CARDS = {"a card": CONDITION}
"""Sentences of the cards of errors that JAX raised."""


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, cwd=folder, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "beside.py").write_text("here = 'beside'\n")
    return tmp_path


@pytest.mark.parametrize("name", part(SCRIPTS, of=3))
def test_a_script_runs_as_without_us(folder: Path, name: str) -> None:
    (folder / "script.py").write_text(SCRIPTS[name], encoding="utf-8")
    plain = run(folder, "script.py", "--one", "2")
    ours = run(folder, "-m", "jaxviz", "run", "script.py", "--one", "2")
    assert (ours.returncode, ours.stdout) == (plain.returncode, plain.stdout)
    assert ours.stderr.startswith(plain.stderr)
    card = ours.stderr.removeprefix(plain.stderr)
    assert CARDS[name] in card if name in CARDS else card == ""


READS = """
import jax, jax.numpy as jnp
from functools import partial

@jax.jit
def f(x, flag):
    h = jnp.sin(x)
    if {test}:
        h = h * 2
    return h

f(1.0, True)
"""


@pytest.mark.parametrize(
    ("test", "way"),
    [
        ("h > 0", "The expression reads: argument x ~f32[] → sin, line 7"),
        ("flag", "The value: argument flag bool[]"),
        ("h > x", ""),
    ],
)
def test_a_script_s_card_has_the_way_of_the_one_value_that_is_read(
    folder: Path, test: str, way: str
) -> None:
    (folder / "script.py").write_text(READS.format(test=test), encoding="utf-8")
    told = run(folder, "-m", "jaxviz", "run", "script.py").stderr.splitlines()
    assert [line for line in told if line.startswith(("The expr", "The value"))] == [way] * bool(
        way
    )
    static = '  + @partial(jax.jit, static_argnames=("flag",))'
    assert (static in told) == (test == "flag")


def test_a_script_may_ask_for_it(folder: Path) -> None:
    (folder / "script.py").write_text(HOOKED, encoding="utf-8")
    ours = run(folder, "script.py")
    assert ours.returncode == 1
    assert ours.stderr.count("Traceback (most recent call last)") == 1
    assert ours.stderr.index("TracerBoolConversionError") < ours.stderr.index(CONDITION)
    assert " |     return x if x > 0 else -x\n     |                 ^^^^^\n" in ours.stderr


def test_what_cannot_be_run_is_reported(folder: Path) -> None:
    missing = run(folder, "-m", "jaxviz", "run", "none.py")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "can't open file 'none.py'" in missing.stderr
    usage = run(folder, "-m", "jaxviz", "walk")
    assert usage.returncode == 2
    assert usage.stderr.startswith("usage: python -m jaxviz run SCRIPT")


def test_a_page_is_printed(folder: Path) -> None:
    shown = run(folder, "-m", "jaxviz", "explain", "condition", "ko")
    assert shown.stdout.startswith("# 추적되는 값에 대한")
    assert "there is no page 'x'" in run(folder, "-m", "jaxviz", "explain", "x").stderr
