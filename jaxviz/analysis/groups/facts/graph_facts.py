"""The facts on each eqn of one graph that all searches for groups use."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
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
"""The longest derivative that may have the name of an array without working mostly on it."""
PRODUCTS_WITH = MULTIPLIES | {"gather"}
RunPaths = dict[Run, Path | None]
"""For each run, the path that all its parameters share; None if it has no parameters."""


def line_of(frame: schema.Frame, text: Mapping[TextPlace, str]) -> str:
    """The user's line of a frame; empty if unknown."""
    return text.get(("" if frame.cell else frame.file, frame.cell, frame.line), "")


class ValueFlow:
    """The values that pass between the eqns of one graph."""

    def __init__(self, graph: schema.Graph) -> None:
        self._maker = [-1] * len(graph.vars)
        for index, eqn in enumerate(graph.eqns):
            for var in eqn.outvars:
                self._maker[var] = index
        self._operands = [eqn.invars for eqn in graph.eqns]

    def widths(self, start: int, stop: int) -> list[int]:
        """For each eqn of `[start, stop)`, the number of values that cross a cut before it: an
        earlier eqn of the range makes them, and this one or a later one uses them."""
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
    """The facts on a graph's eqns. Each list has one element per eqn. Facts with a default exist
    only for a jaxpr."""

    frames: list[schema.Frame]
    """The frames of the stage."""
    stacks: list[CallStack] = field(default_factory=list[CallStack])
    caller: CallStack | None = None
    """The call stack of the eqn around the graph, if this is the body of a function without a
    name."""
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
    var_paths: dict[int, Path | None] = field(default_factory=dict[int, Path | None])
    """The paths of the graph's inputs and outputs that are parameters, or state of one."""
    arrays: frozenset[Path] = frozenset()
    """The paths of single arrays with a name of their own."""
    made_backward: set[int] = field(default_factory=set[int])
    """The variables that depend on the backward pass."""
    moved_out_of: dict[int, int] = field(default_factory=dict[int, int])
    """For each eqn that JAX moved out of a body, the eqn with this body."""
    lines: list[SourceLine]
    text: Mapping[TextPlace, str] = field(default_factory=dict[TextPlace, str])
    """The user's lines."""
    flow: ValueFlow

    def line(self, frame: schema.Frame) -> str:
        """The user's line of a frame; empty if unknown."""
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

    def is_named_by_place(self, path: Path) -> bool:
        """True if the name of an array is only its place in a structure that the user did not name
        as parameters: an optimizer's state, or inputs without a gradient. A key that is no name,
        such as `[('a', 'b')]`, is a place."""
        if path[-1].startswith("[(") or (is_position(path) and "[" in self.owner):
            return True
        return not self.trained and is_position(path[-1:]) and path in self.var_paths.values()

    def is_array(self, path: Path) -> bool:
        """True if a path leads to a single array with a name of its own, not to a layer."""
        return path in self.arrays

    def works_on(self, start: int, stop: int, array: Path) -> bool:
        """True if most of the eqns `[start, stop)` work on one array, or if their only product is
        with this array. Reading rows of a table counts as a product. A derivative may have two
        products, or be short."""
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
        """The frame at a depth of an item's stack, which is the line it comes from; -1 if the stack
        is shorter."""
        stack = self.stacks[item if isinstance(item, int) else item.start]
        return stack[depth] if depth < len(stack) else -1

    def symbol(self, item: Item, depth: int) -> Hashable:
        """A value that is equal for items made by one line in two iterations of a loop."""
        what = self.ops[item] if isinstance(item, int) else (item.name, item.key)
        return self.site(item, depth), what


def gather(stage: schema.Stage, text: Mapping[TextPlace, str]) -> list[GraphFacts]:
    """The facts on each graph; `text` has the user's lines."""
    stacks = call_stacks(stage.frames)
    parsed = in_blocks([parse(scope) for scope in stage.scopes])
    roles = roles_of(stage, parsed)
    paths = stage_paths(stage, roles, parsed)
    callers = callers_of_unnamed(stage, stacks)
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
            var_paths=paths.var_paths[index],
            arrays=frozenset(
                path
                for path in paths.var_paths[index].values()
                if path and not is_position(path[-1:])
            ),
            made_backward=paths.made_backward[index],
            moved_out_of=eqns_moved_out(graph, [parsed[eqn.scope].role for eqn in graph.eqns]),
            lines=[lines[eqn.frame] for eqn in graph.eqns],
            text=text,
            flow=ValueFlow(graph),
        )
        restore_moved(facts)
        found.append(facts)
    return found


def callers_of_unnamed(stage: schema.Stage, stacks: list[CallStack]) -> dict[int, CallStack]:
    """The call stack of the eqn around each body of a function without a name."""
    return {
        body.graph: stacks[eqn.call]
        for graph in stage.graphs
        for eqn in graph.eqns
        if eqn.bodies and eqn.call is not None
        for body in eqn.bodies
        if not is_descriptive(stage.graphs[body.graph].name)
    }


def eqns_moved_out(graph: schema.Graph, marks: list[str]) -> dict[int, int]:
    """For each eqn that JAX moved out of a body, the eqn with this body: the first user of its
    result.

    Such eqns lack the mark of their pass; `marks` has the mark of each eqn. An eqn whose result
    nothing uses belongs to the same body as the moved eqn after it.
    """
    moved: dict[int, int] = {}
    users: dict[int, int] = {}
    results = set(graph.outvars)
    last = max((at for at, mark in enumerate(marks) if mark), default=-1)
    first = marks.index("") if "" in marks else len(marks)
    begin = next((at for at, mark in enumerate(marks) if mark), last)
    for at in range(last, first - 1, -1):
        eqn = graph.eqns[at]
        user = at
        if not marks[at]:
            is_dead = begin < at < last and results.isdisjoint(eqn.outvars)
            fallback = moved.get(at + 1, at + 1) if is_dead else at
            user = min((users[var] for var in eqn.outvars if var in users), default=fallback)
            if user > at and graph.eqns[user].bodies:
                moved[at] = user
        users.update(dict.fromkeys(eqn.invars, user))
    return moved


def restore_moved(facts: GraphFacts) -> None:
    """Gives each eqn that JAX moved out of a body the callers, scopes and parameters of the eqn
    with this body, in place."""
    for at, caller in facts.moved_out_of.items():
        callers, own = facts.stacks[caller], facts.stacks[at]
        shared = len(shared_callers(own, callers, facts.frames))
        facts.stacks[at] = (*callers, *own[shared:])
        facts.scopes[at] = (*facts.scopes[caller], *facts.scopes[at])
        facts.paths[at] = facts.paths[at] or facts.paths[caller]


def lines_of(stage: schema.Stage) -> dict[int | None, SourceLine]:
    """The user's line that made an eqn, by its frame. If no frame is the user's, JAX records a
    library's line: then it is unknown."""
    unknown = "", 0
    frames = enumerate(stage.frames)
    lines = {at: unknown if one.library else (one.file, one.line) for at, one in frames}
    return {None: unknown, **lines}
