"""The option `--find-nan`."""

from __future__ import annotations

from jaxviz.tools.nan.report import find_nan
from jaxviz.tools.option import STATICS, Option

OPTION = Option(
    name="--find-nan",
    help="Run the program of the call once, and return the eqn that made the first NaN of its "
    "result, and the eqn of the first infinity. Debug prints and callbacks are left out; a "
    "pure_callback runs.",
    python="jaxviz.find_nan(f)(x)",
    run=find_nan,
    arguments=STATICS,
)
