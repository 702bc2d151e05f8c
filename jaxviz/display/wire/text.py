"""A stage's text as pieces, of which most are alike.

It is cut wherever an eqn's text begins or ends. In each piece the names that the eqn around it
makes known are marks: for the next of its results (1), of its operands (2), of its bodies' binders
(3) or of their results (4). So `c:f32[8] = add a b` is the same piece as `g:f32[8] = add c c`. A
NUL stands before a character of the text that looks like a mark. Spans count pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, chain, pairwise
from typing import Any

from msgspec.structs import force_setattr

from jaxviz import schema

_MARK = re.compile("\0(.)|([\1-\4])")
_MARKS = re.compile("[\1-\4]")
_LIKE_A_MARK = re.compile("([\0-\4])")
_WORD = re.compile(r"[^\s,()]+")

USED_UP: list[list[str]] = [[], [], [], []]


def residues(program: schema.Program) -> dict[str, list[Any]]:
    """What is sent of texts and spans, by field. A span is the pieces between the end of the one
    before and its start, which may be negative, and the pieces in it."""
    texts: list[list[str]] = []
    spans: list[list[int] | None] = []
    for stage in program.stages:
        ends = chain.from_iterable(eqn.span or () for eqn in eqns(stage))
        cuts = sorted({0, len(stage.text), *ends})
        places = {cut: number for number, cut in enumerate(cuts)}
        counted = [eqn.span and [places[cut] for cut in eqn.span] for eqn in eqns(stage)]
        pieces = [stage.text[start:stop] for start, stop in pairwise(cuts)]
        texts.append([*map(Names(stage).marked, pieces, owners(counted, len(pieces)))])
        spans += steps(counted)
    return {"Stage.text": texts, "Eqn.span": spans}


def restore(program: schema.Program) -> None:
    """Puts text and spans in place of what was sent of them."""
    for stage in program.stages:
        pieces: Any = stage.text
        held = [eqn.span for eqn in eqns(stage) if eqn.span is not None]
        before = 0
        for span in held:
            span[0] += before
            span[1] += span[0]
            before = span[1]
        names = Names(stage)
        around = owners([eqn.span for eqn in eqns(stage)], len(pieces))
        written = [*map(names.written, pieces, around)]
        cuts = [*accumulate(map(len, written), initial=0)]
        for span in held:
            span[:] = [cuts[cut] for cut in span]
        force_setattr(stage, "text", "".join(written))


def eqns(stage: schema.Stage) -> Iterator[schema.Eqn]:
    return chain.from_iterable(graph.eqns for graph in stage.graphs)


def steps(spans: list[list[int] | None]) -> Iterator[list[int] | None]:
    before = 0
    for span in spans:
        if span is None:
            yield None
        else:
            start, stop = span
            yield [start - before, stop - start]
            before = stop


def owners(spans: list[list[int] | None], count: int) -> Iterator[int]:
    """For each of `count` pieces the innermost span around it, by its index; -1 outside of all."""
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
    """The names that each eqn of a stage makes known: of its results, its operands, its bodies'
    binders and their results, each list from its end, as they are used up."""

    def __init__(self, stage: schema.Stage) -> None:
        self._graphs = stage.graphs
        self._names = [[var.name for var in graph.vars] for graph in stage.graphs]
        self._eqns = [(eqn, number) for number, g in enumerate(stage.graphs) for eqn in g.eqns]
        self._left: dict[int, list[list[str]]] = {}
        self._patterns: dict[tuple[str, int, int], tuple[str, str]] = {}

    def marked(self, piece: str, owner: int) -> str:
        """The piece with marks for what comes next of each list."""
        if piece.isspace():
            return piece
        if owner < 0 or owner in self._left or self._eqns[owner][0].bodies:
            return marked(piece, *self._of(owner))
        eqn, graph = self._eqns[owner]
        names = self._names[graph]
        known = tuple([names[var] for var in chain(eqn.outvars, eqn.invars)])
        key = eqn.op, len(eqn.outvars), len(eqn.invars)
        pattern, found = self._patterns.get(key, ("", ""))
        if pattern and pattern % known == piece:
            self._left[owner] = USED_UP
            return found
        found = marked(piece, *self._of(owner))
        in_order = ["\1"] * key[1] + ["\2"] * key[2]
        if "\0" not in found and _MARKS.findall(found) == in_order:
            self._patterns[key] = _MARKS.sub("%s", found.replace("%", "%%")), found
        return found

    def written(self, piece: str, owner: int) -> str:
        """The piece that was marked."""
        left = self._of(owner)
        return _MARK.sub(lambda found: found[1] or left[ord(found[2]) - 1].pop(), piece)

    def _of(self, owner: int) -> list[list[str]]:
        known = self._left.get(owner)
        if known is None:
            known = self._left[owner] = [[*reversed(names)] for names in self._lists(owner)]
        return known

    def _lists(self, owner: int) -> tuple[list[str], ...]:
        if owner < 0:
            return [], [], *self._inside([0] if self._graphs else [])
        eqn, graph = self._eqns[owner]
        names = self._names[graph]
        own = [names[var] for var in eqn.outvars], [names[var] for var in eqn.invars]
        return *own, *self._inside([body.graph for body in eqn.bodies])

    def _inside(self, bodies: list[int]) -> tuple[list[str], list[str]]:
        held = [(self._graphs[body], self._names[body]) for body in bodies]
        binders = [names[v] for graph, names in held for v in (*graph.constvars, *graph.invars)]
        return binders, [names[var] for graph, names in held for var in graph.outvars]


def marked(
    piece: str, results: list[str], operands: list[str], binders: list[str], returned: list[str]
) -> str:
    """The piece with marks for names, which are taken from the ends of their lists."""

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
