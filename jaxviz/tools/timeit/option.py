"""`%jaxviz --timeit`."""

from __future__ import annotations

from jaxviz.tools.option import STATICS, Option
from jaxviz.tools.timeit.report import timeit

OPTION = Option(
    name="--timeit",
    help="Trace, lower and compile the call again, then run the function for about a second with "
    "jit and op by op, up to 500 times each, and return the times. Its prints and other effects "
    "happen each time.",
    python="jaxviz.timeit(f)(x)",
    run=timeit,
    arguments=STATICS,
)
