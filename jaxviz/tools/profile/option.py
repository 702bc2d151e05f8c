"""`%jaxviz --profile`, `%%jaxviz --profile` and `--peak`."""

from __future__ import annotations

from jaxviz.tools.option import STATICS, Option, Value
from jaxviz.tools.profile.report import AskedPeak, checked_peak, profile


def _peak(text: str) -> AskedPeak:
    if text == "measured":
        return "measured"
    flops, moved = map(float, text.split(","))
    checked_peak((flops, moved))
    return flops, moved


PEAK = Option(
    name="--peak",
    help="With --profile: compare with the machine's largest rates. They are flops,bytes per "
    "second (2e12,1e11), or `measured` to measure them here.",
    value=Value(
        "flops and bytes in a second, or `measured`", "2e12,1e11", _peak, words=("measured",)
    ),
)
OPTION = Option(
    name="--profile",
    help="Measure the time of each line and each instruction. The program of the call runs up to "
    "twelve times (on a GPU twice as often), ten of them under JAX's profiler. Debug prints and "
    "callbacks are left out; a pure_callback runs each time.",
    python="jaxviz.profile(f)(x)",
    run=profile,
    arguments=(*STATICS, PEAK),
)
CELL_OPTION = Option(
    name="--profile",
    help="Also measure how the time was spent. JAX's profiler records the cell, for at most 10 "
    "seconds, 200,000 events or 200 MB. The parts are programs, compiling, arrays and Python. "
    "Nothing runs twice. A button compiles a numbered copy of a program, and shows the time of "
    "each line.",
    python="jaxviz.watch(profile=True)",
    arguments=(PEAK,),
)
