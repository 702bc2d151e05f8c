"""Links: the eqn of the jaxpr that each eqn of a later stage was made for.

JAX and XLA name most origins (`Eqn.origin`, read in `capture/`). `known_origins` removes wrong
ones, and `guesses` adds those that are certain enough without a name. Eqns of the jaxpr have
numbers, from 0 through all graphs in their order (`jaxpr_eqns`). A program that JAX lowered already
has no jaxpr: its StableHLO takes that place.
"""

from __future__ import annotations

from jaxviz import schema
from jaxviz.analysis.links.guesses import with_guesses
from jaxviz.analysis.links.jaxpr_eqns import JaxprEqns
from jaxviz.analysis.links.known_origins import without_wrong_origins


def guessed(stage: schema.Stage, jaxpr: schema.Stage | None) -> schema.Stage:
    """The stage with guesses for some eqns of unknown origin: `guesses` says for which. The jaxpr
    itself, and a stage with an error, is returned unchanged. Takes time linear in the eqns of both
    stages."""
    if stage.kind == "jaxpr" or jaxpr is None or stage.error or jaxpr.error:
        return stage
    eqns = JaxprEqns(jaxpr)
    if stage.kind == "hlo":
        stage = without_wrong_origins(stage, eqns)
    return with_guesses(stage, eqns)
