"""The jaxpr of a program with indexes that the search for findings needs, and the comments that
silence findings."""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.groups.loops.unrolled import Lines
from jaxviz.analysis.listed_lines import definitions
from jaxviz.pages import page
from jaxviz.schema import Aval, Eqn, Frame, Graph
from jaxviz.schema.graph import first_eqns
from jaxviz.schema.record import Sentence
from jaxviz.sentences import sentence

# Comments that silence findings: `# jaxviz: ignore upcast`, or `# jaxviz: ignore` for all.
#
# The comment may be on the line of the finding, on any line of that expression, or on a line that
# calls the function.

_COMMENT = re.compile(r"#\s*jaxviz:\s*ignore\b([^#]*)")
_KIND = re.compile(r"[a-z][\w-]*")


def is_ignored(kind: str, found: Draft, indexed: IndexedProgram) -> bool:
    return any(
        not kinds or kind in kinds
        for line in lines(found, indexed)
        for kinds in ignored_kinds(line)
    )


def ignored_kinds(line: str) -> Iterator[list[str]]:
    """The kinds that each silencing comment of a line names; empty if it silences all."""
    for comment in _COMMENT.finditer(line):
        yield _KIND.findall(comment[1])


def lines(found: Draft, indexed: IndexedProgram) -> Iterator[str]:
    """The lines on which a silencing comment counts."""
    if found.at is not None:
        yield from indexed.lines(found.at)
    if found.places:
        for frame in indexed.chain(indexed.eqn(found.places[0]).frame):
            yield from indexed.lines(frame)


Place = tuple[int, int]
"""The number of a graph, and the index of an eqn in it."""
MOST_EQNS = 1_000
"""The most eqns that a finding marks: the first ones."""
LONGEST_QUOTE = 48
"""The most characters of quoted code."""
LEAST_BYTES = 1 << 20
"""Smaller values cost too little to report."""
BACKWARD = "transpose("
"""Text in the scope of backward eqns."""


class Draft(NamedTuple):
    """A finding before its kind, page and frame are added."""

    what: Sentence
    cost: Sentence | None = None
    fix: Sentence | None = None
    """`cost` and `fix` are None if the kind has only one sentence."""
    places: Sequence[Place] = ()
    """The eqns of the finding; the first one is where it begins."""
    names: Sequence[str] = ()
    bytes: int | None = None
    at: Frame | None = None
    """Its line, if it is not the line of the first place."""
    is_note: bool = False
    """True for what may well be meant, or is small."""


