"""Plain graphs for layout engines: boxes in topological order, and edges between them."""

from __future__ import annotations

import re
from typing import Any

from jaxviz import schema

HEIGHT = 26


def regions_of(stage: schema.Stage) -> list[dict[str, Any]]:
    """One region for each graph of a stage: its inputs, its eqns, its outputs."""
    return [_region(graph) for graph in stage.graphs]


def _region(graph: schema.Graph) -> dict[str, Any]:
    used = {var for eqn in graph.eqns for var in eqn.invars} | set(graph.outvars)
    width: list[int] = []
    maker: dict[int, int] = {}

    def box(label: str) -> int:
        width.append(max(44, 22 + round(7.2 * len(label))))
        return len(width) - 1

    for var in [*graph.constvars, *graph.invars]:
        if var in used:
            maker[var] = box(graph.vars[var].name)
    edges: set[tuple[int, int]] = set()
    for eqn in graph.eqns:
        at = box(eqn.op)
        edges |= {(maker[var], at) for var in eqn.invars if var in maker}
        maker |= dict.fromkeys(eqn.outvars, at)
    for var in graph.outvars:
        if var in maker:
            edges.add((maker[var], box(graph.vars[var].name)))
    return _made(width, edges)


INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%([\w.-]+) = \S.*? ([\w-]+)\((.*)$")
OPERAND = re.compile(r"%([\w.-]+)")


def regions_of_hlo(text: str) -> list[dict[str, Any]]:
    """One region for each computation of an optimized, scheduled HLO module."""
    regions: list[dict[str, Any]] = []
    width: list[int] = []
    known: dict[str, int] = {}
    edges: set[tuple[int, int]] = set()
    for line in text.splitlines():
        if line.startswith("}"):
            regions.append(_made(width, edges))
            width, known, edges = [], {}, set()
            continue
        found = INSTRUCTION.match(line)
        if found is None:
            continue
        name, op, rest = found.groups()
        operands = OPERAND.findall(rest.split("), ")[0])
        edges |= {(known[one], len(width)) for one in operands if one in known}
        known[name] = len(width)
        width.append(max(44, 22 + round(7.2 * len(op))))
    return [region for region in regions if region["width"]]


def _made(width: list[int], edges: set[tuple[int, int]]) -> dict[str, Any]:
    ordered = sorted(edges, key=lambda edge: (edge[1], edge[0]))
    return {
        "width": width,
        "height": [HEIGHT] * len(width),
        "source": [source for source, _ in ordered],
        "target": [target for _, target in ordered],
    }
