"""The targets of the benchmarks, beside the measurements."""

from __future__ import annotations

from collections.abc import Iterable

from tables import ENGINE, LABEL, Result, ms, table

Target = tuple[str, str, str]
"""The target, the measurement, and whether that meets it."""


def targets(results: Result) -> str:
    rows = [
        *capture_targets(results["programs"]),
        *held_targets(results.get("held", {})),
        *stage_targets(results["stages"]),
        *watching_targets(results["watching"]),
        *card_targets(results.get("cards", {})),
        *profile_targets(results.get("profile", {})),
        *page_targets(results["frames"]),
        *lab_targets(results.get("lab", {})),
        *stall_targets(results.get("stalls", {}), results["frames"].get("rnn200k", {})),
        *script_targets(results.get("script", {})),
        *layout_targets(results["layout"]),
    ]
    return table(["target", "measured", "met"], map(list, rows))


def target(wanted: str, measured: str, *met: bool) -> Target:
    """Met by all that was measured, by some of it, or by none."""
    return wanted, measured, "yes" if all(met) else "in part" if any(met) else "no"


def capture_targets(programs: Result) -> Iterable[Target]:
    small = [one for one in programs.values() if "shown" in one and one["eqns"] < 1_000]
    models = [programs[name] for name in ("mlp", "nested")]
    large = [programs[name] for name in ("flat", "rnn5k", "rnn50k") if name in programs]
    for wanted, limit, found in [
        ("`inspect` ≤ 1.25 × `make_jaxpr` of library models", 1.25, models),
        ("`inspect` ≤ 1.4 × `make_jaxpr` from 5,000 to 50,000", 1.4, large),
    ]:
        ratios = [one["captured"] / one["plain"] for one in found]
        whole = [(one["captured"] + one["recorded"]) / one["plain"] for one in found]
        said = f"{listed(ratios)}{alone('`trace` of JAX’s jit', 'traced', 'plain', found)}"
        said += f"; with the records, made at the first access, {listed(whole)}"
        said += alone("printing by JAX", "printed", "plain", found)
        yield target(wanted, said, *at_most(limit, ratios))
    outputs = [one["shown"] for one in small]
    said = listed(outputs, "ms") + alone("the picture", "drawn", "", small)
    yield target("an output made in ≤ 25 ms below 1,000", said, *at_most(25, outputs))
    shares = [one["shown"] / one["captured"] for one in large]
    whole = [one["shown"] / (one["captured"] + one["recorded"]) for one in large]
    said = listed(shares) + alone("the picture", "drawn", "captured", large)
    said += alone("printing by JAX", "printed", "captured", large)
    said += alone("the records as JSON, deflated,", "as json", "captured", large)
    if all("json" in one for one in large):
        said += f" and {listed([one['json'] / one['sent'] for one in large])} × the bytes"
    said += f"; of capture with the records {listed(whole)}"
    yield target("an output ≤ 15 % of capture from 5,000", said, *at_most(0.15, shares))
    found = [one["searched"] for one in small]
    yield target("findings ≤ 1 ms below 1,000", listed(found, "ms"), *at_most(1, found))
    shares = [one["searched"] / one["captured"] for one in [models[1], *large]]
    yield target("findings ≤ 5 % of capture from 1,000", listed(shares), *at_most(0.05, shares))


def alone(what: str, key: str, over: str, programs: list[Result]) -> str:
    """The time of one part, in ms or as a ratio; empty if it was not measured."""
    if not all(key in one for one in programs):
        return ""
    found = [one[key] / one[over] if over else one[key] for one in programs]
    return f", {what} alone {listed(found, '' if over else 'ms')}"


def held_targets(held: Result) -> Iterable[Target]:
    for key, limit, what in [("program", 50, "a Program"), ("dropped", 2, "a dropped one")]:
        if "objects" in held:
            objects, resident = held["objects"], held["resident"]
            said = f"{objects[key]:.1f} MB beside {objects['jaxpr']:.0f} of the jaxpr"
            said += f"; the process {resident[key]:.0f} beside {resident['jaxpr']:.0f}"
            met = objects[key] <= limit
            yield target(f"57,153 eqns: {what} keeps ≤ {limit} MB of its own", said, met)


