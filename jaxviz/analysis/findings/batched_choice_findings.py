"""Findings on choices (`cond`, `switch`) that `vmap` made a select: all their branches run.

For each branch, `vmap` records `eq index i`, the operands of the branch, and its eqns. After the
last branch, a `select_n` picks each result by the index.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import prod

from jaxviz.analysis.findings.device_findings import CALLBACKS, LOOPS
from jaxviz.analysis.findings.indexed_program import LEAST_BYTES, Draft, IndexedProgram, Place
from jaxviz.ops import row_of
from jaxviz.schema import Eqn, Frame
from jaxviz.sentences import sentence
from jaxviz.sentences.amounts import bytes_text, flops_text

# Choices under vmap.
#
# Reported are branches with matrix products or the like, of 1 Mflop in one run, 0.1 Mflop for each
# row and 5 % of the program. They take 0.1 ms, as long as the call of a jitted function. For
# element-wise branches the select is right: on CPU `lax.map` took 1.1 to 3.4 times as long.
#
# A copied carry is reported from 16 MiB in one run, about 1 ms, or from 1 MiB if the number of
# iterations is unknown. It has to be 8 times the part that changes. A callback is reported at any
# size, since it also runs for rows that do not choose its branch.

LEAST_FLOPS = 1_000_000
LEAST_FLOPS_OF_ROW = 100_000
LEAST_SHARE = 0.05
LEAST_COPIED = 16 << 20
COPIED_TIMES = 8
MOST_BRANCHES = 4
"""The most branches whose cost is reported."""
CHOICES = ("cond", "switch")
CALL = re.compile(r"(\w+\.)*(cond|switch)\s*\(")
NAME = re.compile(r"[^\W\d]\w*")
SCATTERS = ("scatter", "scatter_add", "scatter_mul", "scatter_min", "scatter_max")
UPDATES = {"dynamic_update_slice": 1, **dict.fromkeys(SCATTERS, 2)}
"""Primitives that change a part of their first operand, and which operand is that part."""
SELECTING = ("eq", "stop_gradient", "broadcast_in_dim", "select_n")
"""The primitives that vmap adds around the branches."""


def batched_choices(indexed: IndexedProgram) -> Iterator[Draft]:
    seen = set[int | None]()
    for choice in choices(indexed):
        copied = choice.copied_carry()
        for draft in [copied] if copied else [*choice.callbacks(), *choice.costly_branches()]:
            frame = indexed.eqn(draft.places[0]).frame
            if frame not in seen:
                seen.add(frame)
                yield draft


def choices(indexed: IndexedProgram) -> Iterator[BatchedChoice]:
    """The choices of a program that have results, and those without that may call Python."""
    selects = by_index(indexed, "select_n")
    for (graph, index), found in selects.items():
        choice = BatchedChoice(indexed, graph, index, found)
        if choice.starts:
            yield choice
    if any(op in indexed.by_op for op in CALLBACKS):
        for graph, index in by_index(indexed, "eq"):
            if (graph, index) not in selects:
                yield BatchedChoice(indexed, graph, index, [])


def by_index(indexed: IndexedProgram, op: str) -> dict[tuple[int, int], list[int]]:
    """The eqns of a primitive that vmap made of choices, by their graph and the index that decides
    in the choice."""
    found: dict[tuple[int, int], list[int]] = {}
    for graph, at in indexed.places(op):
        if is_of_choice(indexed, (graph, at)):
            index = source_of(indexed, graph, indexed.eqn((graph, at)).invars[0])
            found.setdefault((graph, index), []).append(at)
    return found


def is_of_choice(indexed: IndexedProgram, place: Place) -> bool:
    """True if vmap made an eqn of a choice on the user's line, by JAX's frames or the user's
    expression. Not in the backward pass, which follows the forward pass."""
    eqn, graph = indexed.eqn(place), indexed.graphs[place[0]]
    if indexed.aval(graph, eqn.invars[0]).dtype == "bool":
        return False
    frame = indexed.line_of(place)
    if frame is None or eqn.scope in indexed.backward:
        return False
    return eqn.name in CHOICES or CALL.match(indexed.text_of(frame)) is not None


def source_of(indexed: IndexedProgram, number: int, var: int) -> int:
    """The value before it was broadcast."""
    graph, maker = indexed.graphs[number], indexed.flow(number).maker
    while var in maker and graph.eqns[maker[var]].op == "broadcast_in_dim":
        var = graph.eqns[maker[var]].invars[0]
    return var


class BatchedChoice:
    """A choice that vmap turned into selects."""

    def __init__(
        self, indexed: IndexedProgram, number: int, index: int, selects: Sequence[int]
    ) -> None:
        self.indexed = indexed
        self.number = number
        self.graph = indexed.graphs[number]
        self.index = index
        self.selects = selects
        """The selects of its results; empty if it has none."""
        self.stop = selects[0] if selects else len(self.graph.eqns)

    @cached_property
    def places(self) -> list[Place]:
        return [(self.number, at) for at in self.selects or self.starts]

    @cached_property
    def text(self) -> str:
        """The user's expression."""
        return self.indexed.expression_of(self.places)

    @cached_property
    def starts(self) -> list[int]:
        """The eqn at which each branch starts; empty if not all are found."""
        eqns = self.graph.eqns
        users = self.indexed.flow(self.number).users.get(self.index, ())
        starts = [at for at in users if eqns[at].op == "eq" and at < self.stop]
        count = len(eqns[self.stop].invars) - 1 if self.selects else len(starts)
        return starts[-count:] if len(starts) >= count else []

    @cached_property
    def branches(self) -> list[list[Eqn]]:
        """The eqns of each branch, without those that vmap added."""
        eqns, frame = self.graph.eqns, self.graph.eqns[self.stop].frame
        ends = [*self.starts[1:], self.stop]
        return [
            [one for one in eqns[a:b] if one.frame != frame or one.op not in SELECTING]
            for a, b in zip(self.starts, ends, strict=True)
        ]

    @cached_property
    def runs(self) -> int:
        """The number of times that one run of the program runs it; an unknown loop counts once."""
        count, graph, seen = 1, self.number, set[int]()
        while graph not in seen and len(callers := self.indexed.callers.get(graph, ())) == 1:
            seen.add(graph)
            graph, eqn, _ = callers[0]
            count *= eqn.trips or 1
        return count

    def costly_branches(self) -> Iterator[Draft]:
        if not self.selects:
            return
        shape = self.indexed.aval(self.graph, self.index).shape or []
        whole, rows = self.indexed.jaxpr.cost, prod(map(int, shape))
        flops = [flops_of(branch) for branch in self.branches]
        least = max(LEAST_FLOPS, LEAST_SHARE * ((whole and whole.flops) or 0))
        if max(flops) * self.runs < least or max(flops) < LEAST_FLOPS_OF_ROW * rows:
            return
        if not self.contracts(self.branches[flops.index(max(flops))]):
            return
        names = ("false", "true") if len(flops) == 2 else range(len(flops))
        costs = [f"{flops_text(one)} ({name})" for name, one in zip(names, flops, strict=True)]
        more = ["…"] if len(costs) > MOST_BRANCHES else []
        yield Draft(
            what=sentence("batched-cond", expression=self.text, rows=f"{rows:,}"),
            cost=sentence("batched-cond cost", costs=", ".join([*costs[:MOST_BRANCHES], *more])),
            places=self.places,
        )

    def contracts(self, branch: Sequence[Eqn]) -> bool:
        """True if a branch, or a body in it, has a matrix product or the like."""
        waiting, seen = [branch], set[int]()
        for eqns in waiting:
            for eqn in eqns:
                if row_of(eqn.op).family == "contraction":
                    return True
                further = {body.graph for body in eqn.bodies} - seen
                waiting += [self.indexed.graphs[graph].eqns for graph in further]
                seen |= further
        return False

    def callbacks(self) -> Iterator[Draft]:
        """A finding for each call of Python in a branch."""
        around = self.indexed.frame_of(self.places)
        for place in self.indexed.places(*CALLBACKS):
            frame = self.indexed.line_of(place)
            if around is not None and frame is not None and self.has(place, frame, around):
                yield Draft(
                    what=sentence(
                        "batched-cond, callback",
                        callback=self.indexed.expression_of([place]),
                        expression=self.text,
                        line=str(around.line),
                    ),
                    cost=sentence("batched-cond cost, callback"),
                    fix=sentence("batched-cond fix, callback"),
                    places=[place],
                )

    def has(self, place: Place, frame: Frame, around: Frame) -> bool:
        """True for an eqn in one of the branches, or in a body of theirs. Without results, the end
        of the last branch is not known: then the choice has to contain its line or its function."""
        graph, at = place
        while graph != self.number:
            callers = self.indexed.callers.get(graph, ())
            if len(callers) != 1:
                return False
            graph, eqn, _ = callers[0]
            at = self.indexed.graphs[graph].eqns.index(eqn)
        if not self.starts[0] < at < self.stop:
            return False
        is_within = (frame.file, frame.cell) == (around.file, around.cell) and (
            around.line <= frame.line <= max(around.line, around.end_line)
        )
        called = frame.function.rpartition(".")[2]
        names = NAME.findall(self.indexed.text_of(around))
        return bool(self.selects) or is_within or called in names

    def copied_carry(self) -> Draft | None:
        """A finding if a loop copies a carry, although a branch changes only a part of it."""
        callers = self.indexed.callers.get(self.number, ())
        if (
            len(callers) != 1
            or callers[0][1].op not in LOOPS
            or selects_carries(self.indexed, callers[0][1])
        ):
            return None
        outer, loop, body = callers[0]
        carries = [at for at, role in enumerate(loop.roles) if role == "carry"]
        returned = dict(zip(body.outputs, self.graph.outvars, strict=False))
        for carry, operand in zip(self.graph.invars, body.inputs, strict=False):
            var = returned.get(carries.index(operand)) if operand in carries else None
            for eqn in (self.graph.eqns[index] for index in self.selects):
                part = self.changed_part(eqn, carry) if eqn.outvars[0] == var else 0
                least = LEAST_BYTES if loop.trips is None else LEAST_COPIED
                size = self.indexed.size(self.graph, [carry])
                if part and size * self.runs >= least and size >= COPIED_TIMES * part:
                    name = self.indexed.name_of(loop.invars[operand]) if outer == 0 else ""
                    return self.copy_finding(loop, name, carry, part)
        return None

    def changed_part(self, eqn: Eqn, carry: int) -> int:
        """The bytes of the part of a carry that a branch changes in place; 0 unless another branch
        keeps it, and all others change a part."""
        cases, parts = [self.operand(var) for var in eqn.invars[1:]], list[int]()
        for var in cases:
            maker = self.indexed.flow(self.number).maker.get(var)
            if var != carry and maker is not None:
                made = self.graph.eqns[maker]
                at = UPDATES.get(made.op.replace("-", "_"))
                if at is None or self.operand(made.invars[0]) != carry:
                    return 0
                parts.append(self.indexed.size(self.graph, [made.invars[at]]))
        return max(parts) if parts and carry in cases else 0

    def operand(self, var: int) -> int:
        """The value that vmap passed to a branch: it selects between it and a copy of it."""
        maker = self.indexed.flow(self.number).maker
        made = self.graph.eqns[maker[var]] if var in maker else None
        if made is not None and made.op == "select_n" and len(made.invars) == 3:
            one, other = (source_of(self.indexed, self.number, at) for at in made.invars[1:])
            stopped = self.graph.eqns[maker[one]] if one in maker else None
            if stopped is not None and stopped.op == "stop_gradient" and stopped.invars[0] == other:
                return other
        return var

    def copy_finding(self, loop: Eqn, name: str, carry: int, part: int) -> Draft:
        size = self.indexed.size(self.graph, [carry])
        return Draft(
            what=sentence(
                "batched-cond, copy",
                expression=self.text,
                name=name or self.indexed.aval(self.graph, carry).text,
                bytes=bytes_text(size),
                part=bytes_text(part),
            ),
            cost=sentence("batched-cond cost, copy")
            if loop.trips is None
            else sentence(
                "batched-cond cost, copies",
                turns=f"{loop.trips:,}",
                bytes=bytes_text(size * self.runs),
            ),
            fix=sentence("batched-cond fix, copy"),
            places=self.places,
            names=[name] if name else [],
            bytes=size,
        )


def selects_carries(indexed: IndexedProgram, loop: Eqn) -> bool:
    """True for a `while` whose rows end at different iterations: then vmap selects between the old
    and the new carry, and copies it even without the choice."""
    if loop.op != "while":
        return False
    condition = indexed.graphs[loop.bodies[0].graph]
    return bool(indexed.aval(condition, condition.outvars[0]).shape)


def flops_of(branch: Sequence[Eqn]) -> int:
    return sum(eqn.cost.flops or 0 for eqn in branch if eqn.cost is not None)
