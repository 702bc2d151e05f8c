"""The benchmarks as a page to read."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import jax
import pictures
from tables import ENGINE, LABEL, PEER, Result, kb, ms, table
from targets import targets

TARGETS = """Memory is counted in Python objects, and then as memory of the process, which includes
some freed memory. JAX's caches keep the jaxpr. *Without our records* is the time of JAX and XLA
alone for a stage with numbered eqns, its text and ops, and XLA's own costs and memory. Without
these numbers no op leads to its eqn."""

CAPTURE = """CPU time of `jaxviz.inspect` and of `jax.make_jaxpr`, in turn, on new functions, so
that no cache answers. A run of more than 2 s runs once. A program makes its *records*, with its
*findings*, at the first access, and its *output*, with the static picture, when it is shown. *Sent*
goes to the page; *saved* stays in the notebook."""

GROWTH = """Time of each part over the number of eqns, for one recurrent network that is unrolled
to more and more steps. Both axes are logarithmic. The thin line is proportional to the number of
eqns."""

PAGE = """*First frame*: from the bytes in memory to the end of the first frame with boxes, on a new
page. *Again*: on a page that has shown a program before. *Warm*: after V8 has compiled all code
that runs. *Open*: from Enter on a folded group to the end of the first frame that shows it open.
Pan and zoom show the whole program, all expanded (at most 20,000 boxes): the script time of a frame
(median), and the time between frames at 60 a second (95th percentile). Chromium, headless, software
raster."""

LAYOUT = """All engines lay out the same regions, one for each jaxpr or HLO computation, each engine
in its own process, in the first run after loading. Edges over more than 8 ranks are left out for
all engines, because ours draws them as stubs. One counter counts crossings on the lines that each
engine draws. d3-dag has its fast options (simplex layers, aggregate order, greedy coordinates); all
others have their defaults. Times are CPU times of all threads, including V8's compiler, except
for native Graphviz (wall time). The limit is 60 s."""

STAGES = """A later stage from the request to its first frame, and the time of JAX to lower and to
compile the same program, as CPU time of all threads. *Stage* is `program.stage`, with lowering or
compiling. *Page* is the time from the bytes to the first frame, on a page that has shown another
program before. HLO is compiled from the lowered StableHLO. JAX's time for it is measured within
the stage, because two compilations of one program differ by a tenth. *Share* is stage and page
divided by JAX's time."""

WATCHING = """Calls with and without `jaxviz.watch()`, in turn, in one process. Figures are
medians, and quartiles of the cached call. It is timed after 200 other calls, because starting to
watch displaces their data from the CPU's caches. `%%jaxviz --hits` also counts cached calls: it
*describes* the first ones of a function, for a quarter of a second, and then *counts*. A miss is a
retrace for another static value: tracing alone (`.trace`), and the whole call with lowering and
compilation. *More* is the median difference within a round. *Read* is the time for each trace when
the log is read. The flood is 10,000 traces of different shapes, in its own process. *Counted* is
their number in the log, and MB is the memory that jaxviz then keeps."""

JOBS = """`jaxviz.agree` in one process of a job. The other processes are simulated: they have sent
their digests, and one of them has another program. Everything goes through JAX's key-value store,
on this machine. *Packed* is the time to make the bytes of a program that differs, and *compared*
the time from there to the comparison. Each process reads more in a larger job, so the work of the
first one grows with the square of their number: this is the next limit."""

PEERS = """Time from navigation until the graph is on the page: for a file of
`Program.save('x.html')`, for the page of `jaxviz` 0.1.4 of PyPI, and for Model Explorer on the
StableHLO of the same program (software GL). The limit is 60 s."""


def report(results: Result, plot: Path) -> str:
    programs = results["programs"]
    parts = [
        "# Benchmarks",
        heading(results["at"]),
        "## Targets",
        TARGETS,
        targets(results),
        "## Capture, and what is sent",
        CAPTURE,
        capture(programs),
        "## Growth",
        GROWTH,
        f"![times over eqns, in ms]({plot.name})",
        "## The page",
        PAGE,
        frames(results),
        "## Later stages",
        STAGES,
        stages(results["stages"]),
        "## Watching",
        WATCHING,
        watched_calls(results["watching"]),
        watched_misses(results["watching"]),
        *jobs(results["jobs"]),
        "## Static pictures",
        pictures.ABOUT,
        drawn(results["pictures"], programs),
        "## Layout",
        LAYOUT,
        layout(results["layout"], programs),
        "With all edges, including long ones:",
        layout(results["whole"], programs),
        "## Peers",
        PEERS,
        peers(results),
    ]
    return "\n\n".join(parts) + "\n"


def jobs(found: Result) -> list[str]:
    return ["## Jobs", JOBS, asked(found), differing(found)]


def asked(found: Result) -> str:
    rows = [
        [
            f"{one['processes']:,}",
            ms(1e3 * one["seconds"]),
            kb(one["bytes"]),
            ms(1e3 * one["shown"]),
            kb(one["output"]),
        ]
        for one in found["counts"]
    ]
    head = ["processes", "sent and compared ms", "read kB", "output made ms", "output kB"]
    return table(head, rows)


def differing(found: Result) -> str:
    steps = ("captured", "lowered and digested", "packed", "compared")
    rows = [
        [f"{one['eqns']:,}", *(f"{one['seconds'][step]:.1f}" for step in steps), kb(one["bytes"])]
        for one in found["programs"]
    ]
    return table(["eqns", *(f"{step} s" for step in steps), "sent kB"], rows)


def drawn(found: Result, programs: Result) -> str:
    if "error" in found:
        return found["error"]
    eqns = {name: programs[name]["eqns"] for name in found}
    return table(pictures.HEAD, pictures.rows(found, LABEL, eqns))