def stage_targets(stages: Result) -> Iterable[Target]:
    found = [one for one in stages.values() if isinstance(one, dict)]
    for kind, plain, made, limit in [
        ("stablehlo", "lower", "lower numbered", 1.5),
        ("hlo", "compile", "compile", 1.08),
    ]:
        ratios = [one[f"{kind} ms"] / one[plain] for one in found]
        least = [(one[made] + one[f"{plain} given"]) / one[plain] for one in found]
        said = f"{listed(ratios)}; without our records {listed(least)}"
        if f"{plain} plain" in found[0]:
            said += alone("compiled without numbers", f"{plain} plain", plain, found)
            said += alone("XLA reading its own text", f"{plain} read", plain, found)
        yield target(f"{kind} ≤ {limit} × JAX's own", said, *at_most(limit, ratios))


def watching_targets(watching: Result) -> Iterable[Target]:
    if "error" in watching:
        return
    miss = watching["miss"]["10"]
    more, read = miss["trace"]["watched"]["added"] / 1e3, miss["read"] / 1e3
    said = f"{more:.2f} ms, and {read:.2f} when the log is read"
    yield target("a watched retrace takes ≤ 0.2 ms more", said, more <= 0.2)
    call = 1 + watching["call"]["watched"]["added"] / watching["call"]["alone"]["median"]
    yield target("a watched cached call takes 1.00 × the time", f"{call:.2f}", call < 1.005)


def card_targets(cards: Result) -> Iterable[Target]:
    if "most" in cards:
        said = (
            f"{ms(cards['median'])} ms, at most {ms(cards['most'])} of {cards['cards']}; "
            f"the first of a kernel {ms(cards['first'])}"
        )
        yield target("an error's card ≤ 50 ms", said, cards["most"] <= 50)
    if "traceback" in cards:
        off, more = cards["traceback"]["off"], cards["traceback"]["more"]
        said = f"{ms(off)} ms, and {ms(more)} more for the log of the cell"
        yield target("a traceback ≤ 5 % later with cards on", said, more <= 0.05 * off)


def profile_targets(profile: Result) -> Iterable[Target]:
    if "added" not in profile:
        return
    added = sorted(one["added"] for one in profile["programs"].values())
    said = ", ".join(f"{100 * part:.0f}" for part in added)
    close = [part >= 0.97 for part in added]
    yield target("lines add up to ≥ 97 % of a program's span, of ten programs", f"{said} %", *close)
    ordered, count = profile["one order"], len(added)
    said = f"{ordered} of {count}"
    yield target(
        "five profiles agree on the order of the five longest lines", said, ordered == count
    )
    said = "yes" if profile["planted first"] else "no"
    yield target("a line made ten times slower comes first", said, profile["planted first"])
    for kind, most in (("compile", 3), ("run", 4)):
        ratios = sorted(one[kind] for one in profile.get("values", {}).values())
        said = ", ".join(f"{ratio:.1f}" for ratio in ratios)
        close = [ratio <= most for ratio in ratios]
        if ratios:
            yield target(f"statistics {kind} in ≤ {most} × the time", said, *close)


def page_targets(frames: Result) -> Iterable[Target]:
    for name, size, fresh, later in [("flat", "5,000", 150, 60), ("rnn50k", "50,000", 300, 150)]:
        if "first" in frames.get(name, {}):
            one = frames[name]
            said = f"{ms(one['first'])}, {ms(one['again'])} ms"
            if "warm" in one:
                said += f"; {ms(one['warm'])} once V8 has compiled all of it; the browser alone, a "
                said += f"word and three shapes, {ms(one['bare'])}, {ms(one['bareAgain'])} ms"
                said += f"; V8 reads it as JSON in {ms(one['parsed'])} ms"
            yield target(
                f"bytes to first frame at {size} ≤ {fresh} ms, again {later}",
                said,
                one["first"] <= fresh,
                one["again"] <= later,
            )
    opened = [one["open"] for one in frames.values() if one.get("open") is not None]
    if opened:
        steps = [one["step"] for one in frames.values() if one.get("step") is not None]
        said = listed(opened, "ms")
        said += f"; a step to the next box, which opens nothing, {listed(steps, 'ms')}"
        yield target("opening a group ≤ 16 ms", said, *at_most(16, opened))


