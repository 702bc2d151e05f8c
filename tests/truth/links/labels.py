"""The labels of a program, read from its file, and what they say of an eqn."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jaxviz import schema
from truth.links.dataflow import LOOPS, THROUGH, At, Dataflow, Node, plain

HERE = Path(__file__).parent


class Pattern(NamedTuple):
    """`multiply(dot, _)`: an op, or the name of what no eqn makes, and of its first operands."""

    op: str
    value: str
    operands: list[Pattern]

    def fits(self, flow: Dataflow, node: Node) -> bool:
        if self.op == "_":
            return True
        if isinstance(node, str):
            return self.op == node
        if self.op in ("before", "after"):
            [other] = self.operands
            return any(other.fits(flow, one) for one in flow.reached(node, self.op == "after"))
        eqn = flow.eqn(node)
        if plain(eqn.op) != self.op or (self.value and not self._has_value(eqn)):
            return False
        found = flow.operands(node)
        return len(self.operands) <= len(found) and all(
            wanted.fits(flow, one) for wanted, one in zip(self.operands, found, strict=False)
        )

    def _has_value(self, eqn: schema.Eqn) -> bool:
        return any(param.value == self.value for param in eqn.params)


class Label(NamedTuple):
    pattern: Pattern
    type: str
    user: Pattern | None
    numbers: frozenset[int] | None
    """None: those of its users."""

    def fits(self, flow: Dataflow, at: At) -> bool:
        return (
            self.pattern.fits(flow, at)
            and self.type in ("", flow.type(at))
            and (self.user is None or any(self.user.fits(flow, user) for user in flow.users[at]))
        )


def read(program: str, kind: str, held: set[str], eqns: int) -> list[Label]:
    """The lines under the name of a stage: in `program.primitive.txt` where the jaxpr has that
    primitive, as versions of JAX may make another jaxpr of the same program. Of a short program
    those under its own name in `short.txt`, or in `short_stablehlo.txt`."""
    found = {path.suffixes[0].removeprefix("."): path for path in HERE.glob(f"{program}.*.txt")}
    path = next((found[one] for one in found if one in held), HERE / f"{program}.txt")
    if not path.exists():
        path, kind = HERE / ("short.txt" if kind == "hlo" else f"short_{kind}.txt"), program
    sections = re.split(r"^(\w+(?:\.\d+)?)$", path.read_text(), flags=re.MULTILINE)
    kind = f"{kind}.{eqns}" if f"{kind}.{eqns}" in sections else kind
    lines = sections[sections.index(kind) + 1].split("\n")
    return [_label(line) for line in lines if line]


def _label(line: str) -> Label:
    found = re.fullmatch(r"(.+?)(?: (\w+\[[\d,]*\]))?(?: for (.+))?: (.+)", line)
    assert found is not None, line
    pattern, type_, user, numbers = found.groups()
    parsed = re.findall(r"\d+", numbers)
    return Label(
        _pattern(_tokens(pattern)),
        type_ or "",
        _pattern(_tokens(user)) if user else None,
        None if numbers == "users" else frozenset(map(int, parsed)),
    )


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\s(),]+|[(),]", text)[::-1]


def _pattern(tokens: list[str]) -> Pattern:
    """Reads a pattern from tokens, which are in reverse order."""
    op, _, value = tokens.pop().partition("=")
    operands: list[Pattern] = []
    while tokens and tokens[-1] in "(," and (tokens[-1] == "(" or operands):
        if tokens[-1] == "," and not operands:
            break
        tokens.pop()
        operands.append(_pattern(tokens))
    if operands:
        assert tokens.pop() == ")"
    return Pattern(op, value, operands)


class Truth:
    """For each eqn of a stage those of the jaxpr that it may be linked to."""

    def __init__(self, program: str, stage: schema.Stage, jaxpr: schema.Stage) -> None:
        self.flow = Dataflow(stage)
        held = {eqn.op for graph in jaxpr.graphs for eqn in graph.eqns}
        self._starts: list[int] = []
        count = 0
        for graph in jaxpr.graphs:
            self._starts.append(count)
            count += len(graph.eqns)
        self.jaxpr = jaxpr
        self.eqns = count
        self._labels = read(program, stage.kind, held, count)
        self._jaxpr = [eqn for graph in jaxpr.graphs for eqn in graph.eqns]
        self._counts = [len(graph.eqns) for graph in jaxpr.graphs]
        self.of = cache(self._of)

    def _of(self, at: At) -> frozenset[int]:
        eqn = self.flow.eqn(at)
        applied = self._applied(at)
        if applied is not None:
            return applied
        if plain(eqn.op) in ("fusion", "call"):
            return self._held(eqn)
        label = next((label for label in self._labels if label.fits(self.flow, at)), None)
        if label is None:
            return frozenset()
        if label.numbers is not None:
            return label.numbers
        users = self.flow.users[at]
        return frozenset(number for user in users for number in self.of(user))

    def _held(self, eqn: schema.Eqn) -> frozenset[int]:
        """All that is in its bodies."""
        graphs = [(body.graph, self.flow.stage.graphs[body.graph]) for body in eqn.bodies]
        inside = [At(index, n) for index, graph in graphs for n in range(len(graph.eqns))]
        return frozenset(number for at in inside for number in self.of(at))

    def _applied(self, at: At) -> frozenset[int] | None:
        """Labels of the eqn that applies this one to elements, and of its body."""
        for holder, _ in self.flow.holders[at.graph]:
            op = plain(self.flow.eqn(holder).op)
            if op == "fusion":
                return self._applied(holder)
            if op not in THROUGH | LOOPS:
                numbers = self.of(holder)
                inner = [body.graph for number in numbers for body in self._jaxpr[number].bodies]
                spans = [range(self._starts[g], self._starts[g] + self._counts[g]) for g in inner]
                return numbers.union(*spans)
        return None
