"""What instructions did in a second, held against what the machine does at most."""

from __future__ import annotations

from collections.abc import Sequence

from jaxviz.amounts import bytes_text, flops_text
from jaxviz.measures.measured import InstructionTime
from jaxviz.schema import Peak

MOST_INSTRUCTIONS = 5


def share_of_peak(row: InstructionTime, peak: Peak) -> float | None:
    """The larger of an instruction's two shares of the peak, of flops and of bytes: what it is
    nearer to is what bounds it. None where neither its flops nor its bytes are known."""
    shares = [
        amount / row.seconds / most
        for amount, most in ((row.flops, peak.flops), (row.bytes, peak.bytes))
        if amount and row.seconds
    ]
    return max(shares, default=None)


def rates_text(rows: Sequence[InstructionTime], peak: Peak) -> list[str]:
    """The longest instructions, a line each, with their rates."""
    how = _MEASURED if peak.measured else "as you gave it"
    longest = sorted(rows, key=lambda row: -row.seconds)[:MOST_INSTRUCTIONS]
    told = [_of(row, peak) for row in longest if row.seconds and (row.flops or row.bytes)]
    most = f"{flops_text(peak.flops)}/s and {bytes_text(peak.bytes)}/s"
    return [f"The longest instructions beside the peak of {most}, {how}:", *told]


def _of(row: InstructionTime, peak: Peak) -> str:
    parts = [
        f"{text(round(amount / row.seconds))}/s ({amount / row.seconds / most:.0%})"
        for text, amount, most in (
            (flops_text, row.flops, peak.flops),
            (bytes_text, row.bytes, peak.bytes),
        )
        if amount
    ]
    return f"  {row.name}: {', '.join(parts)}"


_MEASURED = "measured here (a product of f32 matrices; an array plus one)"
