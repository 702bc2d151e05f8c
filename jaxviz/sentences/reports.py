"""Notes of logs and of the reports of tools."""

from __future__ import annotations

from collections.abc import Mapping

REPORTS: Mapping[str, str | tuple[str, str]] = {
    "programs not retained": "With this version of NumPy, jaxviz can show a program only while JAX's caches contain it.",
    "hits uncounted": "Cache hits cannot be counted with this version of JAX.",
    "hits lost": "Some cache hits were not counted: jax_debug_nans or jax_debug_infs was changed in between, or JAX's own tests were imported, which use the same hooks in JAX.",
    "effects": "Calls of functions with effects, such as printing, are not counted: this version of JAX does not report them.",
    "reasons missing": "This version of JAX is newer than jaxviz supports: some reasons and some nested traces are missing.",
    "too many traces": "JAX's cache has too many traces to distinguish nested ones: jax.clear_caches() empties it.",
    "not profiled": "This was not profiled: {reason}",
    "profile not begun": "This was not profiled: jaxviz failed to begin ({error}).",
    "profile not read": "This was not profiled: jaxviz failed to read it ({error}).",
    "clocks": "The times of each process use the clock of its host. The compile time is that of the process that compiled longest.",
    "silent process": "Process {process} reported nothing within {seconds} s.",
    "silent processes": "Processes {some} and {last} reported nothing within {seconds} s.",
    "many silent processes": "{count} processes ({first}, {second}, …) reported nothing within {seconds} s.",
    "known call": "{name} was already traced, so none of its Python runs here.",
    "known call, types": "{name} was already traced with {types}, so none of its Python runs here.",
    "steps ended": "The function has more than {most} steps: these are the first.",
    "debugger replaced": "A debugger or a coverage tool was following the lines that Python runs. It missed these lines, and now follows again.",
    "first steps": "These are the first {some} of {all} steps.",
    "fails without jit": "It fails without jit, so there is nothing to compare.",
    "quartiles overlap": "It takes about as long with jit as without: the quartiles overlap.",
    "jit loses": "With jit it takes {times} × as long as op by op.",
    "jit gains": (
        "Op by op it takes {times} × as long as with jit. Tracing, lowering and compiling pay off after about {count} call.",
        "Op by op it takes {times} × as long as with jit. Tracing, lowering and compiling pay off after about {count} calls.",
    ),
}
