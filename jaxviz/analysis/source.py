"""What is known of each eqn of one graph, gathered once for all that looks for groups."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import reduce

from jaxviz import schema
from jaxviz.analysis import arguments, calls
from jaxviz.analysis.arguments import Path
from jaxviz.analysis.flow import Flow
from jaxviz.analysis.tree import Run


@dataclass(frozen=True, slots=True)
class Source:
    """The eqns of a graph: their stacks, primitives, parameters, and the values between them."""

    chains: list[calls.Chain]
    ops: list[str]
    paths: list[Path | None]
    owner: str
    """The argument that holds the parameters."""
    holders: list[str]
    """Where each eqn's result is kept for a parameter: `mu`."""
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


def gather(stage: schema.Stage, graph: schema.Graph, chains: list[calls.Chain]) -> Source:
    """`chains` are the stacks of the stage's frames. An eqn without one has its neighbour's."""
    held: list[calls.Chain] = []
    chain: calls.Chain = next((chains[e.frame] for e in graph.eqns if e.frame is not None), ())
    for eqn in graph.eqns:
        if eqn.frame is not None:
            chain = chains[eqn.frame]
        held.append(chain)
    ops = [eqn.op for eqn in graph.eqns]
    owner, known = arguments.parameters(path for path in graph.args if path)
    paths = arguments.worked(stage, graph, known)
    return Source(held, ops, paths, owner, arguments.holders(graph, known), Flow(graph))
