"""Cards of programs whose arrays are split over an explicit mesh of four devices.

`jax.make_mesh` makes explicit axes from JAX 0.9 on: then a type says how an array is split.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator

import jax
import pytest
from IPython.core.interactiveshell import InteractiveShell
from shells import SETUP, Run, shell_fixture
from test_explain import check_card
from truth.errors.cases import DEVICES, FOLDER, Case, cases_of

import jaxviz
from jaxviz.explain import explanation_of

EXPLICIT = jax.__version_info__ >= (0, 9)
MESH = """
from jax import P
mesh = jax.make_mesh((4,), ("d",))
jax.set_mesh(mesh)
x = jax.device_put(jnp.ones((8, 4)), jax.NamedSharding(mesh, P("d", None)))
"""
"""The definitions for the cells in `tests/truth/errors/on_mesh`."""
OF_FRAMES = ("tree", "story", "recorded", "printed")
"""Facts that only JAX's own frames hold."""
OF_FOUR = pytest.mark.skipif(DEVICES != 4, reason="it runs in a process of four devices")
CASES = cases_of(FOLDER / "on_mesh") if EXPLICIT and DEVICES == 4 else []
shell = shell_fixture(SETUP)


@pytest.fixture(autouse=True)
def _filtering_as_before() -> Iterator[None]:
    yield
    jax.config.update("jax_traceback_filtering", "auto")


@pytest.mark.skipif(DEVICES > 1, reason="it starts the process of four devices")
def test_the_cards_of_four_devices() -> None:
    of_four = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    ran = subprocess.run(command, env=of_four, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-4000:]


def on_mesh(shell: InteractiveShell, code: str) -> Run:
    """Runs a cell where `mesh` and `x` are new."""
    Run(shell, MESH).result.raise_error()
    return Run(shell, code)


@OF_FOUR
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_card_says_what_is_true(shell: InteractiveShell, case: Case) -> None:
    error = on_mesh(shell, case.source).result.error_in_exec
    assert error is not None
    check_card(case, error, jaxviz.explain(error))
    assert explanation_of(error), "no card is shown by itself"
    assert Run(shell, "%jaxviz explain").shown[0]["text/plain"] == str(jaxviz.explain(error))


@OF_FOUR
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_card_is_true_without_the_frames_of_jax(shell: InteractiveShell, case: Case) -> None:
    """Plain Python has no frames of JAX in a traceback: what is left is JAX's message."""
    jax.config.update("jax_traceback_filtering", "quiet_remove_frames")
    error = on_mesh(shell, case.source).result.error_in_exec
    assert error is not None
    facts = {name: fact for name, fact in case.facts.items() if name not in OF_FRAMES}
    if case.kind in ("carry", "branches"):
        facts["leaves"] = case.facts.get("printed", facts.get("leaves", ""))
    check_card(case._replace(facts=facts), error, jaxviz.explain(error))


@OF_FOUR
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_capture_fails_with_the_error_of_jax(shell: InteractiveShell, case: Case) -> None:
    """`jaxviz.inspect` raises CaptureError, whose message has the types."""
    *before, last = case.source.splitlines()
    if not last.endswith(")") or last.startswith(" "):
        return
    code = "\n".join([*before, f"program = jaxviz.inspect(lambda: {last})()"])
    error = on_mesh(shell, f"import jaxviz\n{code}").result.error_in_exec
    assert isinstance(error, jaxviz.CaptureError)
    types = re.findall(r"has type (\S+)", str(error.__cause__))[:2]
    assert len(types) == 2 * (case.kind in ("carry", "branches"))
    assert all(text.rstrip(".,;") in str(error) for text in types)


@OF_FOUR
@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.fix is not None and case.fix.edits],
    ids=lambda case: case.name,
)
def test_a_fix_runs(shell: InteractiveShell, case: Case) -> None:
    on_mesh(shell, case.fixed()).result.raise_error()
