"""Which eqn of the jaxpr each eqn of a later stage was made for.

JAX and XLA say most of it (`Eqn.origin`, read in `capture/`). Here what they say wrongly is taken
away (`known_origins`), and what is certain enough without them is added as a guess (`guesses`).
Eqns of the jaxpr go by their number, from 0 through all its graphs in their order (`jaxpr_eqns`).
Of what JAX lowered already the jaxpr is not known: there the StableHLO stands in its place.
"""

from __future__ import annotations

from jaxviz import schema
from jaxviz.analysis.links.guesses import with_guesses
from jaxviz.analysis.links.jaxpr_eqns import JaxprEqns
from jaxviz.analysis.links.known_origins import without_wrong_origins


def guessed(stage: schema.Stage, jaxpr: schema.Stage | None) -> schema.Stage:
    """The stage with a guess for some eqns whose origin is not known: `guesses` says for which.
    As it is where it is the jaxpr itself, and where either has an error. Linear in the eqns of
    both."""
    if stage.kind == "jaxpr" or jaxpr is None or stage.error or jaxpr.error:
        return stage
    eqns = JaxprEqns(jaxpr)
    if stage.kind == "hlo":
        stage = without_wrong_origins(stage, eqns)
    return with_guesses(stage, eqns)
