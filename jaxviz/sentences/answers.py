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
    "too much asked": "Too much is asked for at once: wait for the first.",
    "sending failed": "jaxviz failed to send it ({error}).",
    "nothing to ask": "The kernel no longer holds what this is made from: run the cell again, and then open it.",
    "unknown stage": "jaxviz knows no such stage.",
    "unknown question": "jaxviz knows no such thing of what is shown here.",
    "trace gone": "JAX's caches hold the program of this trace no more: run the cell again, and open it before they are cleared.",
    "not traced": "It could not be traced ({error}).",
    "failed function gone": "The function that failed is gone: run the cell again.",
    "argument gone": "An argument of the call is gone: run the cell again.",
    "call gone": "This call cannot be evaluated any more ({error}): run the cell again.",
    "function gone": "The function is gone: run the cell again, or write --steps after %jaxviz.",
    "not retraceable": "jaxviz does not know how to trace this once more: write --steps after %jaxviz.",
    "no steps": "No line of yours runs when this is traced, so it has no steps; where JAX has traced it before, run jax.clear_caches() first.",
    "too large": "The program is too large to be shown here.",
    "no floats": "No operation of this part makes floating-point numbers.",
    "too many results": "This part makes {count} arrays, and at most {most} are reported at once, because each takes long to compile: choose a smaller part within it.",
    "inputs gone": "The arrays that it ran with are gone: they were replaced, deleted or donated since, and jaxviz holds at most {most} MiB of them. Run the cell again.",
    "partial, stages": "To keep the notebook small, the program's other stages are not saved: run the cell again to see all.",
    "partial, text": "To keep the notebook small, the program's text and params are not saved: run the cell again to see all.",
    "partial, stages, text": "To keep the notebook small, the program's other stages, text and params are not saved: run the cell again to see all.",
    "partial, bodies": "To keep the notebook small, the program's text, params and nested bodies are not saved: run the cell again to see all.",
    "partial, stages, bodies": "To keep the notebook small, the program's other stages, text, params and nested bodies are not saved: run the cell again to see all.",
    "partial, overview": "To keep the notebook small, only an overview of its {eqns} eqns is saved: run the cell again to see all.",
}
