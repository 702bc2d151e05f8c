"""Makes the stage `stablehlo`: the record of the module to which JAX lowered the program.

`operations.py` reads the module, `origins.py` finds the eqns of its ops, and `graphs.py` makes the
graphs. `attributes.py` reads params and shardings.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from jaxviz.capture.shown.strings import plain
from jaxviz.capture.stages.stablehlo.attributes import elided, meshes_of
from jaxviz.capture.stages.stablehlo.graphs import Builder
from jaxviz.capture.stages.stablehlo.operations import PrintedLines, functions_of
from jaxviz.capture.stages.stablehlo.origins import Origins
from jaxviz.schema import Sentence, Stage, empty

_PRINTED = 512
"""MLIR does not print arrays with more elements. Groups of devices have fewer, and are printed."""


def stablehlo_stage(
    lowered: Any, jaxpr: Stage, token: str, took: int, notes: list[Sentence]
) -> Stage:
    """The stage of a `jax.stages.Lowered`.

    Its locations contain `token` before the number of each eqn of `jaxpr` that an op was made for.
    `took` is the milliseconds of lowering. Raises errors of MLIR's bindings.
    """
    stage = stage_of(lowered.compiler_ir("stablehlo"), jaxpr, token)
    return replace(stage, took=took, notes=notes)


def stage_of(module: Any, jaxpr: Stage, token: str) -> Stage:
    """The stage of an `ir.Module`, whose locations contain `token` as in `stablehlo_stage`. An
    unknown `jaxpr` has no graphs."""
    module = module.operation
    text = plain(elided(module.get_asm(large_elements_limit=_PRINTED)))
    functions = functions_of(module, PrintedLines(text))
    if not functions:
        raise ValueError("it has no function")
    origins = Origins(functions, jaxpr, token)
    builder = Builder(functions, origins, meshes_of(module))
    return empty(
        Stage,
        kind="stablehlo",
        graphs=builder.graphs(jaxpr.graphs[0] if jaxpr.graphs else None),
        avals=builder.avals.records,
        frames=jaxpr.frames,
        scopes=origins.scopes,
        text=text,
    )
