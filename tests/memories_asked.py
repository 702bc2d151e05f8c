"""Amounts of memory as people write them: how many bytes each is, and what is none."""

from __future__ import annotations

GIB = 1 << 30
MIB = 1 << 20

AMOUNTS: dict[float | str, int] = {
    16: 16 * GIB,
    1: GIB,
    0.6: round(0.6 * GIB),
    1.5: 3 * GIB // 2,
    "16": 16 * GIB,
    "0.6": round(0.6 * GIB),
    ".5": GIB // 2,
    "2.": 2 * GIB,
    "600MiB": 600 * MIB,
    "600mib": 600 * MIB,
    "600 MiB": 600 * MIB,
    "16GiB": 16 * GIB,
    "1.5Gi": 3 * GIB // 2,
    "80GB": 80 * 10**9,
    "80G": 80 * 10**9,
    "512kB": 512_000,
    "2TiB": 2048 * GIB,
}
"""A number alone is in GiB. Units with `i` are of 1,024, those without of 1,000."""

NO_AMOUNTS = (
    *(0, -1, 0.0, -0.5, float("nan"), float("inf"), True, {}, [16]),
    *("", "0", "-1", "half", "nan", "inf", "1e3", "60%", "16 giga", "16GiB/device", "0x10", "1,5"),
    *("9" * 400, "٣", "16 bytes"),
)
"""Texts that are no amount of memory, and get one sentence."""
