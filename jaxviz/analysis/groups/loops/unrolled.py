"""Python loops that JAX unrolled: each group in a row of equal groups is one iteration of a `for`
or a `while` in the user's code.

JAX does not record loops, so they are read from the source lines. In doubt, nothing is reported. If
layers alternate, one member of the row may be two iterations. It is certainly one if it visits two
places of one function that every iteration visits, each once.

A `for` over a traced array takes a row of it in each iteration, by slices at the loop's head.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise, zip_longest
from typing import NamedTuple

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.groups.facts.source_lines import loop_on_line
from jaxviz.analysis.groups.loops.repeats import REPEAT
from jaxviz.schema.params import param_of

MAY_REPEAT = re.compile(
    r"\b(for|map|tree_map|tree_map_with_path|map_with_path|reduce|tree_reduce|accumulate|starmap"
    r"|associative_scan|vectorize|filter)\b"
)
"""Functions and keywords that may call a function more than once in an iteration, without a frame
of their own."""
DERIVED = ("⟵", "↻")
"""The end of the name of a group that runs backward or recomputes. It is no iteration of the loop
itself."""
BLANK = re.compile(r"\s*(#|$)")
HEAD = re.compile(r":\s*(#.*)?$")
KEYWORD = re.compile(r"\s*(for|while|def|async|class)\b")
LOOPS = ("for", "while")
WITH = re.compile(r"\s*with\b")
BRANCHES = re.compile(r"\b(if|else|and|or|lambda)\b")
ENDS = re.compile(r"\b(continue|break|return)\b")

Loop = tuple[str, int]
"""`for` or `while`, and its first line."""
UNKNOWN: Loop = ("", 0)
"""Marks that the line may be in a loop, or in another one."""


class EnclosingLoops(NamedTuple):
    """The loops around a place in its function."""

    loops: tuple[Loop, ...]
    """Outermost first; `UNKNOWN` if the line may be in another loop, or was not captured."""
    is_certain: bool = False
    """True if each iteration of the innermost loop, or each call of the function, visits the
    place."""


class Lines(dict[tuple[str, str | None, int], str]):
    """The text of the user's lines, by file, cell and number."""

    def __init__(self, listings: Sequence[schema.Listing]) -> None:
        super().__init__(
            (("" if one.cell else one.file, one.cell, number), text)
            for one in listings
            for number, text in enumerate(one.text.split("\n"), one.start)
        )
        self.loops_of_places: dict[tuple[object, ...], EnclosingLoops] = {}
        """The loops around lines that were read before, and around columns if a loop is on the
        line."""


def with_loops(stage: schema.Stage, lines: Lines) -> schema.Stage:
    """The jaxpr, in which each row of iterations has the loop in the user's code that made it."""
    called: list[set[int]] = [set() for _ in stage.graphs]
    for graph in stage.graphs:
        for eqn in graph.eqns:
            for body in eqn.bodies:
                called[body.graph].update(callers_of(stage.frames, eqn.call))
    return replace(
        stage,
        graphs=[
            with_loops_of_graph(graph, stage.frames, lines, calls)
            for graph, calls in zip(stage.graphs, called, strict=True)
        ],
    )


def with_loops_of_graph(
    graph: schema.Graph, frames: list[schema.Frame], lines: Lines, called: Set[int]
) -> schema.Graph:
    """The graph with its loops. `called` has the frames on the path to the graph's callers: a loop
    around these makes no iterations in it."""
    rows = {
        at: calls
        for at, group in enumerate(graph.groups)
        if group.kind == REPEAT
        and not group.name.endswith(DERIVED)
        and (calls := calls_of_iteration(graph, at))
    }
    if not rows:
        return graph
    heads, groups = calls_at_heads(graph, frames), [*graph.groups]
    for at, calls in rows.items():
        within = [one for one in calls if one not in heads]
        loop = only_loop_of(within, frames, lines, called)
        if loop and all(frames[one].line == loop[1] for one in heads.intersection(calls)):
            groups[at] = replace(groups[at], loop=loop[0], loop_line=loop[1])
    return replace(graph, groups=groups)


def calls_of_iteration(graph: schema.Graph, row: int) -> list[int]:
    """The frame of each eqn in one iteration of a row. Empty unless the same calls in the same
    order made all iterations, and no eqn beside the row."""
    iterations = [
        [-1 if eqn.call is None else eqn.call for eqn in graph.eqns[one.start : one.stop]]
        for one in row_members(graph.groups, row)
    ]
    start, stop = graph.groups[row].start, graph.groups[row].stop
    beside = {eqn.call for at in (start - 1, stop) if at >= 0 for eqn in graph.eqns[at : at + 1]}
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
    for path_frames in zip_longest(*(callers_of(frames, call) for call in calls)):
        places = tuple(None if at is None else frames[at] for at in path_frames)
        around = {
            one: enclosing_loops(one, lines) if one else EnclosingLoops((UNKNOWN,))
            for one in places
        }
        loops = {one.loops for one in around.values()}
        diverges = len(around) > 1
        if (UNKNOWN,) in loops or not (
            is_single_iteration(places, around) if diverges else around[places[0]].is_certain
        ):
            found = []
        elif len(loops) == 1 and called.isdisjoint(path_frames):
            found += next(iter(loops))
        if diverges:
            return found
    return found if len(calls) == 1 else []


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
    column = frame.column if loop_on_line(frame.code) else 0
    place = frame.file, frame.cell, frame.line, column, frame.code, frame.library
    found = lines.loops_of_places.get(place)
    if found is None:
        found = lines.loops_of_places[place] = read_enclosing_loops(frame, lines)
    return found


def read_enclosing_loops(frame: schema.Frame, lines: Lines) -> EnclosingLoops:
    """The loops around a place, read from its line upwards."""
    place = "" if frame.cell else frame.file, frame.cell
    own = lines.get((*place, frame.line), "")
    code = frame.code
    if frame.library or not code or own.strip() != code or continues_below(code):
        return EnclosingLoops((UNKNOWN,))
    indent, inner = indent_of(own), list[Loop]()
    if on_line := loop_on_line(code):
        word, start = on_line
        if frame.column <= indent + start:  # in the loop's head
            return EnclosingLoops((UNKNOWN,))
        code, inner = code[start:], [(word, frame.line)]
    is_certain = not BRANCHES.search(code) and not (inner and ENDS.search(code))
    if MAY_REPEAT.search(code):
        return EnclosingLoops((UNKNOWN,))
    for number in range(frame.line - 1, 0, -1):
        text = lines.get((*place, number))
        if text is None:
            return EnclosingLoops(tuple(inner) if inner or indent == 0 else (UNKNOWN,), is_certain)
        is_certain = is_certain and (bool(inner) or not ENDS.search(text))
        if BLANK.match(text) or indent_of(text) >= indent:
            continue
        if not HEAD.search(text):
            return EnclosingLoops((UNKNOWN,))
        indent = indent_of(text)
        keyword = KEYWORD.match(text)
        if keyword and keyword[1] not in LOOPS:
            break
        if keyword:
            inner.insert(0, (keyword[1], number))
        elif not inner:
            is_certain = is_certain and WITH.match(text) is not None
    return EnclosingLoops(tuple(inner), is_certain)


def indent_of(text: str) -> int:
    return len(text) - len(text.lstrip())


def continues_below(code: str) -> bool:
    """True if a line has brackets without a partner, so that an expression continues on other
    lines."""
    return len(re.findall(r"[([{]", code)) != len(re.findall(r"[)\]}]", code))
