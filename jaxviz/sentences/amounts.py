"""Sizes, flops and durations as text: `2.7 MiB`, `1.27 Gflop`, `340 µs`.

The page writes them in the same way (`js/src/facts/text/describe.ts`); `tests/amounts.json` tests
both. A half is always rounded up.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

BYTE_UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
PREFIXES = ("", "k", "M", "G", "T", "P", "E")


def count_text(number: int, noun: str) -> str:
    """A number with a regular noun: `1 trace`, `1,204 traces`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def bytes_text(size: float) -> str:
    """A size in bytes, in whole bytes or to a tenth of a unit of 1,024: `512 bytes`, `1.0 GiB`."""
    if size < 1024:
        return f"{size:,.0f} byte{'' if size == 1 else 's'}"
    sizes = [rounded(Decimal(size) / 1024**step, 1) for step in range(1, len(BYTE_UNITS) + 1)]
    step = next((step for step, one in enumerate(sizes) if one < 1024), len(sizes) - 1)
    return f"{sizes[step]} {BYTE_UNITS[step]}"


def flops_text(flops: float) -> str:
    """A number of flops: `819,200 flops`, and from a million on three digits: `1.27 Gflop`."""
    if flops < 1e6:
        return f"{flops:,.0f} flop{'' if flops == 1 else 's'}"
    return f"{_prefixed(flops)}flop"


def transcendentals_text(count: int, name: str = "") -> str:
    """A number of transcendentals, which are values of functions such as sin: `96 transcendentals`,
    `1.27 G transcendentals`. If all are values of one function, it has its `name`: `96 sin`."""
    if name:
        return f"{count:,} {name}" if count < 1e6 else f"{_prefixed(count)} {name}"
    if count < 1e6:
        return count_text(count, "transcendental")
    return f"{_prefixed(count)} transcendentals"


def _prefixed(number: float) -> str:
    """Three digits and a prefix: `1.27 G`."""
    count = Decimal(number)
    count = rounded(count, 2 - count.adjusted())
    step = min(count.adjusted() // 3, len(PREFIXES) - 1)
    before = count.adjusted() - 3 * step
    return f"{rounded(count.scaleb(-3 * step), max(0, 2 - before))} {PREFIXES[step]}"


def seconds_text(seconds: float) -> str:
    """A duration to two or three digits: `340 µs`, `12 ms`, `3.4 s`, `1 min 12 s`."""
    if seconds <= 0:
        return "0 s"
    for unit, factor, limit in (("µs", 1e6, 0.9995e-3), ("ms", 1e3, 0.9995), ("s", 1.0, 59.95)):
        if seconds < limit:
            return f"{digits(seconds * factor)} {unit}"
    whole = int(seconds + 0.5)
    if whole >= 3600:
        return f"{whole // 3600} h {whole // 60 % 60} min"
    return f"{whole // 60} min {whole % 60} s"


def digits(value: float) -> Decimal:
    """`0.34`, `3.4`, `12`, `340`."""
    number = Decimal(value)
    if value >= 9.95:
        return rounded(number, 0)
    if value >= 0.095:
        return rounded(number, 2 if value < 0.95 else 1)
    return rounded(number, -number.adjusted())


def rounded(number: Decimal, places: int) -> Decimal:
    """A number rounded to decimal places; negative `places` round to tens, hundreds and so on."""
    return Decimal(f"{number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):f}")
