"""What became of each eqn of the jaxpr, and what each later eqn was made from.

Eqns of the jaxpr go by their number: counted from 0 through all its graphs in their order. JAX
and XLA say most of it (`Eqn.origin`); here what they say wrongly is taken away, and what is
certain enough without them is added as a guess.
"""

from __future__ import annotations

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.links.doubts import without_copied
from jaxviz.analysis.links.guesses import Guesses
from jaxviz.analysis.links.holders import origins_around
from jaxviz.analysis.links.made import Made


def guessed(stage: schema.Stage, jaxpr: schema.Stage | None) -> schema.Stage:
    """The stage with a guess for some eqns whose origin is not known: `guesses.py` says for which.
    Linear in the eqns of both."""
    if stage.kind == "jaxpr" or jaxpr is None or stage.error is not None:
        return stage
    made = Made(jaxpr)
    if stage.kind == "hlo":
        stage = replace(stage, graphs=[without_copied(graph, made) for graph in stage.graphs])
    around = origins_around(stage)
    graphs = [
        Guesses(graph, stage.avals, made, around.get(number)).graph()
        for number, graph in enumerate(stage.graphs)
    ]
    return replace(stage, graphs=graphs)
