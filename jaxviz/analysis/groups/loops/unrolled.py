"""Python loops that JAX unrolled: each group in a row of equal groups is one iteration of a `for`,
a `while`, a comprehension or a `reduce` in the user's code.

JAX does not record loops, so they are read from the source lines. In doubt, nothing is reported. If
layers alternate, one member of the row may be two iterations. It is certainly one if it visits two
places of one function that every iteration visits, each once.

A `for` over a traced array takes a row of it in each iteration, by slices at the loop's head.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import pairwise, zip_longest
from typing import NamedTuple

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.groups.facts.call_stacks import Flattened
from jaxviz.analysis.groups.facts.name_stacks import BACKWARD, parse
from jaxviz.analysis.groups.facts.source_lines import loop_on_line
from jaxviz.analysis.groups.loops.expression_loops import (
    GENERATOR,
    MAY_REPEAT,
    Loop,
    expression_loops,
    has_own_frame,
    own_frame,
)
from jaxviz.analysis.groups.loops.repeats import REPEAT
from jaxviz.schema.params import param_of

DERIVED = ("⟵", "↻")
"""The end of the name of a group that runs backward or recomputes. It is no iteration of the loop
itself."""
BLANK = re.compile(r"\s*(#|$)")
HEAD = re.compile(r":\s*(#.*)?$")
KEYWORD = re.compile(r"\s*(for|while|def|async|class)\b")
LOOPS = ("for", "while")
RECURSION = "recursion"
"""The word for a function that calls itself."""
WITH = re.compile(r"\s*with\b")
BRANCHES = re.compile(r"\b(if|else|and|or|lambda)\b")
ENDS = re.compile(r"\b(continue|break|return)\b")

UNKNOWN: Loop = ("", 0)
"""Marks that the line may be in a loop, or in another one."""


class EnclosingLoops(NamedTuple):
    """The loops around a place in its function."""

    loops: tuple[Loop, ...]
    """Outermost first; `UNKNOWN` if the line may be in another loop, or was not captured."""
    is_certain: bool = False
    """True if each iteration of the innermost loop, or each call of the function, visits the
    place."""
    is_call: bool = False
    """True if the place is a call of `sum` or `reduce`, which is the innermost loop itself."""


NOT_KNOWN = EnclosingLoops((UNKNOWN,))


class Lines(dict[tuple[str, str | None, int], str]):
    """The text of the user's lines, by file, cell and number."""

    def __init__(self, listings: Sequence[schema.Listing]) -> None:
        super().__init__(
            (("" if one.cell else one.file, one.cell, number), text)
            for one in listings
            for number, text in enumerate(one.text.split("\n"), one.start)
        )
        self.loops_of_places: dict[tuple[object, ...], EnclosingLoops] = {}
        """The loops around places that were read before."""
        self.loops_of_lines: dict[tuple[object, ...], EnclosingLoops | None] = {}
        """The loops above lines that were read before."""
        self.flattened: Flattened | None = None
        """The stage whose frames are asked for, if it was flattened."""

    def of(self, frame: schema.Frame, line: int) -> str | None:
        """The text of a line in a frame's file or cell."""
        return self.get(("" if frame.cell else frame.file, frame.cell, line))


def with_loops(stage: schema.Stage, lines: Lines) -> schema.Stage:
    """The jaxpr, in which each row of iterations has the loop in the user's code that made it."""
    called: list[set[int]] = [set() for _ in stage.graphs]
    for graph in stage.graphs:
        for eqn in graph.eqns:
            for body in eqn.bodies:
                called[body.graph].update(callers_of(stage.frames, eqn.call))
    backward = {
        number for number, scope in enumerate(stage.scopes) if parse(scope).role == BACKWARD
    }
    return replace(
        stage,
        graphs=[
            with_loops_of_graph(stage, number, lines, calls, backward)
            for number, calls in enumerate(called)
        ],
    )


def with_loops_of_graph(
    stage: schema.Stage, number: int, lines: Lines, called: Set[int], backward: Set[int]
) -> schema.Graph:
    """The graph with its loops. `called` has the frames on the path to the graph's callers: a loop
    around these makes no iterations in it. `backward` has the scopes of backward eqns."""
    graph, frames = stage.graphs[number], stage.frames
    rows = {
        at: calls
        for at, group in enumerate(graph.groups)
        if group.kind == REPEAT
        and not group.name.endswith(DERIVED)
        and (calls := calls_of_iteration(graph, at, backward))
    }
    if not rows:
        return graph
    heads, groups = calls_at_heads(graph, frames), [*graph.groups]
    for at, calls in rows.items():
        within = [one for one in calls if one not in heads]
        loop = only_loop_of(within, frames, lines, called)
        if loop and all(frames[one].line == loop[1] for one in heads.intersection(calls)):
            members = [range(one.start, one.stop) for one in row_members(groups, at)]
            if loop[0] == RECURSION and not are_calls(members, number, lines):
                continue
            groups[at] = replace(groups[at], loop=loop[0], loop_line=loop[1])
    return replace(graph, groups=groups)


