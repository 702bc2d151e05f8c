"""Public names for the private functions of JAX that a program calls.

`jax.random.normal` calls `_normal`, which calls `_normal_real`: words that no reader wrote. Such an
eqn has the name of the function that the reader's line calls. Within it a function with a public
namesake has that name (`uniform`), and any other the name of the call around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.groups.graph_facts import TextPlace
from jaxviz.analysis.groups.library_calls import called_name
from jaxviz.analysis.groups.unrolled import way_to
from jaxviz.schema.graph import outside_in

WORDS = """
    argmax argmin average ball bernoulli beta binomial broadcast_arrays cauchy chisquare cho_solve
    cholesky conv diag dirichlet double_sided_maxwell eigh exponential f flip gamma
    generalized_normal geometric geomspace gumbel laplace linspace logistic lognormal logspace lu
    lu_solve maxwell mean moveaxis multivariate_normal nanargmax nanargmin normal one_hot orthogonal
    pad pareto piecewise pinv poisson power ptp qr rademacher randint rayleigh reduce_max reduce_min
    reduce_prod reduce_sum resize scaled_matmul schur solve solve_triangular sqrtm squeeze std svd t
    take triangular truncated_normal uniform var wald weibull_min where
"""
NAMESAKES = frozenset(WORDS.split())
"""Public functions of JAX that call a private function of the same name, on 0.10.2 and 0.12.0; on
0.6.2 all but `ball`, `generalized_normal` and `orthogonal`."""


def with_public_names(stage: schema.Stage, lines: Mapping[TextPlace, str]) -> schema.Stage:
    """The jaxpr in which each eqn that calls a private function of JAX has a public name."""
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
    """Whether an eqn calls a function of JAX: its frames alone are not recorded."""
    calls = {one.call for body in eqn.bodies for one in stage.graphs[body.graph].eqns}
    inside = {*chain.from_iterable(way_to(stage.frames, call) for call in calls)}
    inside -= {*way_to(stage.frames, eqn.call)}
    return all(stage.frames[at].function.rpartition(".")[2] != eqn.name for at in inside)


def public_name(
    stage: schema.Stage, eqn: schema.Eqn, around: str, lines: Mapping[TextPlace, str]
) -> str:
    """The name of an eqn within the call `around`, which is empty in the reader's own functions."""
    plain = eqn.name.lstrip("_")
    namesake = plain if plain in NAMESAKES else ""
    if around:
        return namesake or around
    frame = None if eqn.call is None else stage.frames[eqn.call]
    called = called_name(frame, lines) if frame and not frame.library else ""
    return called or namesake or eqn.name
