"""Loops of Python that JAX has unrolled, and whose turns are alike.

JAX records no loop, so it is read from the user's lines: a `for` or `while` around the lines of
eqns that come as one row of turns, each with the same primitives and types in the same order. Told
of 8 turns and more that make 40 eqns and half of the program. A turn that works on arguments that
no other uses is a layer with parameters of its own: those are written as loops on purpose. Where
the loop, or a function that it calls, has an `if`, nothing is said: its turns may differ.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from textwrap import dedent
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.definitions import frame_of_line
from jaxviz.analysis.findings.searched import Found, Searched
from jaxviz.analysis.findings.sentences import say
from jaxviz.analysis.groups.unrolled import lines_of, loop_of
from jaxviz.schema import Frame, Graph

FEWEST_TURNS = 8
FEWEST_EQNS = 40
_LOOP = re.compile(r"^\s*(?:for|while)\b", re.MULTILINE)
_MAGIC = re.compile(r"^(\s*)[%!].*$", re.MULTILINE)
"""A line of a cell that is for IPython."""
BACKWARD = "transpose("
"""In the scope of what runs backward, in the opposite order."""


class Loop(NamedTuple):
    """A loop in the user's code: its line, and those of its body."""

    listing: schema.Listing
    line: int
    first: int
    last: int
    functions: list[tuple[int, int, bool]]
    """The first and last line of each function beside it, and whether it has an `if`."""

    def chooses(self, line: int) -> bool:
        """Whether a line of the same code is in a function with an `if`: turns may differ then."""
        return any(first <= line <= last and has_if for first, last, has_if in self.functions)


def unrolled_loops(searched: Searched) -> Iterator[Found]:
    whole = searched.first_eqns[-1]
    for number, graph in enumerate(searched.graphs):
        if len(graph.eqns) < max(FEWEST_EQNS, whole // 2):
            continue
        often = Counter(eqn.frame for eqn in graph.eqns)
        repeated = sum(n for frame, n in often.items() if frame is not None and n >= FEWEST_TURNS)
        if 2 * repeated < whole:
            continue
        for loop in loops(searched):
            frames = {at for at in often if at is not None and is_within(searched, loop, at)}
            eqns = sum(often[at] for at in frames)
            if 2 * eqns >= whole and not any(chooses(searched, loop, at) for at in frames):
                turns = turns_of(searched, graph, frames)
                if turns and is_one_turn(searched, graph, turns[0], loop):
                    yield told(searched, loop, number, turns, eqns)
                    return


def loops(searched: Searched) -> list[Loop]:
    """All loops of the user's code without an `if`, the innermost first."""
    found: list[Loop] = []
    for listing in searched.program.listings:
        if not _LOOP.search(listing.text):
            continue
        try:
            nodes = [*ast.walk(ast.parse(_MAGIC.sub(r"\1pass", dedent(listing.text))))]
        except (SyntaxError, ValueError):
            continue
        before = listing.start - 1
        spans = [(one, span_of(one, before)) for one in nodes if isinstance(one, FUNCTIONS)]
        for node in nodes:
            if isinstance(node, LOOPS) and not has_if(node):
                line, last = span_of(node, before)
                others = [
                    (start, stop, has_if(one))
                    for one, (start, stop) in spans
                    if not start <= line <= stop
                ]
                found.append(Loop(listing, line, node.body[0].lineno + before, last, others))
    return sorted(found, key=lambda one: one.last - one.first)


FUNCTIONS = ast.FunctionDef, ast.AsyncFunctionDef
LOOPS = ast.For, ast.While
CHOICES = ast.If, ast.IfExp, ast.Match


def span_of(node: ast.stmt, before: int) -> tuple[int, int]:
    return node.lineno + before, (node.end_lineno or 0) + before


def has_if(node: ast.AST) -> bool:
    return any(isinstance(one, CHOICES) for one in ast.walk(node))


def chooses(searched: Searched, loop: Loop, frame: int) -> bool:
    """Whether a frame, or a call that led to it, is in another function with an `if`."""
    return any(is_in(loop.listing, one) and loop.chooses(one.line) for one in searched.chain(frame))


def is_in(listing: schema.Listing, frame: Frame) -> bool:
    return (frame.file, frame.cell) == (listing.file, listing.cell) and not frame.library


def is_within(searched: Searched, loop: Loop, frame: int) -> bool:
    """Whether a frame, or a call that led to it, is on a line of a loop's body."""
    return any(
        is_in(loop.listing, one) and loop.first <= one.line <= loop.last
        for one in searched.chain(frame)
    )


def turns_of(searched: Searched, graph: Graph, frames: set[int]) -> list[list[int]]:
    """The eqns of each turn of a loop, whose frames these are; none where its turns differ, are
    too few, or work each on arguments of their own."""
    scopes = searched.jaxpr.scopes
    own = [
        index
        for index, eqn in enumerate(graph.eqns)
        if eqn.frame in frames and BACKWARD not in scopes[eqn.scope]
    ]
    if len(own) < FEWEST_EQNS:
        return []
    aval = [var.aval for var in graph.vars].__getitem__
    said = [
        (eqn.op, eqn.name, eqn.frame, *map(aval, eqn.outvars))
        for eqn in map(graph.eqns.__getitem__, own)
    ]
    counts = Counter(said)
    count = min(counts.values())
    if count < FEWEST_TURNS or len(own) % count:
        return []
    period = len(own) // count
    if said != said[:period] * count:
        return []
    turns = [own[at : at + period] for at in range(0, len(own), period)]
    return [] if has_own_arguments(graph, turns) else turns


def is_one_turn(searched: Searched, graph: Graph, turn: list[int], loop: Loop) -> bool:
    """Whether what seems one turn is not two, as where layers alternate. What the head of the loop
    makes, such as `for x in xs`, is no place in a turn."""
    frames, calls = searched.jaxpr.frames, [graph.eqns[index].call for index in turn]
    inside = [call for call in calls if call is not None and frames[call].line != loop.line]
    found = loop_of(inside, frames, lines_of(searched.program.listings))
    return found is not None and found[1] == loop.line


def has_own_arguments(graph: Graph, turns: list[list[int]]) -> bool:
    inputs = {*graph.invars, *graph.constvars}
    used = [
        frozenset(var for index in turn for var in graph.eqns[index].invars if var in inputs)
        for turn in turns[1:]
    ]
    return len({*used}) > 1


def told(searched: Searched, loop: Loop, number: int, turns: list[list[int]], eqns: int) -> Found:
    whole = searched.first_eqns[-1]
    count, each = f"{len(turns):,}", len(turns[0])
    what = say("unrolled, one", count) if each == 1 else say("unrolled", count, f"{each:,}")
    return Found(
        what=what,
        cost=say("unrolled cost", f"{eqns:,}", f"{whole:,}"),
        mend=say("unrolled mend"),
        places=[(number, index) for turn in turns for index in turn],
        at=frame_of_line(loop.listing, loop.line),
    )
