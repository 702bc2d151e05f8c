"""Draws how times grow with the size of a program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot

GROWTH = ["rnn500", "rnn2k", "rnn5k", "rnn20k", "rnn50k", "rnn200k"]
"""One program at many sizes."""

Result = dict[str, Any]


def drawn(results: Result, folder: Path) -> Path:
    """The file of the plot, which is written into a folder."""
    programs, frames, layout = (results[part] for part in ("programs", "frames", "layout"))
    names = [name for name in GROWTH if name in programs]
    lines = {
        "make_jaxpr": {name: programs[name]["plain"] for name in names},
        "inspect": {name: programs[name]["captured"] for name in names},
        "records": {name: programs[name]["recorded"] for name in names},
        "output": {name: programs[name]["shown"] for name in names},
        "first frame": {name: frames.get(name, {}).get("first") for name in names},
        "layout, warm": {
            name: layout.get(name, {}).get("jaxviz", {}).get("warm") for name in names
        },
    }
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for label, found in lines.items():
        known = [(programs[name]["eqns"], ms) for name, ms in found.items() if ms]
        if known:
            axes.loglog(*zip(*known, strict=True), marker="o", markersize=4, label=label)
    ends = [programs[names[0]]["eqns"], programs[names[-1]]["eqns"]]
    axes.loglog(ends, [end / ends[0] for end in ends], color="#999", linewidth=0.8)
    axes.set(xlabel="eqns", ylabel="ms")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    file = folder / "growth.svg"
    figure.savefig(file, bbox_inches="tight", metadata={"Date": None})
    return file