def calls_of_iteration(graph: schema.Graph, row: int, backward: Set[int]) -> list[int]:
    """The frame of each eqn in one iteration of a row. Empty unless the same calls in the same
    order made all iterations, and no eqn beside the row but a backward one."""
    iterations = [
        [-1 if eqn.call is None else eqn.call for eqn in graph.eqns[one.start : one.stop]]
        for one in row_members(graph.groups, row)
    ]
    start, stop = graph.groups[row].start, graph.groups[row].stop
    outer = [eqn for at in (start - 1, stop) if at >= 0 for eqn in graph.eqns[at : at + 1]]
    beside = {eqn.call for eqn in outer if eqn.scope not in backward}
    calls = iterations[0]
    is_one_loop = (
        all(iteration == calls for iteration in iterations)
        and sum(map(len, iterations)) == stop - start
    )
    return calls if is_one_loop and -1 not in calls and beside.isdisjoint(calls) else []


def calls_at_heads(graph: schema.Graph, frames: list[schema.Frame]) -> set[int]:
    """The calls with which a `for` takes the rows of an array: its head slices one value, each time
    at another place."""
    taken: dict[int, list[tuple[int, str]]] = {}
    for eqn in graph.eqns:
        if eqn.op == "slice" and eqn.call is not None and is_head_of_for(frames[eqn.call].code):
            start = param_of(eqn.params, "start_indices")
            taken.setdefault(eqn.call, []).append((eqn.invars[0], start))
    return {
        call
        for call, slices in taken.items()
        if 1 < len(slices) == len(set(slices)) and len({value for value, _ in slices}) == 1
    }


def is_head_of_for(code: str) -> bool:
    keyword = KEYWORD.match(code)
    return keyword is not None and keyword[1] == "for" and HEAD.search(code) is not None


def are_calls(iterations: Sequence[Sequence[int]], number: int, lines: Lines) -> bool:
    """True if each iteration is one call of a function by itself."""
    of_eqns = lines.flattened.depths[number] if lines.flattened else []
    depths = [{of_eqns[index] for index in one} for one in iterations]
    found = [depth for one in depths for depth in one]
    return len(found) == len(set(found)) == len(iterations)


def row_members(groups: list[schema.Group], row: int) -> Iterator[schema.Group]:
    """The members of a row. A section in it contains members, and is none."""
    for at, group in enumerate(groups):
        if group.parent == row:
            if group.kind == "section":
                yield from row_members(groups, at)
            else:
                yield group


def loops_around(
    frames: list[schema.Frame], call: int, lines: Lines
) -> Iterator[tuple[schema.Frame, Loop]]:
    """The loop around a call, and around each of its callers, with the frame."""
    for frame in map(frames.__getitem__, callers_of(frames, call)):
        loops = enclosing_loops(frame, lines).loops
        if loops and loops[-1] != UNKNOWN:
            yield frame, loops[-1]


def only_loop_of(
    calls: list[int], frames: list[schema.Frame], lines: Lines, called: Set[int] = frozenset()
) -> Loop | None:
    """The loop around all calls of an iteration, if it is the only one. In nested loops, the rows
    are iterations of both."""
    found = loops_of(calls, frames, lines, called)
    return found[0] if len(found) == 1 else None


def loop_of(calls: list[int], frames: list[schema.Frame], lines: Lines) -> Loop | None:
    """The innermost loop around all calls of an iteration."""
    return next(reversed(loops_of(calls, frames, lines)), None)


def loops_of(
    calls: list[int], frames: list[schema.Frame], lines: Lines, called: Set[int] = frozenset()
) -> list[Loop]:
    """The loops around all calls of an iteration, outermost first, without those around `called`.
    From the first loop inwards, only the user's own code may have made the calls until their stacks
    diverge, and each iteration must visit these places."""
    found: list[Loop] = []
    is_call = False
    for path_frames in zip_longest(*(callers_of(frames, call) for call in calls)):
        places = tuple(None if at is None else frames[at] for at in path_frames)
        itself = EnclosingLoops((), is_call) if is_call else NOT_KNOWN
        around = {one: enclosing_loops(one, lines) if one else itself for one in places}
        loops = {one.loops for one in around.values()}
        diverges = len(around) > 1
        if (UNKNOWN,) in loops or not (
            is_single_iteration(places, around) if diverges else around[places[0]].is_certain
        ):
            found = []
        elif len(loops) == 1 and called.isdisjoint(path_frames):
            found += made_here(next(iter(loops)), found, places[0])
        if diverges:
            return found
        is_call = around[places[0]].is_call
    return found if len(calls) == 1 else []


def made_here(
    loops: tuple[Loop, ...], found: list[Loop], frame: schema.Frame | None
) -> tuple[Loop, ...]:
    """The loops without that of a generator if the call around it is the same loop: `sum`."""
    is_same = frame is not None and own_frame(frame) == GENERATOR and found[-1:] == [*loops[:1]]
    return loops[1:] if is_same else loops


Places = tuple[schema.Frame | None, ...]


