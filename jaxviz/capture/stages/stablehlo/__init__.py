"""Makes the stage `stablehlo`: the module that JAX lowered the program to, as a record."""

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
"""Arrays with more elements than this are not printed by MLIR. Groups of devices, which are to be
seen, have fewer."""


def stablehlo_stage(
    lowered: Any, jaxpr: Stage, token: str, took: int, notes: list[Sentence]
) -> Stage:
    """The stage of a `jax.stages.Lowered`.

    Its locations contain `token` before the number of each eqn of `jaxpr` that an op was made for.
    `took` is how many milliseconds JAX took to lower it. Raises what MLIR's bindings raise.
    """
    stage = stage_of(lowered.compiler_ir("stablehlo"), jaxpr, token)
    return replace(stage, took=took, notes=notes)


def stage_of(module: Any, jaxpr: Stage, token: str) -> Stage:
    """The stage of an `ir.Module`, whose locations contain `token` as for `stablehlo_stage`. A
    `jaxpr` without graphs is one that is not known."""
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
