"""The facts of each eqn of one graph, gathered once for all searches for groups."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce

from jaxviz import schema
from jaxviz.analysis.groups.facts.call_stacks import (
    CallStack,
    call_stacks,
    is_descriptive,
    shared_callers,
    stack_of_each_eqn,
)
from jaxviz.analysis.groups.facts.name_stacks import BACKWARD, Names, in_blocks, parse, roles_of
from jaxviz.analysis.groups.facts.parameter_paths import common, stage_paths
from jaxviz.analysis.groups.facts.parameters import MULTIPLIES, Path, is_position
from jaxviz.analysis.groups.run_tree import Item, Run, preorder

SourceLine = tuple[str, int]
"""A file and a line of it, from 1; `("", 0)` if unknown."""
TextPlace = tuple[str, str | None, int]
"""A file (empty for a cell), a cell, and a line of it."""
SHORT_DERIVATIVE = 8
"""The longest derivative that may have the name of an array, whatever its other operands are."""
PRODUCTS_WITH = MULTIPLIES | {"gather"}
RunPaths = dict[Run, Path | None]
"""For each run, the path that all its parameters share; None if it has no parameters."""


def line_of(frame: schema.Frame, text: Mapping[TextPlace, str]) -> str:
    """The reader's line of a frame; empty if unknown."""
    return text.get(("" if frame.cell else frame.file, frame.cell, frame.line), "")


class ValueFlow:
    """The values that pass between the eqns of one graph. The best cut crosses the fewest."""

    def __init__(self, graph: schema.Graph) -> None:
        self._maker = [-1] * len(graph.vars)
        for index, eqn in enumerate(graph.eqns):
            for var in eqn.outvars:
                self._maker[var] = index
        self._operands = [eqn.invars for eqn in graph.eqns]

    def widths(self, start: int, stop: int) -> list[int]:
        """For each eqn of `[start, stop)`, the number of values that cross a cut before it: those
        made by an earlier eqn of the range, and used by it or a later one."""
        last_use: dict[int, int] = {}
        for index in range(start, stop):
            for var in self._operands[index]:
                if self._maker[var] >= start:
                    last_use[var] = index
        change = [0] * (stop - start + 1)
        for var, index in last_use.items():
            change[self._maker[var] + 1 - start] += 1
            change[index + 1 - start] -= 1
        width = 0
        widths: list[int] = []
        for step in change[:-1]:
            width += step
            widths.append(width)
        return widths


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFacts:
    """The eqns of a graph. A list of each fact has one element per eqn. Facts with a default exist
    only for a jaxpr."""

    frames: list[schema.Frame]
    """The frames of the stage."""
    stacks: list[CallStack] = field(default_factory=list[CallStack])
    caller: CallStack | None = None
    """The call stack of the eqn around the graph, if this is a body without a name."""
    ops: list[str]
    calls: list[str]
    """The function that an eqn calls (`where` for a `jit` of `_where`), or its op."""
    scopes: list[Names] = field(default_factory=list[Names])
    paths: list[Path | None] = field(default_factory=list[Path | None])
    """The path that all parameters of an eqn share."""
    owner: str = ""
    """The argument that contains the parameters."""
    roles: list[str] = field(default_factory=list[str])
    trained: dict[int, int] = field(default_factory=dict[int, int])
    """The program's differentiated inputs, each with the result that replaces it."""
    given: dict[int, Path | None] = field(default_factory=dict[int, Path | None])
    """The paths of the graph's inputs and outputs that are parameters, or stored for one."""
    arrays: frozenset[Path] = frozenset()
    """The paths of single arrays with a name of their own."""
    made_backward: set[int] = field(default_factory=set[int])
    """The variables that depend on the backward pass."""
    holders: dict[int, int] = field(default_factory=dict[int, int])
    """For each eqn that JAX moved out of a body, the eqn that contains this body."""
    lines: list[SourceLine]
    text: Mapping[TextPlace, str] = field(default_factory=dict[TextPlace, str])
    """The user's lines."""
    flow: ValueFlow

    def line(self, frame: schema.Frame) -> str:
        """The reader's line of a frame; empty if unknown."""
        return line_of(frame, self.text)

    def path(self, item: Item) -> Path | None:
        """The path that all parameters of a run or an eqn share."""
        if isinstance(item, int):
            return self.paths[item]
        return reduce(common, self.paths[item.start : item.stop], None)

    def shared_paths(self, root: Run) -> RunPaths:
        """The path that all parameters of each run share, for `root` and every run in it."""
        found: RunPaths = {}
        for run in reversed(preorder(root)):
            path: Path | None = None
            for item in run.items():
                path = common(path, found[item] if isinstance(item, Run) else self.paths[item])
            found[run] = path
        return found

    def is_named_by_its_place(self, path: Path) -> bool:
        """True if the name of an array is only its place in a structure that the user did not name
        as parameters: in an optimizer's state, or without a gradient. A key that is no name, such
        as `[('a', 'b')]`, is a place."""
        if path[-1].startswith("[(") or (is_position(path) and "[" in self.owner):
            return True
        return not self.trained and is_position(path[-1:]) and path in self.given.values()

    def is_array(self, path: Path) -> bool:
        """True if a path leads to one array with a name of its own, and to no layer."""
        return path in self.arrays

    def works_on(self, start: int, stop: int, array: Path) -> bool:
        """True if the eqns `[start, stop)` mostly work on one array, or contain one product, with
        this array (reading rows of a table is a product here). A derivative may have two products,
        or be short."""
        own = [at for at in range(start, stop) if self.paths[at] == array]
        products = [at for at in range(start, stop) if self.ops[at] in PRODUCTS_WITH]
        backward = self.roles[start] == BACKWARD
        is_product = len(products) <= 1 + backward and not set(own).isdisjoint(products)
        is_short = backward and stop - start <= SHORT_DERIVATIVE
        return is_product or is_short or 2 * len(own) >= stop - start

    def shared_depth(self, start: int, stop: int) -> int:
        """The number of outer frames that the eqns `[start, stop)` share."""
        shared = previous = self.stacks[start]
        depth = len(shared)
        for stack in self.stacks[start:stop]:
            if stack is previous:
                continue
            previous = stack
            if stack[:depth] != shared[:depth]:
                depth = next(i for i in range(depth) if stack[i : i + 1] != shared[i : i + 1])
        return depth

    def site(self, item: Item, depth: int) -> int:
        """The frame at that depth of an item's stack, which is the line it comes from; -1 if the
        stack is shorter."""
        stack = self.stacks[item if isinstance(item, int) else item.start]
        return stack[depth] if depth < len(stack) else -1

    def symbol(self, item: Item, depth: int) -> Hashable:
        """A value that is equal for two items made by one line in two iterations of a loop."""
        what = self.ops[item] if isinstance(item, int) else (item.name, item.key)
        return self.site(item, depth), what