def is_single_iteration(
    places: Places, around: Mapping[schema.Frame | None, EnclosingLoops]
) -> bool:
    """True if these places of eqns are a single iteration: it visits two or more places of one
    function that each iteration visits, and each of them once. A row may begin in the middle of an
    iteration."""
    functions = {(one.file, one.cell, one.function) for one in around if one}
    visits = Counter(place for before, place in pairwise((places[-1], *places)) if place != before)
    certain = [visits[place] for place, one in around.items() if one.is_certain]
    return len(functions) == 1 and len(certain) > 1 and set(certain) == {1}


def callers_of(frames: list[schema.Frame], at: int | None) -> list[int]:
    """A frame, after its callers."""
    path: list[int] = []
    while at is not None and len(path) < len(frames):
        path.append(at)
        at = frames[at].parent
    return path[::-1]


def enclosing_loops(frame: schema.Frame, lines: Lines) -> EnclosingLoops:
    place = (
        *(frame.file, frame.cell, frame.line, frame.column, frame.end_line, frame.end_column),
        *(frame.code, frame.library, frame.function),
    )
    found = lines.loops_of_places.get(place)
    if found is None:
        found = read_enclosing_loops(frame, lines)
        recursive = lines.flattened.lines if lines.flattened else {}
        line = recursive.get((frame.file, frame.cell, frame.function))
        if line is not None and found != NOT_KNOWN:
            # the `return` that ends a recursion is above most of its lines
            is_certain = found.is_certain if found.loops else not BRANCHES.search(frame.code)
            found = found._replace(loops=((RECURSION, line), *found.loops), is_certain=is_certain)
        lines.loops_of_places[place] = found
    return found


def read_enclosing_loops(frame: schema.Frame, lines: Lines) -> EnclosingLoops:
    """The loops around a frame's expression, read from its line upwards."""
    code, own = frame.code, lines.of(frame, frame.line) or ""
    if frame.library or not code or own.strip() != code:
        return NOT_KNOWN
    inner = list[Loop]()
    if on_line := loop_on_line(code):
        word, start = on_line
        if frame.column <= indent_of(own) + start:  # in the loop's head
            return NOT_KNOWN
        code, inner = code[start:], [(word, frame.line)]
    is_plain = not (has_own_frame(frame) or MAY_REPEAT.search(code) or continues_below(code))
    around = loops_above(frame, frame.line, lines) if is_plain else None
    if around is None:
        return loops_of_expression(frame, lines)
    is_certain = not BRANCHES.search(code) and not (inner and ENDS.search(code))
    return within(around, EnclosingLoops(tuple(inner), is_certain))


def loops_of_expression(frame: schema.Frame, lines: Lines) -> EnclosingLoops:
    """The loops around a frame whose statement has loops, or several lines."""
    found = expression_loops(frame, partial(lines.of, frame))
    if found is None:
        return NOT_KNOWN
    inner = EnclosingLoops(found.loops, found.is_certain, found.is_call)
    if found.first_line is None:
        return inner
    around = loops_above(frame, found.first_line, lines)
    return NOT_KNOWN if around is None else within(around, inner)


def within(around: EnclosingLoops, inner: EnclosingLoops) -> EnclosingLoops:
    """The loops of a place in a statement, with those around the statement."""
    if not inner.loops:
        return around._replace(is_certain=around.is_certain and inner.is_certain)
    return inner._replace(loops=(*(one for one in around.loops if one != UNKNOWN), *inner.loops))


def loops_above(frame: schema.Frame, line: int, lines: Lines) -> EnclosingLoops | None:
    """The loops around the statement that begins on a line; None if the line continues another."""
    place = frame.file, frame.cell, line, lines.of(frame, line)
    if place not in lines.loops_of_lines:
        lines.loops_of_lines[place] = read_loops_above(frame, line, lines)
    return lines.loops_of_lines[place]


def read_loops_above(frame: schema.Frame, line: int, lines: Lines) -> EnclosingLoops | None:
    indent, loops, is_certain = indent_of(lines.of(frame, line) or ""), list[Loop](), True
    for number in range(line - 1, 0, -1):
        text = lines.of(frame, number)
        if text is None:
            return EnclosingLoops(tuple(loops) if loops or not indent else (UNKNOWN,), is_certain)
        is_certain = is_certain and (bool(loops) or not ENDS.search(text))
        if BLANK.match(text) or indent_of(text) >= indent:
            continue
        if not HEAD.search(text):
            return None
        indent = indent_of(text)
        keyword = KEYWORD.match(text)
        if keyword and keyword[1] not in LOOPS:
            break
        if keyword:
            loops.insert(0, (keyword[1], number))
        elif not loops:
            is_certain = is_certain and WITH.match(text) is not None
    return EnclosingLoops(tuple(loops), is_certain)


def indent_of(text: str) -> int:
    return len(text) - len(text.lstrip())


def continues_below(code: str) -> bool:
    """True if a line has brackets without a partner, so that an expression continues on other
    lines."""
    return len(re.findall(r"[([{]", code)) != len(re.findall(r"[)\]}]", code))
