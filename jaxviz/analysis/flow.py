"""How many values cross a point of a graph: where it is narrow, it is cut best."""

from __future__ import annotations

from jaxviz import schema


class Flow:
    """The values of one graph that pass between its eqns."""

    def __init__(self, graph: schema.Graph) -> None:
        self.born = [-1] * len(graph.vars)
        for index, eqn in enumerate(graph.eqns):
            for var in eqn.outvars:
                self.born[var] = index
        self.operands = [eqn.invars for eqn in graph.eqns]

    def widths(self, start: int, stop: int) -> list[int]:
        """For each eqn of `[start, stop)` the values made in it before that eqn and used in it
        from that eqn on."""
        last: dict[int, int] = {}
        for index in range(start, stop):
            for var in self.operands[index]:
                if self.born[var] >= start:
                    last[var] = index
        change = [0] * (stop - start + 1)
        for var, index in last.items():
            change[self.born[var] + 1 - start] += 1
            change[index + 1 - start] -= 1
        width = 0
        widths: list[int] = []
        for step in change[:-1]:
            width += step
            widths.append(width)
        return widths