class IndexedProgram:
    """The jaxpr of a program with indexes, each made at its first use."""

    def __init__(self, program: schema.Program, jaxpr: schema.Stage) -> None:
        self.program = program
        self.jaxpr = jaxpr
        self.graphs = jaxpr.graphs

    def finding(self, kind: str, found: Draft) -> schema.Finding:
        at = found.at or self.frame_of(found.places)
        return schema.Finding(
            kind=kind,
            what=found.what,
            cost=found.cost or sentence(f"{kind} cost"),
            fix=found.fix or sentence(f"{kind} fix"),
            page=page(kind),
            at=at and replace(at, parent=None),
            eqns=[self.first_eqns[graph] + index for graph, index in found.places[:MOST_EQNS]],
            names=[*found.names],
            bytes=found.bytes,
            is_note=found.is_note,
        )

    def frame_of(self, places: Sequence[Place]) -> Frame | None:
        frame = self.eqn(places[0]).frame if places else None
        return None if frame is None else self.jaxpr.frames[frame]

    @cached_property
    def first_eqns(self) -> list[int]:
        """The number of the first eqn of each graph."""
        return first_eqns(self.graphs)

    def place_of(self, number: int) -> Place:
        """The eqn of that number."""
        graph = bisect(self.first_eqns, number, hi=len(self.graphs)) - 1
        return graph, number - self.first_eqns[graph]

    @cached_property
    def by_op(self) -> dict[str, list[int]]:
        """The numbers of each primitive's eqns, in program order."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, eqn in enumerate(chain.from_iterable(graph.eqns for graph in self.graphs)):
            found[eqn.op].append(number)
        return dict(found)

    def places(self, *ops: str) -> list[Place]:
        """The places of the eqns of these primitives."""
        return [self.place_of(number) for op in ops for number in self.by_op.get(op, ())]

    def eqn(self, place: Place) -> Eqn:
        return self.graphs[place[0]].eqns[place[1]]

    def aval(self, graph: Graph, var: int) -> Aval:
        return self.jaxpr.avals[graph.vars[var].aval]

    def size(self, graph: Graph, values: Iterable[int]) -> int:
        """The sum of the known bytes of some values."""
        return sum(self.aval(graph, var).bytes or 0 for var in values)

    def cast(self, place: Place) -> tuple[Aval, Aval]:
        """The operand and the result of a cast."""
        graph, eqn = self.graphs[place[0]], self.eqn(place)
        return self.aval(graph, eqn.invars[0]), self.aval(graph, eqn.outvars[0])

    @property
    def hlo(self) -> schema.Stage | None:
        """The optimized HLO of the program, if it is compiled."""
        return next((one for one in self.program.stages if one.kind == "hlo"), None)

    @cached_property
    def backward(self) -> set[int]:
        """The scopes of backward eqns."""
        return {number for number, scope in enumerate(self.jaxpr.scopes) if BACKWARD in scope}

    def flow(self, number: int) -> Flow:
        """The makers and users of the values of a graph."""
        if number not in self._flows:
            self._flows[number] = Flow(self.graphs[number])
        return self._flows[number]

    @cached_property
    def _flows(self) -> dict[int, Flow]:
        return {}

    @cached_property
    def callers(self) -> dict[int, list[tuple[int, Eqn, schema.Body]]]:
        """For each body, its callers: graph, eqn and the record of the body."""
        found: dict[int, list[tuple[int, Eqn, schema.Body]]] = {}
        for number, graph in enumerate(self.graphs):
            for eqn in graph.eqns:
                for body in eqn.bodies:
                    found.setdefault(body.graph, []).append((number, eqn, body))
        return found

    def operands_for(self, number: int, var: int) -> list[tuple[int, int]] | None:
        """The operands passed for an input of a body, as graph and variable, one for each caller;
        None if a caller passes none."""
        graph, found = self.graphs[number], list[tuple[int, int]]()
        for outer, eqn, body in self.callers.get(number, ()):
            at = graph.invars.index(var) if var in graph.invars else -1
            operand = body.inputs[at] if 0 <= at < len(body.inputs) else -1
            if operand < 0:
                return None
            found.append((outer, eqn.invars[operand]))
        return found or None

    def line_of(self, place: Place) -> Frame | None:
        """The user's line of an eqn, also of one within a function of JAX; None if a library made
        the eqn."""
        eqn, frames = self.eqn(place), self.jaxpr.frames
        if eqn.frame is None or frames[eqn.frame].library:
            return None
        is_library = eqn.call is not None and frames[eqn.call].library
        return None if is_library else frames[eqn.frame]

    def is_user_line(self, place: Place) -> bool:
        """True if a line of the user made an eqn directly, not a function that the line calls."""
        return not self.eqn(place).inherited and self.line_of(place) is not None

    def chain(self, frame: int | None) -> Iterator[Frame]:
        """A frame and its callers, innermost first."""
        while frame is not None:
            yield self.jaxpr.frames[frame]
            frame = self.jaxpr.frames[frame].parent

    def lines(self, frame: Frame) -> list[str]:
        """The lines of a frame's expression, as written."""
        for one in self.program.listings:
            if (one.file, one.cell) == (frame.file, frame.cell) and one.start <= frame.line:
                text = one.text.split("\n")
                first = frame.line - one.start
                if first < len(text) and text[first].strip() == frame.code:
                    return text[first : max(frame.line, frame.end_line) - one.start + 1]
        return [frame.code]

    @cached_property
    def code(self) -> Lines:
        """The text of the user's lines."""
        return Lines(self.program.listings)

    @cached_property
    def definition(self) -> Frame | None:
        """The line that defines the function; None if unknown or not unique."""
        found = [*definitions(self.program.listings, self.graphs[0].name)]
        return found[0] if len(found) == 1 else None

    def name_of(self, var: int) -> str:
        """The user's name of an input or a constant of the program; may be empty."""
        graph, call = self.graphs[0], self.jaxpr.call
        if var in graph.invars:
            return graph.args[graph.invars.index(var)]
        at = graph.constvars.index(var) if var in graph.constvars else -1
        return call.consts[at] if call is not None and 0 <= at < len(call.consts) else ""

    def text_of(self, frame: Frame) -> str:
        """The expression of a frame as written; empty if unknown."""
        lines = self.lines(frame)
        if not frame.column or len(lines) != frame.end_line - frame.line + 1:
            return ""
        if lines == [frame.code] and frame.end_column - 1 > len(frame.code):
            return ""  # only the line is known, not the columns
        last = lines[-1][: frame.end_column - 1]
        inner = [*lines[:-1], last] if len(lines) > 1 else [last]
        return "\n".join([inner[0][frame.column - 1 :], *inner[1:]])

    def expression_of(self, places: Sequence[Place]) -> str:
        """The expression that made the first of some eqns, or its line if that is unknown."""
        frame = self.frame_of(places)
        return self.eqn(places[0]).op if frame is None else self.quoted(frame)

    def quoted(self, frame: Frame) -> str:
        """The expression of a frame, or its line, in at most `LONGEST_QUOTE` characters."""
        text = self.text_of(frame) or frame.code
        first, *others = text.replace("`", "'").split("\n")
        text = f"{first.partition('  #')[0].rstrip()}…" if others else first
        return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 1]}…"


def root_of(path: str) -> str:
    """The argument at the root of a path: `params` for `params['w'].value`."""
    return re.split(r"[\[.]", path, maxsplit=1)[0]


class Flow:
    """The eqn that makes each value of a graph, and the eqns that use it."""

    def __init__(self, graph: Graph) -> None:
        self.maker: dict[int, int] = {}
        self.users: dict[int, list[int]] = {}
        for index, eqn in enumerate(graph.eqns):
            for var in eqn.outvars:
                self.maker[var] = index
            for var in eqn.invars:
                self.users.setdefault(var, []).append(index)
