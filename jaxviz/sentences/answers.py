"""The kernel's answers to a page, and its progress words, which are their own keys."""

from __future__ import annotations

from collections.abc import Mapping

ANSWERS: Mapping[str, str | tuple[str, str]] = {
    "waiting": "waiting",
    "tracing": "tracing",
    "lowering": "lowering",
    "reading the module": "reading the module",
    "compiling": "compiling",
    "compiling in another process": "compiling in another process",
    "reading the executable": "reading the executable",
    "reading the program": "reading the program",
    "reading the passes": "reading the passes",
    "comparing": "comparing",
    "stopped": "Stopped.",
    "too much asked": "Too many requests at once: wait for the first one to finish.",
    "sending failed": "jaxviz failed to send it ({error}).",
    "nothing to ask": "The kernel no longer has the objects of this view: run the cell again, then open it.",
    "unknown stage": "jaxviz has no such stage.",
    "unknown question": "jaxviz cannot do this for what is shown here.",
    "trace gone": "JAX's caches no longer contain the program of this trace: run the cell again, and open it before they are cleared.",
    "not traced": "It could not be traced ({error}).",
    "failed function gone": "The function that failed is gone: run the cell again.",
    "argument gone": "An argument of the call is gone: run the cell again.",
    "call gone": "This call cannot be evaluated any more ({error}): run the cell again.",
    "function gone": "The function is gone: run the cell again, or write --steps after %jaxviz.",
    "not retraceable": "jaxviz does not know how to trace this once more: write --steps after %jaxviz.",
    "no steps": "None of your lines runs when this is traced, so it has no steps. If JAX has already traced it, run jax.clear_caches() first.",
    "too large": "The program is too large to be shown here.",
    "no floats": "No operation of this part makes floating-point numbers.",
    "too many results": "This part makes {count} arrays, but jaxviz reports at most {most} at once, because each takes long to compile: choose a smaller part of it.",
    "inputs gone": "The arrays of that run are gone: they were replaced, deleted or donated, and jaxviz keeps at most {most} MiB of them. Run the cell again.",
    "partial, stages": "To keep the notebook small, the program's other stages are not saved: run the cell again to see all.",
    "partial, text": "To keep the notebook small, the program's text and params are not saved: run the cell again to see all.",
    "partial, stages, text": "To keep the notebook small, the program's other stages, text and params are not saved: run the cell again to see all.",
    "partial, bodies": "To keep the notebook small, the program's text, params and nested bodies are not saved: run the cell again to see all.",
    "partial, stages, bodies": "To keep the notebook small, the program's other stages, text, params and nested bodies are not saved: run the cell again to see all.",
    "partial, overview": "To keep the notebook small, only an overview of its {eqns} eqns is saved: run the cell again to see all.",
}
