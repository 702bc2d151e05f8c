"""The option `--find-nan`."""

from __future__ import annotations

from jaxviz.tools.nan.report import find_nan
from jaxviz.tools.option import STATICS, Option

OPTION = Option(
    name="--find-nan",
    help="Find the eqns that made the first NaN and infinity of the result. The program of the "
    "call runs once. Debug prints and callbacks are left out; a pure_callback runs.",
    python="jaxviz.find_nan(f)(x)",
    run=find_nan,
    arguments=STATICS,
)
