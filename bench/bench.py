"""Runs all benchmarks, each in a process of its own, and writes `docs/benchmarks.md`.

    python bench/bench.py [--quick | --keep | --watching | --pictures]

`--quick` times small programs alone, and says which ratios are worse than those that `--keep` kept
(`ratios.py`). The others time that alone, and keep what was measured last of all else. Peers that
are not installed (`make bench` does that) are shown as such.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
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
"""Programs of which the later stages are timed."""
LATER = ["stablehlo", "hlo"]
DRAWN = ["toy", "mlp", "nested", "flat", "rnn50k"]
"""Programs of which a static picture is timed."""
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


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    say("capture")
    names = [*PROGRAMS, "hlo"]
    results: Result = {
        "commit": commit(),
        "programs": called(sys.executable, "bench/capture.py", ".bench", "5", *names, limit=600),
        "frames": {},
        "stages": staged(STAGED),
        "watching": watching(),
        "pictures": pictures(),
        "cards": called(sys.executable, "bench/cards.py", limit=120),
        "layout": {},
        "whole": {},
    }
    for name in PROGRAMS:
        say(f"page {name}")
        wire = f".bench/{name}.wire"
        results["frames"][name] = called(
            "node", "bench/frames.mjs", name, wire, "3", "jaxpr", limit=180
        )
    for name in names:
        results["layout"][name] = engines(name, "cut", results["layout"])
    for name in WHOLE:
        results["whole"][name] = engines(name, "whole", results["whole"])
    kept(results | {"peers": peers(PEER_PROGRAMS)})


def quick() -> Result:
    """What takes two minutes, and is enough to see a step back."""
    FOLDER.mkdir(exist_ok=True)
    say("capture")
    return {
        "programs": called(sys.executable, "bench/capture.py", ".bench", "5", *QUICK, limit=60),
        "stages": called(sys.executable, "bench/stages.py", ".bench", "3", "flat2", limit=60),
        "watching": called(sys.executable, "bench/watching.py", "quick", limit=60),
        "layout": {name: engines(name, "cut", {}, QUICK_ENGINES) for name in QUICK},
    }


def again(part: str) -> None:
    results = json.loads((FOLDER / "results.json").read_text())
    kept(results | {part: watching() if part == "watching" else pictures()})


def kept(results: Result) -> None:
    (FOLDER / "results.json").write_text(json.dumps(results, indent=1))
    (DOCS / "benchmarks.md").write_text(report(results, growth.drawn(results, DOCS)))


def commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    described = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return described.stdout.strip()


def staged(names: list[str]) -> Result:
    """What the later stages take in the kernel, and on the page."""
    say("stages")
    found = called(sys.executable, "bench/stages.py", ".bench", "3", *names, limit=600)
    for name in names if "error" not in found else []:
        for kind in LATER:
            say(f"page {name} {kind}")
            wire = f".bench/{name}-{kind}.wire"
            found[name][kind]["frames"] = called(
                "node", "bench/frames.mjs", f"{name}-{kind}", wire, "3", kind, limit=180
            )
    return found


def watching() -> Result:
    say("watching")
    found = called(sys.executable, "bench/watching.py", limit=300)
    return found | {"commit": commit()}


def pictures() -> Result:
    say("pictures")
    found = called(sys.executable, "bench/pictures.py", *DRAWN, limit=300)
    return found | {"commit": commit()}


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


def called(*command: str, limit: float) -> Result:
    """The JSON that a process prints last, or why there is none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, cwd=ROOT)
    except subprocess.TimeoutExpired:
        return {"error": f"more than {limit:.0f} s"}
    except FileNotFoundError:
        return {"error": "not installed"}
    lines = done.stdout.strip().splitlines()
    if not lines:
        said = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        return {"error": next((line for line in said if "rror" in line), said[-1])[:160]}
    return json.loads(lines[-1])


def say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    options = sys.argv[1:]
    parts = [part for part in ("watching", "pictures") if f"--{part}" in options]
    if parts:
        again(parts[0])
    elif "--keep" in options:
        ratios.keep(quick())
    elif "--quick" in options:
        print(*(ratios.steps_back(quick()) or ["no step back"]), sep="\n")
    else:
        main()
