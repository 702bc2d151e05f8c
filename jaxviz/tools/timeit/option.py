"""`%jaxviz --timeit`."""

from __future__ import annotations

from jaxviz.tools.option import STATICS, Option
from jaxviz.tools.timeit.report import timeit

OPTION = Option(
    name="--timeit",
    help="Measure the call with jit and op by op. It is traced, lowered and compiled again, and "
    "the function runs for about a second each way, up to 500 times. Its prints and other effects "
    "happen each time.",
    python="jaxviz.timeit(f)(x)",
    run=timeit,
    arguments=STATICS,
)