def gather(stage: schema.Stage, text: Mapping[TextPlace, str]) -> list[GraphFacts]:
    """The facts of each graph's eqns; `text` has the user's lines."""
    stacks = call_stacks(stage.frames)
    parsed = in_blocks([parse(scope) for scope in stage.scopes])
    roles = roles_of(stage, parsed)
    paths = stage_paths(stage, roles, parsed)
    callers = callers_of_nameless(stage, stacks)
    lines = lines_of(stage)
    found: list[GraphFacts] = []
    for index, graph in enumerate(stage.graphs):
        facts = GraphFacts(
            frames=stage.frames,
            stacks=stack_of_each_eqn(graph, stacks, stage.frames, roles[index]),
            caller=callers.get(index),
            ops=[eqn.op for eqn in graph.eqns],
            calls=[eqn.name or eqn.op for eqn in graph.eqns],
            scopes=[parsed[eqn.scope].names for eqn in graph.eqns],
            paths=paths.of_eqns[index],
            owner=paths.owner,
            roles=roles[index],
            trained=paths.trained,
            given=paths.given[index],
            arrays=named_arrays(paths.given[index].values()),
            made_backward=paths.made_backward[index],
            holders=holders_of_moved(graph, [parsed[eqn.scope].role for eqn in graph.eqns]),
            lines=[lines[eqn.frame] for eqn in graph.eqns],
            text=text,
            flow=ValueFlow(graph),
        )
        move_back(facts)
        found.append(facts)
    return found


def named_arrays(paths: Iterable[Path | None]) -> frozenset[Path]:
    """The paths that end in a name, and in no position."""
    return frozenset(path for path in paths if path and not is_position(path[-1:]))


def callers_of_nameless(stage: schema.Stage, stacks: list[CallStack]) -> dict[int, CallStack]:
    """The call stack of the eqn around each body of a function without a name."""
    return {
        body.graph: stacks[eqn.call]
        for graph in stage.graphs
        for eqn in graph.eqns
        if eqn.bodies and eqn.call is not None
        for body in eqn.bodies
        if not is_descriptive(stage.graphs[body.graph].name)
    }


def holders_of_moved(graph: schema.Graph, marks: list[str]) -> dict[int, int]:
    """For each eqn that JAX moved out of a body, the eqn that contains this body: its first user.

    Such eqns lack the mark of their pass: `marks` has each eqn's. An eqn whose result nothing reads
    gets the place of the moved eqns beside it.
    """
    holders: dict[int, int] = {}
    readers: dict[int, int] = {}
    results = set(graph.outvars)
    last = max((at for at, mark in enumerate(marks) if mark), default=-1)
    first = marks.index("") if "" in marks else len(marks)
    begin = next((at for at, mark in enumerate(marks) if mark), last)
    for at in range(last, first - 1, -1):
        eqn = graph.eqns[at]
        reader = at
        if not marks[at]:
            is_dead = begin < at < last and results.isdisjoint(eqn.outvars)
            alone = holders.get(at + 1, at + 1) if is_dead else at
            reader = min((readers[var] for var in eqn.outvars if var in readers), default=alone)
            if reader > at and graph.eqns[reader].bodies:
                holders[at] = reader
        readers.update(dict.fromkeys(eqn.invars, reader))
    return holders


def move_back(facts: GraphFacts) -> None:
    """Moves each eqn that JAX moved out of a body back to the eqn with that body, in place: it was
    called there, in its scopes, for its parameters."""
    for at, holder in facts.holders.items():
        callers, own = facts.stacks[holder], facts.stacks[at]
        known = len(shared_callers(own, callers, facts.frames))
        facts.stacks[at] = (*callers, *own[known:])
        facts.scopes[at] = (*facts.scopes[holder], *facts.scopes[at])
        facts.paths[at] = facts.paths[at] or facts.paths[holder]


def lines_of(stage: schema.Stage) -> dict[int | None, SourceLine]:
    """The user's line that made an eqn, by its frame. JAX gives a library's line if no frame is the
    user's."""
    unknown = "", 0
    frames = enumerate(stage.frames)
    known = {at: unknown if one.library else (one.file, one.line) for at, one in frames}
    return {None: unknown, **known}
