"""An IPython shell without a kernel, as in a terminal."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any, Literal

import jax
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from jaxviz.magics import load_ipython_extension, unload_ipython_extension

SETUP = """
import math, jax, jax.numpy as jnp, numpy as np
from functools import partial
from jax import lax
"""
"""The imports of the cells in `tests/truth/errors`."""


def fresh(setup: str) -> Iterator[InteractiveShell]:
    """A shell that has loaded jaxviz and run a cell."""
    InteractiveShell.clear_instance()
    ip = InteractiveShell.instance()
    ip.run_line_magic("colors", "nocolor")
    load_ipython_extension(ip)
    ip.run_cell(setup, store_history=True).raise_error()
    yield ip
    unload_ipython_extension(ip)
    InteractiveShell.clear_instance()
    gc.collect()


def shell_fixture(setup: str, scope: Literal["function", "module"] = "module") -> Any:
    """A fixture that is such a shell: one for each test, or for those of a module."""

    @pytest.fixture(scope=scope)
    def shell() -> Iterator[InteractiveShell]:
        yield from fresh(setup)

    return shell


def left_as_before(shell: InteractiveShell) -> Iterator[None]:
    """Takes back what the cells of a test named, and what they set in JAX."""
    before = {**shell.user_ns}
    yield
    for name in {*shell.user_ns} - {*before}:
        del shell.user_ns[name]
    shell.user_ns.update(before)
    jax.config.update("jax_debug_nans", False)
    jax.config.update("jax_debug_key_reuse", False)
    jax.config.update("jax_enable_x64", False)


class Run:
    """The output, displays and result of a cell."""

    def __init__(self, shell: InteractiveShell, code: str) -> None:
        with capture_output() as captured:
            self.result = shell.run_cell(code, store_history=True)
        self.out: str = captured.stdout
        self.err: str = captured.stderr
        self.shown: list[dict[str, Any]] = [output.data for output in captured.outputs]
