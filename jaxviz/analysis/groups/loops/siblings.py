"""Siblings, and the one that differs from the others: `layers[7]`, with `f32 weights`.

Siblings are runs in one place whose names agree, apart from numbers. If at least three are alike,
at most three others, and at most a third, are odd. More of them are no exceptions. The first and
last layer of a model often have other ops, such as no activation: only another dtype is marked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.groups.facts.name_stacks import FORWARD
from jaxviz.analysis.groups.run_tree import Run
from jaxviz.analysis.outliers import CASTS, FEWEST_ALIKE, FLOAT_BYTES, eqns_of
from jaxviz.schema.record import NOTHING, Sentence, literal
from jaxviz.sentences import sentence

MOST_ODD = 3
"""The most layers of a place that are odd."""
NUMBER = re.compile(r"\d+")
ITERATION_NUMBER = re.compile(r" \d+/\d+(?= |$)")
"""The number of an iteration at the end of its name: ` 2/30`."""
NAMED_OPS = 2
"""The most ops that say how a layer differs."""
LONGEST_PARAM = 24
"""The most characters of a param that says how a layer differs."""

Alike = Mapping[Run, int]
"""The number that runs which are alike share; -1 for a run that no other is like."""
Family = tuple[str, str]
Span = Run | schema.Group
"""A stretch of eqns of one graph, with a name."""


def family_of(run: Span) -> Family:
    """The properties that siblings in one place share: the name, apart from numbers, and the role.
    In `layers[3] 1/2` the first number is that of the layer."""
    found = ITERATION_NUMBER.search(run.name)
    end = found.start() if found and NUMBER.search(run.name, 0, found.start()) else len(run.name)
    return NUMBER.sub("#", run.name[:end]) + run.name[end:], run.role


def families(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """The siblings among the runs of one place."""
    found: dict[Family, list[Run]] = {}
    for run in runs:
        found.setdefault(family_of(run), []).append(run)
    yield from found.values()


def mark_odd_layers(runs: Sequence[Run], alike: Alike, stage: schema.Stage, graph: int) -> None:
    """Says of each odd layer among the runs of one place how it differs, in place."""
    for family in families(runs):
        if len(family) <= FEWEST_ALIKE or not NUMBER.search(family[0].name):
            continue
        usual, count = Counter(alike[run] for run in family).most_common(1)[0]
        others = [run for run in family if alike[run] != usual]
        if usual < 0 or count < FEWEST_ALIKE or len(others) > MOST_ODD + 2:
            continue
        members = [run for run in family if alike[run] == usual]
        member = members[len(members) // 2]
        sibling, ends = Layer.of(member, stage, graph), (family[0], family[-1])
        layers = {run: Layer.of(run, stage, graph) for run in others}
        odd = {
            run: layer.difference(sibling)
            for run, layer in layers.items()
            if run not in ends
            or not (layer.differs_in_size(sibling) or does_part(run, member, stage, graph))
        }
        if len(odd) <= MOST_ODD and 3 * len(odd) <= len(family):
            for run, words in odd.items():
                if run not in ends or layers[run].other_dtype(sibling):
                    run.unlike = words


def does_part(run: Span, other: Span, stage: schema.Stage, graph: int) -> bool:
    """True if a run at an end of a row does part of the row's work, as `other` does it, and has the
    same name, apart from numbers. The first layer, whose input is not differentiated, stores less
    and has a shorter derivative; a loop's first iteration begins with constants."""
    if family_of(run) != family_of(other):
        return False
    is_first_of_pass = run.role == FORWARD and run.start < other.start
    is_later = run.role not in ("", FORWARD)
    if not (is_first_of_pass or is_later or ITERATION_NUMBER.search(run.name)):
        return False
    part, whole = work_done(run, stage, graph), work_done(other, stage, graph)
    return part <= whole and 2 * part.total() >= whole.total()


def work_done(run: Span, stage: schema.Stage, graph: int) -> Counter[Hashable]:
    """The ops of a run and of its eqns' bodies, with their results."""
    of = stage.graphs[graph]
    eqns = [(of, eqn) for eqn in of.eqns[run.start : run.stop]]
    inner = [stage.graphs[body.graph] for _, eqn in eqns for body in eqn.bodies]
    work = [(of, eqn) for of, eqn in eqns if not eqn.bodies]
    work += [(of, eqn) for of in inner for eqn in of.eqns if not eqn.bodies]
    return Counter((eqn.op, of.vars[eqn.outvars[0]].aval) for of, eqn in work if eqn.outvars)


