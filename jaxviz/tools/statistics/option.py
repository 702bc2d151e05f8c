"""`%jaxviz --statistics` and `--lines`."""

from __future__ import annotations

from jaxviz.tools.option import STATICS, Option, numbers
from jaxviz.tools.statistics.report import statistics

LINES = Option(
    name="--lines",
    help="With --statistics: your lines, by their numbers in the cell or file, for which "
    "everything is reported: mean, deviation, exponents, and the largest in each iteration of a "
    "loop.",
    value=numbers("numbers of lines", "3,4"),
)
OPTION = Option(
    name="--statistics",
    help="Run the program of the call once, and return the magnitudes of each eqn's values and the "
    "numbers of NaN and infinite ones: in a list and beside the edges of the graph. If there are "
    "some, it runs twice.",
    python="jaxviz.statistics(f)(x)",
    run=statistics,
    arguments=(*STATICS, LINES),
)
