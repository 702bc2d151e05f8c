"""See what JAX sees: the program JAX made of a Python function, as a picture.

`inspect` captures the program of one call, `watch` records what JAX traces, lowers and compiles
while a block runs and why, `check` raises where a program costs more than it needs to,
`compare` shows how two programs differ, `explain` says why a call failed, `find_nan` where a NaN
was born, `statistics` how large values are, `profile` what each line takes when it runs, `passes`
what each pass of XLA changed, `steps` goes through a trace line by line, `timeit` times a call with
and without jit, `agree` says whether all processes of a job hold the same program, and `load` reads
a program that was saved. In a notebook `%load_ext jaxviz` adds the magics `%jaxviz` and `%%jaxviz`.

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

from jaxviz.cache import Cache
from jaxviz.capture import CaptureError
from jaxviz.check import FindingsError, check
from jaxviz.compare import Comparison, compare
from jaxviz.explain import Explanation, explain, explain_uncaught
from jaxviz.inspecting import inspect
from jaxviz.job.agree import AgreementError, agree
from jaxviz.job.agreement import Agreement, Difference, ProcessProgram
from jaxviz.job.gather import GatheredLog, gather
from jaxviz.loaded import load
from jaxviz.magics import load_ipython_extension, unload_ipython_extension
from jaxviz.measures.births import Birth
from jaxviz.measures.measured import EqnShare, InstructionTime, LineTime, LoopTime
from jaxviz.measures.values import Distribution, ValueStatistics
from jaxviz.passes import Passes, passes
from jaxviz.program import Program
from jaxviz.reports.births import Births
from jaxviz.reports.profile import Profile
from jaxviz.reports.statistics import Statistics
from jaxviz.running.cell_profile import CellProfile
from jaxviz.running.find_nan import find_nan
from jaxviz.running.profile import profile
from jaxviz.running.statistics import statistics
from jaxviz.running.steps import Steps, steps
from jaxviz.running.timeit import Timings, timeit
from jaxviz.schema import Cost, Eqn, Event, Finding, Peak, Stage, release
from jaxviz.watch import Log, RetraceError, watch

__all__ = [
    "Agreement",
    "AgreementError",
    "Birth",
    "Births",
    "Cache",
    "CaptureError",
    "CellProfile",
    "Comparison",
    "Cost",
    "Difference",
    "Distribution",
    "Eqn",
    "EqnShare",
    "Event",
    "Explanation",
    "Finding",
    "FindingsError",
    "GatheredLog",
    "InstructionTime",
    "LineTime",
    "Log",
    "LoopTime",
    "Passes",
    "Peak",
    "ProcessProgram",
    "Profile",
    "Program",
    "RetraceError",
    "Stage",
    "Statistics",
    "Steps",
    "Timings",
    "ValueStatistics",
    "agree",
    "check",
    "compare",
    "explain",
    "explain_uncaught",
    "find_nan",
    "gather",
    "inspect",
    "load",
    "load_ipython_extension",
    "passes",
    "profile",
    "statistics",
    "steps",
    "timeit",
    "unload_ipython_extension",
    "watch",
]

__version__ = release()


def _warn_of_the_other_jaxviz() -> None:
    """Warn where PyPI's `jaxviz` is installed too.

    That is another project that installs the same folder; ours is `jupyterlab-jaxviz`, and pip
    lets one overwrite the other in silence.
    """
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
