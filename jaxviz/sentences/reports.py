"""Notes of logs and of the reports of tools."""

from __future__ import annotations

from collections.abc import Mapping

REPORTS: Mapping[str, str | tuple[str, str]] = {
    "programs not retained": "With this version of NumPy programs are shown only as long as JAX holds them.",
    "hits uncounted": "Calls that JAX's caches knew cannot be counted on this version of JAX.",
    "hits lost": "Not all calls that JAX's caches knew were counted: jax_debug_nans or jax_debug_infs was changed meanwhile, or JAX's own tests were imported, which take the same places in JAX.",
    "effects": "Calls of functions with effects, such as printing, are not counted: this version of JAX does not report them.",
    "reasons missing": "This version of JAX is newer than jaxviz knows: some reasons are missing, and some traces within others.",
    "too many traces": "JAX's cache has too many traces to distinguish nested ones: jax.clear_caches() empties it.",
    "not profiled": "This was not profiled: {reason}",
    "profile not begun": "This was not profiled: jaxviz failed to begin ({error}).",
    "profile not read": "This was not profiled: jaxviz failed to read it ({error}).",
    "clocks": "Each process's times are by the clock of its host. The time spent on compiling is that of the process where it was longest.",
    "silent process": "Process {process} reported nothing within {seconds} s.",
    "silent processes": "Processes {some} and {last} reported nothing within {seconds} s.",
    "many silent processes": "{count} processes ({first}, {second}, …) reported nothing within {seconds} s.",
    "known call": "{name} was traced before: none of its Python runs here.",
    "known call, types": "{name} was traced before, as {types}: none of its Python runs here.",
    "steps ended": "The function has more than {most} steps: these are the first.",
    "debugger replaced": "A debugger or a coverage tool was listening to Python's lines. It heard none of these, and listens again.",
    "first steps": "These are the first {some} of {all} steps.",
    "fails without jit": "It fails without jit, so there is nothing to compare.",
    "quartiles overlap": "With jit and without it takes about as long: the quartiles of both overlap.",
    "jit loses": "With jit it takes {times} × as long as op by op.",
    "jit gains": (
        "Op by op it takes {times} × as long as with jit. Tracing, lowering and compiling pay off after about {count} call.",
        "Op by op it takes {times} × as long as with jit. Tracing, lowering and compiling pay off after about {count} calls.",
    ),
}