def heading(at: Result) -> str:
    """`at` has the commit at which each part was run."""
    commit, _ = Counter(at.values()).most_common(1)[0]
    others = [f"{name} at {one}" for name, one in at.items() if one != commit]
    return (
        f"Written by `make bench` at commit {'; '.join([commit, *others])} on "
        f"{os.cpu_count()} cores of {platform.machine()}, Python {platform.python_version()}, "
        f"jax {jax.__version__}. Times are medians unless stated. Compare the ratios, not the "
        "milliseconds."
    )


def capture(programs: Result) -> str:
    head = ["program", "eqns", "`make_jaxpr` ms", "`inspect` ms", "ratio", "records ms"]
    head += ["with them", "findings ms", "output ms", "sent kB", "saved kB"]
    return table(head, (capture_row(name, one) for name, one in programs.items() if "plain" in one))


def capture_row(name: str, one: Result) -> list[str]:
    plain, captured, recorded = one["plain"], one["captured"], one["recorded"]
    times = [ms(plain), ms(captured), f"{captured / plain:.2f}", ms(recorded)]
    whole = [f"{(captured + recorded) / plain:.2f}", ms(one["searched"]), ms(one["shown"])]
    return [LABEL[name], f"{one['eqns']:,}", *times, *whole, kb(one["sent"]), kb(one["saved"])]


def frames(results: Result) -> str:
    head = ["program", "eqns", "first frame ms", "again ms", "warm ms", "open ms"]
    return table(
        [*head, "boxes", "pan ms", "apart ms", "zoom ms", "apart ms"],
        (
            [
                LABEL[name],
                f"{results['programs'][name]['eqns']:,}",
                *(
                    [one["error"], *[""] * 8]
                    if "error" in one
                    else [
                        *(ms(one.get(key)) for key in ("first", "again", "warm", "open")),
                        f"{one['boxes']:,}",
                        *(ms(one[key]) for key in ("pan", "panApart", "zoom", "zoomApart")),
                    ]
                ),
            ]
            for name, one in results["frames"].items()
        ),
    )


def stages(found: Result) -> str:
    head = ["program", "stage", "eqns", "sent kB", "JAX ms", "stage ms", "page ms", "share"]
    return found["error"] if "error" in found else table(head, stage_rows(found))


def stage_rows(found: Result) -> Iterable[list[str]]:
    for name, one in found.items():
        for kind, plain in [("stablehlo", "lower"), ("hlo", "compile")]:
            stage, shown = one[kind], one[kind]["frames"].get("again", 0.0)
            made = one[f"{kind} ms"]
            share = f"{(made + shown) / one[plain]:.2f}"
            sizes = [f"{stage['eqns']:,}", kb(stage["sent"])]
            yield [LABEL[name], kind, *sizes, ms(one[plain]), ms(made), ms(shown), share]


def watched_calls(found: Result) -> str:
    """A cached call, and the flood."""
    if "error" in found:
        return found["error"]
    head = ["", "cached call ns", "quartiles", "10,000 retraces s", "counted", "MB"]
    names = {
        "alone": "alone",
        "watched": "watched",
        "described": "describing hits",
        "hits": "counting hits",
    }

    def row(name: str, label: str) -> list[str]:
        call, flood = found["call"][name], found["flood"].get(name, {})
        quartiles = f"{call['low']:,.0f} to {call['high']:,.0f}"
        shown = {"seconds": ".2f", "told": ",", "MB": ".1f"}
        rest = [f"{flood[key]:{form}}" if flood.get(key) else "–" for key, form in shown.items()]
        return [label, f"{call['median']:,.0f}", quartiles, *rest]

    return table(head, (row(name, label) for name, label in names.items()))


def watched_misses(found: Result) -> str:
    if "error" in found:
        return ""
    head = ["leaves", "trace µs", "watched µs", "more µs", "read µs"]
    head += ["whole miss µs", "more µs", "share"]

    def row(leaves: str, one: Result) -> list[str]:
        trace, whole = one["trace"], one["whole"]
        alone = whole["alone"]["median"]
        numbers = [
            trace["alone"]["median"],
            trace["watched"]["median"],
            trace["watched"]["added"],
            one["read"],
            alone,
            whole["watched"]["added"],
        ]
        share = f"{whole['watched']['added'] / alone:.1%}"
        return [leaves, *(f"{number:,.0f}" for number in numbers), share]

    return table(head, (row(*item) for item in found["miss"].items()))


def layout(found: Result, programs: Result) -> str:
    head = ["engine", *(f"{LABEL[name]}, {programs[name]['eqns']:,}" for name in found)]

    def cell(one: Result) -> str:
        return one["error"] if "error" in one else f"{ms(one['ms'])} ms · {one['crossings']:,} ×"

    rows = [
        [label, *(cell(by_engine[engine]) for by_engine in found.values())]
        for engine, label in ENGINE.items()
    ]
    warm = ["ours, warm", *(f"{ms(one['jaxviz'].get('warm'))} ms" for one in found.values())]
    return table(head, [*rows, warm]) + "\n\n× is crossings."


def peers(results: Result) -> str:
    found, programs = results["peers"], results["programs"]
    head = ["ms", *(f"{LABEL[name]}, {programs[name]['eqns']:,}" for name in found["ours"])]

    def cell(one: Result) -> str:
        size = f" · {kb(one['bytes'])} kB" if "bytes" in one else ""
        return f"{one['error']}{size}" if "error" in one else f"{ms(one['shown'])}{size}"

    return table(
        head,
        ([label, *(cell(one) for one in found[peer].values())] for peer, label in PEER.items()),
    )
