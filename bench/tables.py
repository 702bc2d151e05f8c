"""Writes names, numbers and tables of the benchmarks in Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Result = dict[str, Any]

LABEL = {
    "toy": "toy",
    "mlp": "MLP step",
    "nested": "transformer step, scan and remat",
    "flat": "transformer step, unrolled",
    "rnn500": "RNN, unrolled",
    "rnn2k": "RNN, unrolled",
    "rnn5k": "RNN, unrolled",
    "rnn20k": "RNN, unrolled",
    "rnn50k": "RNN, unrolled",
    "rnn200k": "RNN, unrolled",
    "hlo": "transformer step, optimized HLO",
    "flat2": "transformer step, 2 layers",
    "flat20": "transformer step, 20 layers",
}
ENGINE = {
    "jaxviz": "**ours**",
    "dagre": "dagre",
    "elk": "elkjs layered",
    "d3-dag": "d3-dag",
    "wasm-graphviz": "Graphviz (wasm)",
    "dot": "Graphviz (native)",
}
PEER = {
    "ours": "**ours**",
    "jaxviz014": "`jaxviz` 0.1.4",
    "explorer": "Model Explorer",
}


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    align = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, align, *rows])


def ms(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def kb(value: float) -> str:
    return f"{value / 1e3:,.1f}"
