"""`%jaxviz --statistics` and `--lines`."""

from __future__ import annotations

from jaxviz.tools.option import STATICS, Option, numbers
from jaxviz.tools.statistics.report import statistics

LINES = Option(
    name="--lines",
    help="With --statistics: report more for these of your lines. They are numbers of lines in the "
    "cell or file. The report has mean, deviation, exponents, and the largest in each iteration of "
    "a loop.",
    value=numbers("numbers of lines", "3,4"),
)
OPTION = Option(
    name="--statistics",
    help="Show magnitudes of all values, and numbers of NaNs and infinities. They are in a list "
    "and beside the edges of the graph. The program of the call runs once, and twice if there are "
    "NaNs or infinities.",
    python="jaxviz.statistics(f)(x)",
    run=statistics,
    arguments=(*STATICS, LINES),
)
