"""Runs all benchmarks, each in its own process, and writes `docs/benchmarks.md`.

    python bench/bench.py [--quick | --keep | PART ...]

`--quick` times only small programs, and reports ratios that are worse than those that `--keep`
wrote (`ratios.py`). With names of `PARTS` it times only these, and takes the last figures of all
others; with `report` it times nothing. The page names peers that are not installed; `make bench`
installs them.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import growth
import ratios
from growth import GROWTH
from programs import PEER_PROGRAMS
from report import report

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
FOLDER = ROOT / ".bench"
LIMIT = 60
"""Seconds that a library or a peer gets for one program."""
PROGRAMS = ["toy", "mlp", "nested", "flat", *GROWTH]
QUICK = ["mlp", "nested"]
STAGED = ["flat2", "flat20"]
"""Programs whose later stages are timed."""
LATER = ["stablehlo", "hlo"]
DRAWN = ["toy", "mlp", "nested", "flat", "rnn50k"]
"""Programs whose static picture is timed."""
QUICK_ENGINES = ["jaxviz", "dagre", "d3-dag"]
ENGINES = ["jaxviz", "dagre", "elk", "d3-dag", "wasm-graphviz", "dot"]
COLD_RUNS = 5
SLOW = 1_000
"""Ms: what takes longer is run once, all else `COLD_RUNS` times, and the median kept."""
WHOLE = ["toy", "mlp", "nested"]
"""Programs small enough to be laid out with all their edges too."""
JAXVIZ014 = ROOT / ".venv-peer-jaxviz/bin/python"
EXPLORER = ROOT / ".venv-peer-explorer/bin/model-explorer"

Result = dict[str, Any]


def main(names: list[str]) -> None:
    """Runs some parts, and keeps what is known of the others. `at` has the commit of each."""
    FOLDER.mkdir(exist_ok=True)
    file = FOLDER / "results.json"
    results: Result = json.loads(file.read_text()) if file.exists() else {"at": {}}
    for name in names:
        say(name)
        results |= {name: PARTS[name](), "at": results["at"] | {name: commit()}}
        file.write_text(json.dumps(results, indent=1))
    (DOCS / "benchmarks.md").write_text(report(results, growth.drawn(results, DOCS)))


def quick() -> Result:
    """Runs the benchmarks that take two minutes and show a regression."""
    FOLDER.mkdir(exist_ok=True)
    say("quick")
    return {
        "programs": python("capture.py", ".bench", "5", *QUICK, limit=60),
        "stages": python("stages.py", ".bench", "3", "flat2", limit=60),
        "watching": python("watching.py", "quick", limit=60),
        "layout": {name: engines(name, "cut", {}, QUICK_ENGINES) for name in QUICK},
    }


def commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    described = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return described.stdout.strip()


def captured() -> Result:
    return python("capture.py", ".bench", "5", *PROGRAMS, "hlo", limit=600)


def framed() -> Result:
    return {name: frames(name, "jaxpr") for name in PROGRAMS}


def frames(name: str, kind: str) -> Result:
    say(f"page {name}")
    wire = f".bench/{name}.wire"
    return called("node", "bench/frames.mjs", name, wire, "3", kind, limit=180)


def staged() -> Result:
    """Times the later stages in the kernel and on the page."""
    found = python("stages.py", ".bench", "3", *STAGED, limit=600)
    for name in STAGED if "error" not in found else []:
        for kind in LATER:
            found[name][kind]["frames"] = frames(f"{name}-{kind}", kind)
    return found


def laid_out(names: list[str], cut: str) -> Result:
    found: Result = {}
    for name in names:
        found[name] = engines(name, cut, found)
    if "flat" in found:
        engine = "bench/engine.mjs", "jaxviz", ".bench/flat.json", cut
        run = called("node", "--no-opt", *engine, limit=LIMIT)
        found["flat"]["jaxviz"]["uncompiled"] = run.get("ms")
    return found


def engines(name: str, cut: str, before: Result, those: Sequence[str] = tuple(ENGINES)) -> Result:
    """Each engine on one program. One that failed on a smaller program is not asked again, but for
    HLO, whose regions are many and small."""
    found: Result = {}
    for engine in those:
        failed = any("error" in past[engine] for past in before.values())
        if failed and name != "hlo":
            found[engine] = {"error": "not tried: failed on a smaller one"}
            continue
        say(f"layout {name} {cut} {engine}")
        file = f".bench/{name}.json"
        runs = [called("node", "bench/engine.mjs", engine, file, cut, limit=LIMIT)]
        while runs[0].get("ms", SLOW) < SLOW and len(runs) < COLD_RUNS:
            runs.append(called("node", "bench/engine.mjs", engine, file, cut, limit=LIMIT))
        found[engine] = sorted(runs, key=lambda run: run.get("ms", 0))[len(runs) // 2]
    return found


def peers(names: list[str]) -> Result:
    """From navigation to the graph on the page, ours saved as HTML and those of the peers."""
    found: Result = {"ours": {}, "jaxviz014": {}, "explorer": {}}
    for name in names:
        url = (FOLDER / f"{name}.html").as_uri()
        found["ours"][name] = shown("ours", url)
    made = called(str(JAXVIZ014), "bench/peers/other_jaxviz.py", ".bench", *names, limit=120)
    for name in names:
        one = made if "error" in made else made[name]
        url = (FOLDER / f"{name}.other.html").as_uri()
        found["jaxviz014"][name] = one if "error" in one else one | shown("jaxviz014", url)
    for name in names:
        found["explorer"][name] = explored(FOLDER / f"{name}.mlir")
    return found


def shown(kind: str, url: str) -> Result:
    say(f"peer {kind} {url.rsplit('/', 1)[-1][:40]}")
    return called("node", "bench/peers/page.mjs", kind, url, limit=LIMIT)


def explored(path: Path) -> Result:
    if not EXPLORER.exists():
        return {"error": "not installed"}
    port = free_port()
    command = [EXPLORER, path, "--no_open_in_browser", "--host", "127.0.0.1", f"--port={port}"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if not reachable(port):
            return {"error": f"its server did not answer within {LIMIT} s"}
        models = json.dumps({"models": [{"url": str(path)}]})
        return shown("explorer", f"http://127.0.0.1:{port}/?data={quote(models)}")
    finally:
        server.terminate()
        server.wait()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def reachable(port: int) -> bool:
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        with socket.socket() as one:
            one.settimeout(1)
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.2)
    return False


def python(script: str, *arguments: str, limit: float) -> Result:
    return called(sys.executable, f"bench/{script}", *arguments, limit=limit)


def called(*command: str, limit: float) -> Result:
    """The JSON that a process prints last, or why there is none. At its limit it is ended, with all
    that it has started."""
    try:
        process = subprocess.Popen(
            command, stdout=-1, stderr=-1, text=True, cwd=ROOT, start_new_session=True
        )
    except FileNotFoundError:
        return {"error": "not installed"}
    try:
        printed, complaint = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return {"error": f"more than {limit:.0f} s"}
    lines = printed.strip().splitlines()
    if not lines:
        said = complaint.strip().splitlines() or [f"ended with {process.returncode}"]
        return {"error": next((line for line in said if "rror" in line), said[-1])[:160]}
    return json.loads(lines[-1])


def say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


PARTS: dict[str, Callable[[], Result]] = {
    "programs": captured,
    "held": lambda: python("held.py", limit=300),
    "stages": staged,
    "watching": lambda: python("watching.py", limit=300),
    "jobs": lambda: python("jobs.py", limit=900),
    "pictures": lambda: python("pictures.py", *DRAWN, limit=300),
    "cards": lambda: python("cards.py", limit=120),
    "profile": lambda: python("profiling.py", limit=300),
    "frames": framed,
    "lab": lambda: python("lab.py", limit=600),
    "stalls": lambda: called("node", "bench/stalls.mjs", ".bench/rnn200k.wire", limit=180),
    "script": lambda: called("node", "bench/script.mjs", limit=120),
    "layout": lambda: laid_out([*PROGRAMS, "hlo"], "cut"),
    "whole": lambda: laid_out(WHOLE, "whole"),
    "peers": lambda: peers(PEER_PROGRAMS),
}
"""The parts in order: later ones show what the first ones wrote."""

if __name__ == "__main__":
    options = sys.argv[1:]
    if "--keep" in options:
        ratios.keep(quick())
    elif "--quick" in options:
        print(*(ratios.steps_back(quick()) or ["no step back"]), sep="\n")
    else:
        main([name for name in options if name != "report"] if options else [*PARTS])
