"""`%jaxviz --steps`."""

from __future__ import annotations

from jaxviz.tools.option import Option
from jaxviz.tools.steps.report import stepped_program

OPTION = Option(
    name="--steps",
    help="Show the trace step by step, forward and back. It runs the function's Python once more. "
    "Beside the program are traced and static names, the ops that JAX records for each line, and "
    "printed text.",
    python="jaxviz.steps(f)(x)",
    capture=stepped_program,
)
