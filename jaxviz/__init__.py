"""See what JAX sees: the program JAX made of a Python function, as a picture."""

from __future__ import annotations

import importlib.metadata
import warnings

from jaxviz.capture import CaptureError
from jaxviz.compare import Comparison, compare
from jaxviz.magics import load_ipython_extension, unload_ipython_extension
from jaxviz.program import Program, inspect, load
from jaxviz.watch import RetraceError, watch

__all__ = [
    "CaptureError",
    "Comparison",
    "Program",
    "RetraceError",
    "compare",
    "inspect",
    "load",
    "load_ipython_extension",
    "unload_ipython_extension",
    "watch",
]


def _warn_of_the_other_jaxviz() -> None:
    """PyPI's `jaxviz` is another project that installs the same folder; ours is
    `jupyterlab-jaxviz`, and pip lets one overwrite the other in silence."""
    try:
        other = importlib.metadata.distribution("jaxviz")
    except importlib.metadata.PackageNotFoundError:
        return
    warnings.warn(
        f"another project named jaxviz ({other.version}) is installed over or under this one: "
        "run `pip uninstall jaxviz`, then `pip install --force-reinstall --no-deps "
        "jupyterlab-jaxviz`.",
        UserWarning,
        stacklevel=3,
    )


_warn_of_the_other_jaxviz()
