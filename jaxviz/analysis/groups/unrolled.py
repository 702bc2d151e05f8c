"""Python loops that JAX unrolled: a row of groups that repeat one another, each of them one turn of
a `for` or a `while` in the user's code.

JAX does not record loops, so they are read from the lines; where these leave any doubt, nothing is
said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.groups.repeats import REPEAT

CALLS_OFTEN = re.compile(
    r"\b(for|map|tree_map|tree_map_with_path|map_with_path|reduce|tree_reduce|accumulate|starmap"
    r"|associative_scan|vectorize|filter)\b"
)
"""What may call a function more than once in one turn, without a frame of its own."""
DERIVED = ("⟵", "↻")
"""What ends the name of a group that runs backward, or again: no turn of the loop itself."""
BLANK = re.compile(r"\s*(#|$)")
HEAD = re.compile(r":\s*(#.*)?$")
KEYWORD = re.compile(r"\s*(for|while|def|async|class)\b")

Loop = tuple[str, int]
"""`for` or `while`, and the line that it begins on."""
UNKNOWN: Loop = ("", 0)
"""There may be a loop, or another one, around the line."""
Lines = Mapping[tuple[str, str | None, int], str]
"""The text of the user's lines, by file, cell and number."""


def with_loops(stage: schema.Stage, listings: Sequence[schema.Listing]) -> schema.Stage:
    """The jaxpr, in which each row of turns says which loop of the user's made it."""
    lines = {
        ("" if one.cell else one.file, one.cell, number): text
        for one in listings
        for number, text in enumerate(one.text.split("\n"), one.start)
    }
    return replace(
        stage, graphs=[with_loops_of_graph(graph, stage.frames, lines) for graph in stage.graphs]
    )


def with_loops_of_graph(
    graph: schema.Graph, frames: list[schema.Frame], lines: Lines
) -> schema.Graph:
    found = {
        at: loop
        for at, group in enumerate(graph.groups)
        if group.kind == REPEAT
        and not group.name.endswith(DERIVED)
        and (loop := loop_of(calls_of_turn(graph, at), frames, lines))
    }
    if not found:
        return graph
    groups = [*graph.groups]
    for at, (word, line) in found.items():
        groups[at] = replace(groups[at], loop=word, loop_line=line)
    return replace(graph, groups=groups)


def calls_of_turn(graph: schema.Graph, row: int) -> set[int]:
    """The frames of one turn of a row, if all turns were made by the same calls in the same order,
    and no eqn beside the row by any of them; else none."""
    turns = [
        [-1 if eqn.call is None else eqn.call for eqn in graph.eqns[one.start : one.stop]]
        for one in turns_of(graph.groups, row)
    ]
    start, stop = graph.groups[row].start, graph.groups[row].stop
    beside = {eqn.call for at in (start - 1, stop) if at >= 0 for eqn in graph.eqns[at : at + 1]}
    calls = set(turns[0])
    is_one_loop = all(turn == turns[0] for turn in turns) and sum(map(len, turns)) == stop - start
    return calls if is_one_loop and -1 not in calls and not calls & beside else set()


def turns_of(groups: list[schema.Group], row: int) -> Iterator[schema.Group]:
    """The members of a row; a section holds some of them, and is none itself."""
    for at, group in enumerate(groups):
        if group.parent == row:
            if group.kind == "section":
                yield from turns_of(groups, at)
            else:
                yield group


def loop_of(calls: set[int], frames: list[schema.Frame], lines: Lines) -> Loop | None:
    """The innermost loop around all calls of a turn. From where it is found on inwards, only the
    user's own code may have made the calls, until they part: a turn goes through several places of
    one function, and none of them again."""
    found: Loop | None = None
    for places in zip_longest(*(way_to(frames, call) for call in calls)):
        loops = {loop_around(frame, lines) if frame else UNKNOWN for frame in places}
        if UNKNOWN in loops:
            found = None
        elif len(loops) == 1:
            found = next(iter(loops)) or found
        if len(set(places)) > 1:
            break
    return found


def way_to(frames: list[schema.Frame], at: int | None) -> list[schema.Frame]:
    """A frame after its callers."""
    way: list[schema.Frame] = []
    while at is not None and len(way) < len(frames):
        way.append(frames[at])
        at = frames[at].parent
    return way[::-1]


def loop_around(frame: schema.Frame, lines: Lines) -> Loop | None:
    """The loop around a place in its function; None where there is none, and `UNKNOWN` where its
    line may hold another loop, or was not captured."""
    place = "" if frame.cell else frame.file, frame.cell
    own = lines.get((*place, frame.line), "")
    code = frame.code
    is_plain = not CALLS_OFTEN.search(code) and is_balanced(code)
    if frame.library or not code or own.strip() != code or not is_plain:
        return UNKNOWN
    indent = indent_of(own)
    for number in range(frame.line - 1, 0, -1):
        text = lines.get((*place, number))
        if text is None:
            return None if indent == 0 else UNKNOWN
        if BLANK.match(text) or indent_of(text) >= indent:
            continue
        if not HEAD.search(text):
            return UNKNOWN
        indent = indent_of(text)
        if keyword := KEYWORD.match(text):
            word = keyword[1]
            return (word, number) if word in ("for", "while") else None
    return None


def indent_of(text: str) -> int:
    return len(text) - len(text.lstrip())


def is_balanced(code: str) -> bool:
    """Whether a line opens as many brackets as it closes, so that no expression goes on below."""
    return len(re.findall(r"[([{]", code)) == len(re.findall(r"[)\]}]", code))
