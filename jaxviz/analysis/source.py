"""What is known of each eqn of one graph, gathered once for all that looks for groups."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import reduce
from itertools import groupby

from jaxviz import schema
from jaxviz.analysis import arguments, calls, regions, scopes
from jaxviz.analysis.arguments import Path
from jaxviz.analysis.flow import Flow
from jaxviz.analysis.tree import Run

Line = tuple[str, int]
"""A file and a line of it."""


@dataclass(frozen=True, slots=True)
class Source:
    """The eqns of a graph: their stacks, primitives, parameters, and the values between them."""

    chains: list[calls.Chain]
    ops: list[str]
    scopes: list[scopes.Names]
    paths: list[Path | None]
    owner: str
    """The argument that holds the parameters."""
    roles: list[str]
    holders: list[str]
    """Where each eqn's result is kept for a parameter: `mu`."""
    lines: list[Line]
    flow: Flow

    def path(self, item: Run | int) -> Path | None:
        """The path that all parameters of a run or an eqn share."""
        if isinstance(item, int):
            return self.paths[item]
        return reduce(arguments.common, self.paths[item.start : item.stop], None)

    def depth(self, run: Run) -> int:
        """How many outer frames all eqns of a run share."""
        shared = previous = self.chains[run.start]
        depth = len(shared)
        for chain in self.chains[run.start : run.stop]:
            if chain is previous:
                continue
            previous = chain
            if chain[:depth] != shared[:depth]:
                depth = next(i for i in range(depth) if chain[i : i + 1] != shared[i : i + 1])
        return depth

    def site(self, item: Run | int, depth: int) -> int:
        """The frame at that depth: the line that an item comes from."""
        chain = self.chains[item if isinstance(item, int) else item.start]
        return chain[depth] if depth < len(chain) else -1

    def symbol(self, item: Run | int, depth: int) -> Hashable:
        """Equal for two items that one line made twice."""
        what = self.ops[item] if isinstance(item, int) else (item.name, item.key)
        return self.site(item, depth), what


def first(item: Run | int) -> int:
    return item if isinstance(item, int) else item.start


def gather(stage: schema.Stage) -> list[Source]:
    """What is known of each graph's eqns. An eqn without a stack has its neighbour's."""
    chains = calls.chains(stage.frames)
    parsed = [scopes.parse(scope) for scope in stage.scopes]
    roles = regions.roles_of(stage, parsed)
    owner, paths, names = arguments.of_stage(stage, roles)
    return [
        Source(
            chains=stacks(graph, chains, stage.frames, roles[index]),
            ops=[eqn.op for eqn in graph.eqns],
            scopes=[parsed[eqn.scope].names for eqn in graph.eqns],
            paths=paths[index],
            owner=owner,
            roles=roles[index],
            holders=names[index],
            lines=[line_of(stage, eqn) for eqn in graph.eqns],
            flow=Flow(graph),
        )
        for index, graph in enumerate(stage.graphs)
    ]


def line_of(stage: schema.Stage, eqn: schema.Eqn) -> Line:
    """The user's line, or nothing."""
    if eqn.frame is None:
        return "", 0
    return stage.frames[eqn.frame].file, stage.frames[eqn.frame].line


def stacks(
    graph: schema.Graph, chains: list[calls.Chain], frames: list[schema.Frame], roles: list[str]
) -> list[calls.Chain]:
    """Each eqn's frames, callers first. JAX traces some functions apart, and moves what does not
    depend on their arguments out of them: such stacks get the callers of those around them, or
    of those with their role."""
    held: list[calls.Chain] = []
    chain: calls.Chain = next((chains[e.call] for e in graph.eqns if e.call is not None), ())
    for eqn in graph.eqns:
        if eqn.call is not None:
            chain = chains[eqn.call]
        held.append(chain)

    def outermost(at: int) -> tuple[str, str]:
        frame = frames[held[at][0]] if held[at] else None
        return ("", "") if frame is None else (frame.function, frame.file)

    rows = [(who, list(row)) for who, row in groupby(range(len(held)), outermost)]
    if len(rows) < 2:
        return held
    main = rows[-1][0]
    ends: dict[str, list[int]] = {}
    for at in (at for who, row in rows if who == main for at in row):
        ends[roles[at]] = [*ends.get(roles[at], [at])[:1], at]
    for number, (who, row) in enumerate(rows):
        if who == main:
            continue
        inside = 0 < number < len(rows) - 1 and rows[number - 1][0] == rows[number + 1][0] == main
        around = [row[0] - 1, row[-1] + 1] if inside else ends.get(roles[row[0]], [len(held) - 1])
        callers = same_calls(held[around[0]], held[around[-1]], frames)
        for at in row:
            held[at] = (*callers, *held[at])
    return held


def same_calls(a: calls.Chain, b: calls.Chain, frames: list[schema.Frame]) -> calls.Chain:
    """The frames of `b` as far as `a` is in the same functions."""
    for depth, (x, y) in enumerate(zip(a, b, strict=False)):
        if (frames[x].function, frames[x].file) != (frames[y].function, frames[y].file):
            return b[:depth]
        if x != y:
            return b[: depth + 1]
    return b[: min(len(a), len(b))]
