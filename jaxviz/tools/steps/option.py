"""`%jaxviz --steps`."""

from __future__ import annotations

from jaxviz.tools.option import Option
from jaxviz.tools.steps.report import stepped_program

OPTION = Option(
    name="--steps",
    help="Trace the call line by line, which runs the function's Python once more, and show its "
    "steps with the program, forward and back: traced and static names, the ops that JAX records "
    "for each line, and printed text.",
    python="jaxviz.steps(f)(x)",
    capture=stepped_program,
)
