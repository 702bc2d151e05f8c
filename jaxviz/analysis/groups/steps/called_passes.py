"""A jaxpr before the search for groups: with public names, and with passes of a derivative inlined.

`jax.random.normal` calls `_normal`, a name that no user wrote. Such an eqn takes the name of the
function on the user's line, or of the public function with the same name.

`jax.grad` of a function with `@jax.jit` records one `jit` eqn for the forward pass and one for the
backward pass. Groups are found as if both bodies were inlined, as `jax.jit(jax.grad(f))` records
them. Then each group is moved into the caller, into the body, or in pieces into both.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.groups.facts.call_stacks import is_descriptive
from jaxviz.analysis.groups.facts.graph_facts import TextPlace
from jaxviz.analysis.groups.facts.name_stacks import parse, roles_of
from jaxviz.analysis.groups.facts.source_lines import called_name
from jaxviz.analysis.groups.loops.unrolled import callers_of
from jaxviz.analysis.groups.run_tree import SHORTEST_GROUP
from jaxviz.schema.graph import inner_first, outside_in

CALLS = frozenset({"jit", "pjit"})
MOST_OF_A_PASS = 1 / 2
"""The share of a pass from which one call is the pass."""


class Inlined(NamedTuple):
    """The eqns `[start, stop)` of a graph, which are those of an inlined body."""

    body: int
    eqn: int
    """The eqn that calls the body."""
    start: int
    stop: int


class Inlining(NamedTuple):
    """A stage in which calls are inlined."""

    stage: schema.Stage
    inlined: dict[int, list[Inlined]]
    """The inlined bodies of each graph that has some, in order; inner graphs come first."""


def inline_passes(stage: schema.Stage) -> Inlining:
    """The stage, in which each call is inlined that is most of a pass and whose body has no other
    caller. Such a body becomes empty."""
    used = Counter(
        body.graph for graph in stage.graphs for eqn in graph.eqns for body in eqn.bodies
    )
    roles = roles_of(stage, [parse(scope) for scope in stage.scopes])
    scopes = {scope: at for at, scope in enumerate(stage.scopes)}
    graphs, inlined = list(stage.graphs), dict[int, list[Inlined]]()
    for index in inner_first(stage.graphs):
        chosen = calls_that_are_passes(stage, index, roles[index], used)
        if chosen:
            found = with_bodies(graphs, index, chosen, scopes, stage.frames)
            graphs[index], inlined[index] = found
            for at in chosen:
                body = stage.graphs[index].eqns[at].bodies[0].graph
                graphs[body] = replace(graphs[body], eqns=[])
    if not inlined:
        return Inlining(stage, {})
    return Inlining(replace(stage, graphs=graphs, scopes=list(scopes)), inlined)


def calls_that_are_passes(
    stage: schema.Stage, index: int, roles: Sequence[str], used: Counter[int]
) -> list[int]:
    """The eqns of a graph to inline."""
    eqns = stage.graphs[index].eqns
    calls = [
        at
        for at, eqn in enumerate(eqns)
        if roles[at] and eqn.op in CALLS and len(eqn.bodies) == 1 and used[eqn.bodies[0].graph] == 1
    ]
    if not calls:
        return []
    sizes = [schema.count_eqns(stage.graphs, [eqn]) for eqn in eqns]
    whole = Counter[str]()
    for role, count in zip(roles, sizes, strict=True):
        whole[role] += count
    return [
        at
        for at in calls
        if SHORTEST_GROUP < sizes[at] >= MOST_OF_A_PASS * whole[roles[at]]
        and runs_users_code(stage, eqns[at])
    ]


def runs_users_code(stage: schema.Stage, eqn: schema.Eqn) -> bool:
    """True if an eqn calls a function of the user, or of a library that runs one of the user, such
    as `Module.apply`. A library's `diffeqsolve` stays one box."""
    graphs = [eqn.bodies[0].graph]
    for graph in graphs:
        eqns = stage.graphs[graph].eqns
        calls = {e.call for e in eqns}
        for at in chain.from_iterable(callers_of(stage.frames, call) for call in calls):
            frame = stage.frames[at]
            if frame.function.rpartition(".")[2] == eqn.name:
                return not (frame.library and is_descriptive(eqn.name))
        if len(eqns) == 1:
            graphs += [body.graph for body in eqns[0].bodies]
    return False


def with_bodies(
    graphs: Sequence[schema.Graph],
    index: int,
    chosen: Sequence[int],
    scopes: dict[str, int],
    frames: list[schema.Frame],
) -> tuple[schema.Graph, list[Inlined]]:
    """A graph with the bodies of some eqns in their place, and the places of these bodies. `scopes`
    has the number of each name stack; new ones are added. An eqn that JAX moved out of a loop is in
    no scope of the call, as in a program that is jitted as a whole."""
    graph = graphs[index]
    names = list(scopes)
    variables, constants = list(graph.vars), list(graph.constvars)
    eqns: list[schema.Eqn] = []
    renamed: dict[int, int] = {}
    found: list[Inlined] = []
    for at, eqn in enumerate(graph.eqns):
        operands = tuple(renamed.get(var, var) for var in eqn.invars)
        if at not in chosen:
            eqns.append(replace(eqn, invars=operands))
            continue
        body = eqn.bodies[0]
        inner = graphs[body.graph]
        own = dict(enumerate(range(len(variables), len(variables) + len(inner.vars))))
        inputs = zip(inner.invars, body.inputs, strict=True)
        own |= {var: operands[operand] for var, operand in inputs if operand >= 0}
        outputs = zip(inner.outvars, body.outputs, strict=True)
        renamed |= {eqn.outvars[result]: own[var] for var, result in outputs if result >= 0}
        variables += inner.vars
        constants += [own[var] for var in inner.constvars]
        found.append(Inlined(body.graph, at, len(eqns), len(eqns) + len(inner.eqns)))
        around = names[eqn.scope]
        within = {one.call: is_called_in(frames, one.call, eqn.name) for one in inner.eqns}
        for one in inner.eqns:
            outer = around if within[one.call] else ""
            below = "/".join(filter(None, (outer, names[one.scope])))
            eqns.append(
                replace(
                    one,
                    invars=tuple(map(own.__getitem__, one.invars)),
                    outvars=tuple(map(own.__getitem__, one.outvars)),
                    scope=scopes.setdefault(below, len(scopes)),
                )
            )
    results = tuple(renamed.get(var, var) for var in graph.outvars)
    return (
        replace(graph, vars=variables, constvars=tuple(constants), eqns=eqns, outvars=results),
        found,
    )