class Step(NamedTuple):
    """An eqn of a layer, as far as it is compared with those of other layers."""

    op: str
    results: tuple[schema.Aval, ...]
    literals: tuple[str, ...]
    params: tuple[tuple[str, str], ...]

    @property
    def dtype(self) -> str:
        return dtype_of(self.results[0]) if self.results else ""


class Layer(NamedTuple):
    """The work of a layer, bodies of its eqns included."""

    steps: list[Step]
    weights: list[schema.Aval]
    """The floats among the program's inputs and constants that it uses, each once."""

    @classmethod
    def of(cls, run: Run, stage: schema.Stage, number: int) -> Layer:
        graph = stage.graphs[number]
        inputs = {*graph.invars, *graph.constvars}
        used = (var for eqn in graph.eqns[run.start : run.stop] for var in eqn.invars)
        weights = dict.fromkeys(var for var in used if var in inputs)
        return cls(
            [
                step_of(stage, graph, eqn)
                for at, index in eqns_of(stage, number, run.start, run.stop)
                for graph in [stage.graphs[at]]
                for eqn in [graph.eqns[index]]
                if not eqn.bodies
            ],
            [
                aval
                for var in weights
                if (aval := stage.avals[graph.vars[var].aval]).dtype in FLOAT_BYTES
            ],
        )

    @property
    def work(self) -> Counter[str]:
        return Counter("cast" if step.op in CASTS else step.op for step in self.steps)

    @property
    def order(self) -> list[str]:
        return [step.op for step in self.steps]

    @property
    def avals(self) -> list[schema.Aval]:
        return [*self.weights, *(aval for step in self.steps for aval in step.results)]

    def difference(self, sibling: Layer) -> Sentence:
        """The first of these that differs: dtypes, ops, shapes, literals, params, the order."""
        return (
            self.other_dtype(sibling)
            or self.other_ops(sibling)
            or self.other_shape(sibling)
            or self.other_values(sibling)
            or sentence("odd, order")
        )

    def other_dtype(self, sibling: Layer) -> Sentence:
        own, other = (Counter(map(dtype_of, layer.weights)) for layer in (self, sibling))
        if own - other and other - own:
            return sentence("odd, weights", dtype=most(own - other))
        own, other = (Counter((s.op, s.dtype) for s in layer.steps) for layer in (self, sibling))
        missing = {op for op, _ in other - own}
        wider = Counter(
            dtype for op, dtype in (own - other).elements() if op in missing and op not in CASTS
        )
        return literal(most(wider)) if wider else NOTHING

    def other_ops(self, sibling: Layer) -> Sentence:
        extra, missing = self.work - sibling.work, sibling.work - self.work
        if extra:
            return sentence("odd, extra", ops=names_of(extra))
        return sentence("odd, missing", ops=names_of(missing)) if missing else NOTHING

    def other_shape(self, sibling: Layer) -> Sentence:
        if self.order != sibling.order:
            return NOTHING
        for own, other in zip(self.avals, sibling.avals, strict=False):
            if own.shape != other.shape:
                return sentence("odd, shape", shape=shape_of(own))
        return NOTHING

    def other_values(self, sibling: Layer) -> Sentence:
        if self.order != sibling.order:
            return NOTHING
        for own, other in zip(self.steps, sibling.steps, strict=False):
            for one, two in zip(own.literals, other.literals, strict=False):
                if one != two:
                    return literal(one)
            for (name, one), (_, two) in zip(own.params, other.params, strict=False):
                if one != two:
                    return literal(f"{name}={one}"[:LONGEST_PARAM])
        return NOTHING

    def differs_in_size(self, sibling: Layer) -> bool:
        """True if only shapes differ, as those of a model's first and last layer do."""
        others = self.other_dtype(sibling) or self.other_ops(sibling)
        return not others and bool(self.other_shape(sibling))


def step_of(stage: schema.Stage, graph: schema.Graph, eqn: schema.Eqn) -> Step:
    variables = [graph.vars[var] for var in eqn.invars]
    return Step(
        eqn.op,
        tuple(stage.avals[graph.vars[var].aval] for var in eqn.outvars),
        tuple(one.name.partition(":")[0] for one in variables if one.literal),
        tuple((param.name, param.value) for param in eqn.params),
    )


def dtype_of(aval: schema.Aval) -> str:
    return aval.text.partition("[")[0]


def shape_of(aval: schema.Aval) -> str:
    return aval.text[len(dtype_of(aval)) :].partition("]")[0] + "]"


def most(counts: Counter[str]) -> str:
    return counts.most_common(1)[0][0]


def names_of(ops: Counter[str]) -> str:
    names = sorted(ops, key="cast".__eq__)
    return ", ".join(names[:NAMED_OPS]) + ("…" if len(names) > NAMED_OPS else "")