def script_targets(script: Result) -> Iterable[Target]:
    if "first" in script:
        first, sent = (script[key] / 1e3 for key in ("first", "sent"))
        said = f"{first:.0f}, {sent:.0f} kB"
        wanted = "the widget's script: read before the first picture ≤ 350 kB, sent ≤ 700 kB"
        yield target(wanted, said, first <= 350, sent <= 700)


def lab_targets(lab: Result) -> Iterable[Target]:
    if "outputs" not in lab:
        return
    outputs, plain, capture = lab["outputs"], lab["plain"], lab["capture"]
    rates = [outputs[speed] / plain[speed] for speed in ("slow", "fast")]
    said = f"{listed(rates)} at 500 and 3,000 px/s"
    wanted = "60 outputs scrolled ≥ 0.95 × the frames/s without jaxviz"
    yield target(wanted, said, *(rate >= 0.95 for rate in rates))
    more = outputs["heap"] - plain["heap"]
    yield target("60 outputs ≤ 40 MB of heap over plain ones", f"{more:.0f} MB", more <= 40)
    said = f"{ms(capture['painted'])} ms; {ms(capture['ended'])} until the cell ended, "
    said += f"{ms(capture['plain'])} of `make_jaxpr` alone"
    wanted = "cell to picture in JupyterLab ≤ 500 ms at 5,000"
    yield target(wanted, said, capture["painted"] <= 500)


def stall_targets(stalls: Result, frames: Result) -> Iterable[Target]:
    if "first" in stalls:
        longest = [stalls[done]["longest"] for done in ("first", "find", "go")]
        said = f"{listed(longest, 'ms')} (shown, searched, jumped to)"
        if "empty" in stalls:
            said += f"; the page without a program {ms(stalls['empty']['longest'])} ms"
        if "collection" in stalls:
            said += f", the longest of V8’s collections {ms(stalls['collection'])}"
        if "apart" in stalls:
            said += f", and the longest task while it is shown {ms(stalls['apart'])} without them"
        if frames.get("parsed") is not None:
            said += f"; V8 reads it as JSON in one task of {ms(frames['parsed'])} ms"
        yield target("200,000 eqns: no stall over 100 ms", said, *at_most(100, longest))


def layout_targets(layout: Result) -> Iterable[Target]:
    if "flat" not in layout:
        return
    flat = layout["flat"]
    ours = flat["jaxviz"]
    others = {name: one for name, one in flat.items() if name != "jaxviz" and "ms" in one}
    fastest = min(others, key=lambda name: others[name]["ms"])
    cold, warm = (others[fastest]["ms"] / ours[key] for key in ("ms", "warm"))
    yield target(
        "layout ≥ 60 × as fast as the fastest library at 5,000, warm 300 ×",
        f"{cold:.0f} ×, {warm:.0f} × ({ENGINE[fastest]}); {ms(ours['ms'])} ms, "
        f"{ms(ours.get('uncompiled'))} of it without V8's optimizing compiler, and "
        f"{ms(ours['warm'])} for the same work once that is done",
        cold >= 60,
        warm >= 300,
    )
    large, small = (layout.get(name, {}).get("jaxviz", {}) for name in ("rnn50k", "rnn5k"))
    if large.get("warm") and small.get("warm"):
        growth = large["warm"] / small["warm"]
        yield target("layout time(50,000) / time(5,000) ≤ 11", f"{growth:.1f} warm", growth <= 11)
    for name, one in layout.items():
        counts = {engine: run["crossings"] for engine, run in one.items() if "crossings" in run}
        best = min(
            (engine for engine in counts if engine != "jaxviz"),
            key=lambda name: counts[name],
            default="",
        )
        if best and counts["jaxviz"]:
            said = f"{counts['jaxviz']:,} to {counts[best]:,} ({ENGINE[best]})"
            met = counts["jaxviz"] <= 1.1 * counts[best]
            yield target(f"crossings ≤ 1.1 × the best: {LABEL[name]}", said, met)


def at_most(limit: float, values: list[float]) -> list[bool]:
    return [value <= limit for value in values]


def listed(values: list[float], unit: str = "") -> str:
    texts = [ms(value) if unit else f"{value:.2f}" for value in values]
    return f"{', '.join(texts)} {unit}".strip()
