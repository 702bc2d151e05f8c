"""`%jaxviz --steps`."""

from __future__ import annotations

from jaxviz.tools.option import Option
from jaxviz.tools.steps.report import stepped_program

OPTION = Option(
    name="--steps",
    help="Trace the call line by line, which runs the function's Python once more, and show its "
    "steps with the program, forward and back: which names are traced and which static, what JAX "
    "records for each line, and what is printed when.",
    python="jaxviz.steps(f)(x)",
    capture=stepped_program,
)
