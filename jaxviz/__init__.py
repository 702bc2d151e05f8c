"""See what JAX sees: the program JAX made of a Python function, as a picture.

- `inspect` captures the program of one call. `check` raises if it costs more than it needs to.
- `show` displays a `ClosedJaxpr`, `Traced`, `Lowered`, `Compiled` or `Exported` of JAX.
- `watch` records what JAX traces, lowers and compiles while a block runs, and the reasons.
- `compare` shows the differences between two programs.
- `explain` explains why a call failed.
- `find_nan` finds the origin of a NaN, and `statistics` shows how large values are.
- `profile` measures each line, and `timeit` a call with and without jit.
- `passes` shows the changes of each pass of XLA, and `steps` a trace line by line.
- `agree` checks that all processes of a job have the same program.
- `load` reads a file of `save`: a program, a log, or a report.

In a notebook `%load_ext jaxviz` adds the magics `%jaxviz` and `%%jaxviz`.

Examples
--------
>>> import jax.numpy as jnp, jaxviz
>>> program = jaxviz.inspect(lambda x: jnp.sin(x) * 2.0)(1.0)
>>> [eqn.op for eqn in program.stage("jaxpr").graphs[0].eqns]
['sin', 'mul']
"""

from __future__ import annotations

import importlib.metadata
import warnings

from jaxviz.capture import CaptureError
from jaxviz.compare import Comparison, compare
from jaxviz.explain import Explanation, explain, explain_uncaught
from jaxviz.inspecting import FindingsError, check, inspect, show
from jaxviz.load import load
from jaxviz.magics import load_ipython_extension, unload_ipython_extension
from jaxviz.program import Program
from jaxviz.schema import Cost, Eqn, Event, Finding, Peak, Stage, release
from jaxviz.tools import registry
from jaxviz.tools.registry import *
from jaxviz.watch import Cache, Log, RetraceError, watch
from jupyterlab_jaxviz import REPAIR

__all__ = [
    "Cache",
    "CaptureError",
    "Comparison",
    "Cost",
    "Eqn",
    "Event",
    "Explanation",
    "Finding",
    "FindingsError",
    "Log",
    "Peak",
    "Program",
    "RetraceError",
    "Stage",
    "check",
    "compare",
    "explain",
    "explain_uncaught",
    "inspect",
    "load",
    "load_ipython_extension",
    "show",
    "unload_ipython_extension",
    "watch",
]
__all__ += registry.__all__
__all__.sort()  # pyright: ignore[reportUnsupportedDunderAll]

__version__ = release()


def _warn_of_the_other_jaxviz() -> None:
    """Warn if PyPI's `jaxviz` is installed, too.

    It is another project, which installs the same folder as `jupyterlab-jaxviz`. pip lets one
    overwrite the other without a message.
    """
    try:
        other = importlib.metadata.distribution("jaxviz")
    except importlib.metadata.PackageNotFoundError:
        return
    warnings.warn(
        f"another project named jaxviz ({other.version}) is installed over or under this one: "
        f"{REPAIR}",
        UserWarning,
        stacklevel=3,
    )


_warn_of_the_other_jaxviz()
