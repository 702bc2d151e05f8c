"""Ratios of the small benchmarks. `make bench-quick` compares them with those in `ratios.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

KEPT = Path(__file__).parent / "ratios.json"
WORSE = 1.3
"""A ratio that grows by more than this factor is a regression. Noise is smaller, even for two
minutes on a machine that does other work."""

Result = dict[str, Any]


def ratios(results: Result) -> dict[str, float]:
    """Our times divided by those of JAX or another library in the same run: less is better."""
    found: dict[str, float] = {}
    for name, one in results["programs"].items():
        if "plain" in one:
            found[f"{name}: inspect / make_jaxpr"] = one["captured"] / one["plain"]
            found[f"{name}: records / make_jaxpr"] = one["recorded"] / one["plain"]
            found[f"{name}: output / make_jaxpr"] = one["shown"] / one["plain"]
    for name, one in results["stages"].items():
        found[f"{name}: stablehlo / lower"] = one["stablehlo ms"] / one["lower"]
        found[f"{name}: hlo / compile"] = one["hlo ms"] / one["compile"]
    for name, engines in results["layout"].items():
        for other in ("d3-dag", "dagre"):
            if "ms" in engines.get(other, {}):
                found[f"{name}: layout / {other}"] = engines["jaxviz"]["ms"] / engines[other]["ms"]
    call, miss = results["watching"]["call"], results["watching"]["miss"]["10"]["trace"]
    found["watching: cached call"] = 1 + call["watched"]["added"] / call["alone"]["median"]
    found["watching: trace"] = miss["watched"]["median"] / miss["alone"]["median"]
    return found


def keep(results: Result) -> None:
    text = json.dumps({name: round(one, 3) for name, one in ratios(results).items()}, indent=1)
    KEPT.write_text(text + "\n")


def steps_back(results: Result) -> list[str]:
    """A line for each ratio that is worse than the one that is kept."""
    kept = json.loads(KEPT.read_text())
    return [
        f"{name}: {one:.2f}, kept {kept[name]:.2f}"
        for name, one in ratios(results).items()
        if name in kept and one > WORSE * kept[name]
    ]
