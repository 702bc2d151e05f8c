"""Cuts a stage's text into pieces that are mostly equal, so that it deflates well.

The text is cut wherever an eqn's text begins or ends. In each piece, variable names that follow
from the eqn become marks. A mark is a control character: for the eqn's next result (1), its next
operand (2), the next input of its bodies (3) or their next result (4). So `c:f32[8] = add a b` and
`g:f32[8] = add c c` are the same piece. A NUL precedes a character of the text that is no mark but
would be read as one. Spans are sent as numbers of pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any

from msgspec.structs import force_setattr

from jaxviz import schema

_MARK = re.compile("\0(.)|([\1-\4])")
_MARKS = re.compile("[\1-\4]")
_LIKE_A_MARK = re.compile("([\0-\4])")
_WORD = re.compile(r"[^\s,()]+")

Span = tuple[int, ...]
USED_UP: list[list[str]] = [[], [], [], []]


def residues(program: schema.Program) -> dict[str, list[Any]]:
    """The columns of texts and spans in the wire form, by field. A span becomes two counts of
    pieces: from the end of the span before to its start, which may be negative, and from its start
    to its end."""
    texts: list[list[str]] = []
    spans: list[Span | None] = []
    for stage in program.stages:
        ends = chain.from_iterable(eqn.span or () for eqn in eqns(stage))
        cuts = sorted({0, len(stage.text), *ends})
        places = {cut: number for number, cut in enumerate(cuts)}
        counted = [
            None if (span := eqn.span) is None else (places[span[0]], places[span[1]])
            for eqn in eqns(stage)
        ]
        pieces = [stage.text[start:stop] for start, stop in pairwise(cuts)]
        texts.append([*map(Names(stage).marked, pieces, owners(counted, len(pieces)))])
        spans += steps(counted)
    return {"Stage.text": texts, "Eqn.span": spans}


def restore(program: schema.Program) -> None:
    """The inverse of `residues`. Changes the program in place."""
    for stage in program.stages:
        pieces: Any = stage.text
        places = [*stepped(eqn.span for eqn in eqns(stage))]
        written = [*map(Names(stage).written, pieces, owners(places, len(pieces)))]
        cuts = [*accumulate(map(len, written), initial=0)]
        for eqn, span in zip(eqns(stage), places, strict=True):
            force_setattr(eqn, "span", span and (cuts[span[0]], cuts[span[1]]))
        force_setattr(stage, "text", "".join(written))


def eqns(stage: schema.Stage) -> Iterator[schema.Eqn]:
    return chain.from_iterable(graph.eqns for graph in stage.graphs)


def steps(spans: Iterable[Span | None]) -> Iterator[Span | None]:
    before = 0
    for span in spans:
        if span is None:
            yield None
        else:
            start, stop = span
            yield start - before, stop - start
            before = stop


def stepped(steps: Iterable[Span | None]) -> Iterator[Span | None]:
    """The inverse of `steps`."""
    before = 0
    for step in steps:
        if step is None:
            yield None
        else:
            start = before + step[0]
            before = start + step[1]
            yield start, before


def owners(spans: Sequence[Span | None], count: int) -> Iterator[int]:
    """For each of `count` pieces the index of the innermost span around it; -1 if there is none."""
    opening = sorted((span[0], -span[1], index) for index, span in enumerate(spans) if span)
    opening.append((count, 0, 0))
    opened = 0
    around = [(count, -1)]
    for piece in range(count):
        while around[-1][0] <= piece:
            around.pop()
        while opening[opened][0] <= piece:
            _, stop, index = opening[opened]
            if -stop > piece:
                around.append((-stop, index))
            opened += 1
        yield around[-1][1]


class Names:
    """The names of each eqn's results and operands, and of its bodies' inputs and results. The
    lists are reversed, and names are taken from their ends."""

    def __init__(self, stage: schema.Stage) -> None:
        self._graphs = stage.graphs
        self._names = [[var.name for var in graph.vars] for graph in stage.graphs]
        self._avals = [[var.aval for var in graph.vars] for graph in stage.graphs]
        self._eqns = [(eqn, number) for number, g in enumerate(stage.graphs) for eqn in g.eqns]
        self._left: dict[int, list[list[str]]] = {}
        self._patterns: dict[tuple[object, ...], tuple[str, str]] = {}

    def marked(self, piece: str, owner: int) -> str:
        if piece.isspace():
            return piece
        if owner < 0 or owner in self._left or self._eqns[owner][0].bodies:
            return marked(piece, *self._of(owner))
        eqn, graph = self._eqns[owner]
        name, aval = self._names[graph].__getitem__, self._avals[graph].__getitem__
        names = *map(name, eqn.outvars), *map(name, eqn.invars)
        key = eqn.op, id(eqn.params), len(eqn.invars), *map(aval, eqn.outvars)
        pattern, found = self._patterns.get(key, ("", ""))
        if pattern and pattern % names == piece:
            self._left[owner] = USED_UP
            return found
        found = marked(piece, *self._of(owner))
        in_order = ["\1"] * len(eqn.outvars) + ["\2"] * len(eqn.invars)
        if "\0" not in found and _MARKS.findall(found) == in_order:
            self._patterns[key] = _MARKS.sub("%s", found.replace("%", "%%")), found
        return found

    def written(self, piece: str, owner: int) -> str:
        """The inverse of `marked`."""
        left = self._of(owner)
        return _MARK.sub(lambda found: found[1] or left[ord(found[2]) - 1].pop(), piece)

    def _of(self, owner: int) -> list[list[str]]:
        left = self._left.get(owner)
        if left is None:
            left = self._left[owner] = [[*reversed(names)] for names in self._lists(owner)]
        return left

    def _lists(self, owner: int) -> tuple[list[str], ...]:
        if owner < 0:
            return [], [], *self._inside([0] if self._graphs else [])
        eqn, graph = self._eqns[owner]
        names = self._names[graph]
        own = [names[var] for var in eqn.outvars], [names[var] for var in eqn.invars]
        return *own, *self._inside([body.graph for body in eqn.bodies])

    def _inside(self, bodies: list[int]) -> tuple[list[str], list[str]]:
        named = [(self._graphs[body], self._names[body]) for body in bodies]
        binders = [names[v] for graph, names in named for v in (*graph.constvars, *graph.invars)]
        return binders, [names[var] for graph, names in named for var in graph.outvars]


def marked(
    piece: str, results: list[str], operands: list[str], binders: list[str], returned: list[str]
) -> str:
    """The piece with marks instead of names, which are taken from the ends of their lists."""

    def mark(found: re.Match[str]) -> str:
        word = found[0]
        name, colon, rest = word.partition(":")
        if operands and word == operands[-1]:
            operands.pop()
            return "\2"
        if results and name == results[-1]:
            results.pop()
            return f"\1{colon}{rest}"
        if binders and name == binders[-1]:
            binders.pop()
            return f"\3{colon}{rest}"
        if returned and word == returned[-1]:
            returned.pop()
            return "\4"
        return word

    return _WORD.sub(mark, _LIKE_A_MARK.sub("\0\\1", piece))
