"""The measurements of a profile, as text: the runs, then a line for each line of the user, the
longest first, loops, and rates compared with the peak of the machine."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from jaxviz.schema import Peak
from jaxviz.schema.graph import line_text
from jaxviz.sentences.amounts import bytes_text, flops_text, seconds_text
from jaxviz.tools.profile.record import InstructionTime, LineTime, LoopTime, Measurements, Times

MOST_LINES, MOST_OPS, MOST_INSTRUCTIONS = 20, 3, 5


def profile_text(
    function: str, times: Times, all_of_it: Measurements, lines: Sequence[LineTime]
) -> str:
    """All of the text."""
    shown = [f"  {line_sentence(line)}" for line in lines[:MOST_LINES]]
    more = len(lines) - MOST_LINES
    shown += [f"  … and {more} more: lines has all."] * (more > 0)
    added = sum(line.seconds for line in lines)
    amounts = map(seconds_text, (times.best, times.median, added))
    between = "first to last instruction" if times.in_cell else "call to result"
    heading = _HEADING.format(function, times.runs, *amounts, between)
    notes = [*_between(times), _HOW]
    if all_of_it.loops:
        notes += ["Loops:", *(f"  {_loop(loop)}" for loop in all_of_it.loops[:MOST_LINES])]
    if times.left_out:
        notes.append(f"Not repeated, and not in these times: {', '.join(times.left_out)}.")
    if times.run_again:
        notes.append("pure_callback ran in each run.")
    if all_of_it.peak:
        notes += _rates(all_of_it.rows, all_of_it.peak)
    return "\n".join([heading, *shown, *notes])


def line_sentence(line: LineTime) -> str:
    """A line's share, time, place and primitives."""
    ops = ", ".join(line.ops[:MOST_OPS]) + ", …" * (len(line.ops) > MOST_OPS)
    where = line_text(line.frame) if line.frame else "no line of yours"
    return f"{line.share:4.0%}  {seconds_text(line.seconds)}  {where}: {ops}"


def _loop(loop: LoopTime) -> str:
    frame = line_text(loop.frame) if loop.frame else "no line of yours"
    where = f"{loop.op or loop.name}, {frame}"
    if not loop.turns:
        return f"{where}: its iterations cannot be distinguished"
    longest = max(loop.turns)
    of = min(loop.turns), longest, median(loop.turns)
    spread = "{} to {}, median {}".format(*map(seconds_text, of))
    which = loop.turns.index(longest)
    return (
        f"{where}: {len(loop.turns):,} iterations of {spread}; iteration {which:,} is the longest"
    )


def _between(times: Times) -> list[str]:
    if times.buffers == "off":
        return [_LAUNCHED_SINGLY]
    between = _BETWEEN.format(seconds_text(times.inside), seconds_text(times.between))
    return [between, _HIDDEN] if times.buffers == "hide" else [between]


def share_of_peak(row: InstructionTime, peak: Peak) -> float | None:
    """The larger of an instruction's two shares of the peak, of flops and of bytes: the larger one
    is the bound. None if neither its flops nor its bytes are known."""
    shares = [
        amount / row.seconds / most
        for amount, most in ((row.flops, peak.flops), (row.bytes, peak.bytes))
        if amount and row.seconds
    ]
    return max(shares, default=None)


def _rates(rows: Sequence[InstructionTime], peak: Peak) -> list[str]:
    """The longest instructions, a line each, with their rates."""
    how = _MEASURED if peak.measured else "as you gave it"
    longest = sorted(rows, key=lambda row: -row.seconds)[:MOST_INSTRUCTIONS]
    rates = [_rate(row, peak) for row in longest if row.seconds and (row.flops or row.bytes)]
    most = f"{flops_text(peak.flops)}/s and {bytes_text(peak.bytes)}/s"
    return [f"The longest instructions beside the peak of {most}, {how}:", *rates]


def _rate(row: InstructionTime, peak: Peak) -> str:
    parts = [
        f"{text(round(amount / row.seconds))}/s ({amount / row.seconds / most:.0%})"
        for text, amount, most in (
            (flops_text, row.flops, peak.flops),
            (bytes_text, row.bytes, peak.bytes),
        )
        if amount
    ]
    return f"  {row.name}: {', '.join(parts)}"


_HEADING = (
    "{0}, in {1} runs: {2} from {5} in the fastest run, {3} in the median run. The shortest times "
    "of its operations add up to {4}, at these lines:"
)
_BETWEEN = (
    "The fastest run took {0} from first to last instruction. For {1} of that time, no instruction "
    "ran."
)
_LAUNCHED_SINGLY = (
    "The times from call to result are without the profiler. Under the profiler XLA launched each "
    "kernel separately, because command buffers hide instructions. So the time between kernels is "
    "unknown."
)
_HIDDEN = (
    "A command_buffer of XLA counts as one operation: the profiler does not say which "
    "instructions ran in it. jaxviz.profile compiles the program without them."
)
_HOW = (
    "Each operation has its shortest time of all runs, so they add up to at most the time of one "
    "run. The time of a fused instruction is divided by the arithmetic of each part, and parallel "
    "time by the number of instructions."
)
_MEASURED = "measured here (a product of f32 matrices; an array plus one)"
