"""What was aimed at, beside what was measured."""

from __future__ import annotations

from collections.abc import Iterable

from tables import ENGINE, Result, kb, ms, table

Target = tuple[str, str, str]
"""What is wanted, what was measured, whether that meets it."""


def targets(results: Result) -> str:
    rows = [*layout_targets(results["layout"]), *page_targets(results)]
    return table(["target", "measured", "met"], map(list, rows))


def met(fresh: bool, later: bool) -> str:
    return "yes" if fresh else "not at first, then yes" if later else "no"


def layout_targets(layout: Result) -> Iterable[Target]:
    if "flat" not in layout:
        return
    flat = layout["flat"]
    ours = flat["jaxviz"]
    others = {name: one for name, one in flat.items() if name != "jaxviz" and "ms" in one}
    fastest = min(others, key=lambda name: others[name]["ms"])
    cold, warm = (others[fastest]["ms"] / ours[key] for key in ("ms", "warm"))
    yield (
        "layout ≥ 50 × faster than the fastest library at 5,000",
        f"{cold:.0f} × cold, {warm:.0f} × warm (of {ENGINE[fastest]})",
        met(cold >= 50, warm >= 50),
    )
    cold, warm = (layout["rnn50k"]["jaxviz"][key] / ours[key] for key in ("ms", "warm"))
    yield (
        "layout time(50,000) / time(5,000) ≤ 12",
        f"{cold:.1f} cold, {warm:.1f} warm",
        met(cold <= 12 and warm <= 12, False),
    )
    best = min(others, key=lambda name: others[name]["crossings"])
    count, least = ours["crossings"], others[best]["crossings"]
    yield (
        "crossings within 10 % of the best library at 5,000",
        f"{count:,} to {least:,} (of {ENGINE[best]})",
        met(count <= 1.1 * least, False),
    )


def page_targets(results: Result) -> Iterable[Target]:
    frames, programs = results["frames"], results["programs"]
    for name, size, limit in [("flat", "5,000", 100), ("rnn50k", "50,000", 400)]:
        if "first" in frames.get(name, {}):
            first, again = frames[name]["first"], frames[name]["again"]
            yield (
                f"bytes to first frame ≤ {limit} ms at {size}",
                f"{ms(first)} ms on a fresh page, {ms(again)} ms again",
                met(first <= limit, again <= limit),
            )
    opened = [one["open"] for one in frames.values() if one.get("open") is not None]
    if opened:
        slowest = max(opened)
        yield "opening a group ≤ 16 ms", f"at most {ms(slowest)} ms", met(slowest <= 16, False)
    if "flat" in programs:
        sent = programs["flat"]["sent"]
        yield "≤ 20 KB gzipped at 5,000", f"{kb(sent)} kB", met(sent <= 20_000, False)