def is_called_in(frames: list[schema.Frame], call: int | None, function: str) -> bool:
    """True if a frame is in a call of a function, or if it has no callers."""
    path = callers_of(frames, call)
    return not path or any(frames[at].function.rpartition(".")[2] == function for at in path)


def restore_groups(
    inlining: Inlining, whole: schema.Stage, groups: list[list[schema.Group]]
) -> None:
    """Moves the groups of graphs with inlined bodies to the graphs of `whole` that have their eqns,
    in place."""
    for index, bodies in reversed(inlining.inlined.items()):
        found = groups[index]
        sizes = {one.eqn: one.stop - one.start for one in bodies}
        eqns = range(len(whole.graphs[index].eqns))
        starts = [*accumulate((sizes.get(at, 1) for at in eqns), initial=0)]
        groups[index] = groups_at(found, starts, sizes)
        for one in bodies:
            groups[one.body] = groups_at(found, range(one.start, one.stop + 1), ())


def groups_at(
    groups: Sequence[schema.Group], starts: Sequence[int], calls: Collection[int]
) -> list[schema.Group]:
    """The groups of the eqns that begin at `starts`; `calls` has those that call a body. A group
    that is cut stays where most of its eqns are. No group contains a whole body."""
    found: list[schema.Group] = []
    number: dict[int, int] = {}
    around: dict[int | None, int | None] = {None: None}
    for at, group in enumerate(groups):
        first, end = bisect_left(starts, group.start), bisect_right(starts, group.stop) - 1
        parent = around[at] = around[group.parent]
        is_most = first < end and 2 * (starts[end] - starts[first]) > group.stop - group.start
        is_body = not calls and end - first == len(starts) - 1
        is_parent = parent is not None and (found[parent].start, found[parent].stop) == (first, end)
        if is_most and not is_body and not is_parent:
            around[at] = number[at] = len(found)
            found.append(replace(group, start=first, stop=end, parent=parent))
    return [
        replace(group, twin=None if group.twin is None else number.get(group.twin))
        for group in found
    ]


_NAMES = """
    argmax argmin average ball bernoulli beta binomial broadcast_arrays cauchy chisquare cho_solve
    cholesky conv diag dirichlet double_sided_maxwell eigh exponential f flip gamma
    generalized_normal geometric geomspace gumbel laplace linspace logistic lognormal logspace lu
    lu_solve maxwell mean moveaxis multivariate_normal nanargmax nanargmin normal one_hot orthogonal
    pad pareto piecewise pinv poisson power ptp qr rademacher randint rayleigh reduce_max reduce_min
    reduce_prod reduce_sum resize scaled_matmul schur solve solve_triangular sqrtm squeeze std svd t
    take triangular truncated_normal uniform var wald weibull_min where
"""
NAMESAKES = frozenset(_NAMES.split())
"""Public functions of JAX that call a private function of the same name, in 0.10.2 and 0.12.0. In
0.6.2, all except `ball`, `generalized_normal` and `orthogonal`."""


def with_public_names(stage: schema.Stage, lines: Mapping[TextPlace, str]) -> schema.Stage:
    """The jaxpr, in which each eqn that calls a private function of JAX has a public name."""
    graphs = list(stage.graphs)
    around = [""] * len(graphs)
    for index in outside_in(graphs):
        for at, eqn in enumerate(graphs[index].eqns):
            name = eqn.name
            if name.startswith("_") and eqn.bodies and is_jax(stage, eqn):
                name = public_name(stage, eqn, around[index], lines)
                if graphs[index].eqns is stage.graphs[index].eqns:
                    graphs[index] = replace(graphs[index], eqns=[*graphs[index].eqns])
                graphs[index].eqns[at] = replace(eqn, name=name)
                for body in eqn.bodies:
                    around[body.graph] = name
    return replace(stage, graphs=graphs)


def is_jax(stage: schema.Stage, eqn: schema.Eqn) -> bool:
    """True if an eqn calls a function of JAX, which records no frames of its own."""
    calls = {one.call for body in eqn.bodies for one in stage.graphs[body.graph].eqns}
    inside = {*chain.from_iterable(callers_of(stage.frames, call) for call in calls)}
    inside -= {*callers_of(stage.frames, eqn.call)}
    return all(stage.frames[at].function.rpartition(".")[2] != eqn.name for at in inside)


def public_name(
    stage: schema.Stage, eqn: schema.Eqn, around: str, lines: Mapping[TextPlace, str]
) -> str:
    """The public name of an eqn within the call `around`, which is empty in the user's
    functions."""
    plain = eqn.name.lstrip("_")
    namesake = plain if plain in NAMESAKES else ""
    if around:
        return namesake or around
    frame = None if eqn.call is None else stage.frames[eqn.call]
    called = called_name(frame, lines) if frame and not frame.library else ""
    return called or namesake or eqn.name
