"""Makes programs from JAX's own objects: a `ClosedJaxpr`, `Traced`, `Lowered`, `Compiled` or
`jax.export.Exported`.

A `Lowered` does not lead back to its jaxpr, nor a `Compiled` to its StableHLO. So a program may
begin with a later stage. A stage that cannot be made has no graphs, and its `error` says why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn, TypeAlias

import jax
from jax.extend.core import ClosedJaxpr
from jax.stages import Compiled, Lowered, Traced

from jaxviz.capture._jax import configured
from jaxviz.capture.artifacts.symbolic_sizes import with_sizes
from jaxviz.capture.calls.flax_nnx import users_paths
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.jaxprs.jaxpr import debug_paths
from jaxviz.capture.jaxprs.walk import walk
from jaxviz.capture.shown.strings import name
from jaxviz.capture.stages._modules import executable_module, printed, recompilable
from jaxviz.capture.stages.compiling import OnStep, RefusedError, compilation
from jaxviz.capture.stages.hlo import hlo_stage
from jaxviz.capture.stages.hlo.executable import executable_of
from jaxviz.capture.stages.lowering import JaxprAlone, Later, Recompile, warnings_repeated
from jaxviz.capture.stages.refusal import refusal, without
from jaxviz.capture.stages.stablehlo import stage_of
from jaxviz.capture.stages.stablehlo.operations import op_count, parsed
from jaxviz.capture.stages.stablehlo.origins import number_ops
from jaxviz.capture.stages.taken_arguments import in_order
from jaxviz.capture.tracing.trace import Captured, captured, filled, program_head
from jaxviz.schema import VERSION, Leaf, Program, Stage
from jaxviz.sentences import sentence, sentence_of

NO_TOKEN = "\0"
"""A token that is in no name: the user's own modules have no numbers of eqns."""


class LaterOfLowered:
    """Compiles a `Lowered` when its optimized HLO is first needed."""

    closed_over = 0

    def __init__(self, lowered: Lowered) -> None:
        self._lowered = lowered
        self._settings = configured()

    def stage(self, kind: str, stablehlo: Stage, on_step: OnStep) -> Stage:
        """Like `Later.stage`, by the numbers of StableHLO's ops: only `hlo` can be made."""
        if kind != "hlo":
            return unavailable(kind, "Lowered")
        doing, token = "compiling", NO_TOKEN

        def begin(what: str) -> object:
            nonlocal doing
            doing = what
            return on_step(what)

        def number(module: Any) -> None:
            nonlocal token
            token = number_ops(module)

        try:
            with warnings_repeated():
                lowered = recompilable(self._lowered, number)
                found = compilation(lowered, self._settings, stablehlo, begin)
                begin("reading the executable")
                notes = [sentence("compiled for this view"), *found.notes]
                return hlo_stage(found.executable, stablehlo, token, found.took, notes)
        except RefusedError as error:
            return without("hlo", sentence_of(error))
        except Exception as error:
            return without("hlo", refusal(doing, error))

    def recompiled(self, compiled: Recompile[Any], stablehlo: Stage, on_step: OnStep) -> NoReturn:
        """Like `Later.recompiled`; always refused, since a `Lowered` does not lead back to eqns."""
        raise RefusedError(sentence("passes of a Lowered"))


LaterStages: TypeAlias = Later | LaterOfLowered


class ArtifactProgram(NamedTuple):
    """The program of a JAX object, and the source of its later stages."""

    program: Program
    later: LaterStages | None
    """None if no other stage can be made."""


def captured_object(value: Any, kind: str, keep: bool) -> Captured | ArtifactProgram:
    """The program of a JAX object of the class `kind`, and the source of its later stages. `keep`
    is as for `capture`. Raises CaptureError, with one sentence, if the object cannot be read."""
    if isinstance(value, Traced | ClosedJaxpr):
        return _of_jaxpr(value, keep)
    try:
        with warnings_repeated():
            return _MAKERS[kind](value)
    except Exception as error:
        doing = "reading the executable" if kind == "Compiled" else "reading the module"
        raise CaptureError(refusal(doing, error)) from error


def eqn_count(value: Any, kind: str) -> tuple[str, int]:
    """The first stage of a JAX object of the class `kind`, and its number of eqns. Counting takes
    about a hundredth of the time of `captured_object`."""
    match kind:
        case "Lowered":
            return "stablehlo", op_count(value.compiler_ir("stablehlo"))
        case "Exported":
            return "stablehlo", op_count(parsed(value.mlir_module()))
        case "Compiled":
            return "hlo", printed(executable_module(value)).count(" = ")
        case _:
            closed: ClosedJaxpr = value.jaxpr if isinstance(value, Traced) else value
            return "jaxpr", sum(len(one.eqns) for one in walk(closed.jaxpr).jaxprs)


def _of_jaxpr(value: Any, keep: bool) -> Captured:
    """The program of a `Traced` or a `ClosedJaxpr`, from which all stages can be made."""
    traced = JaxprAlone(value) if isinstance(value, ClosedJaxpr) else value
    closed: ClosedJaxpr = traced.jaxpr
    inputs, outputs = debug_paths(closed.jaxpr)
    if isinstance(value, Traced):
        inputs, outputs = users_paths(traced, [], inputs, outputs)
    inputs = filled(inputs, traced.args_info, "args")
    outputs = filled(outputs, getattr(traced, "out_info", ()), "result")
    debug = str(getattr(getattr(closed.jaxpr, "debug_info", None), "func_src_info", ""))
    title = name(getattr(traced, "fun_name", "") or debug.partition(" at ")[0] or "jaxpr")
    head, of = program_head(closed, title, inputs, outputs, [])
    return captured(head, of, None, Later(traced, of.found, keep, in_order(inputs)))


def _of_lowered(lowered: Lowered) -> ArtifactProgram:
    jaxpr = unavailable("jaxpr", "Lowered")
    module = lowered.compiler_ir("stablehlo")
    stage = stage_of(module, jaxpr, NO_TOKEN)
    title = name(symbol_of(module).removeprefix("jit_"))
    program = program_without_jaxpr(title, [jaxpr, stage])
    return ArtifactProgram(program, LaterOfLowered(lowered))


def _of_exported(exported: Any) -> ArtifactProgram:
    jaxpr = unavailable("jaxpr", "Exported")
    stage = stage_of(parsed(exported.mlir_module()), jaxpr, NO_TOKEN)
    shapes = [[aval.shape for aval in side] for side in (exported.in_avals, exported.out_avals)]
    stage = with_sizes(stage, *shapes)
    stages = [jaxpr, stage, without("hlo", sentence("never, compiled where called"))]
    return ArtifactProgram(program_without_jaxpr(name(exported.fun_name), stages), None)


def _of_compiled(compiled: Compiled) -> ArtifactProgram:
    jaxpr, stablehlo = unavailable("jaxpr", "Compiled"), unavailable("stablehlo", "Compiled")
    stage = hlo_stage(executable_of(compiled), jaxpr, NO_TOKEN, None, [])
    title = name(executable_module(compiled).name.removeprefix("jit_"))
    return ArtifactProgram(program_without_jaxpr(title, [jaxpr, stablehlo, stage]), None)


_MAKERS: dict[str, Callable[[Any], ArtifactProgram]] = {
    "Lowered": _of_lowered,
    "Exported": _of_exported,
    "Compiled": _of_compiled,
}


def unavailable(stage: str, kind: str) -> Stage:
    """A stage that an object of this class does not lead to."""
    article = "an" if kind == "Exported" else "a"
    return without(stage, sentence(f"never, of {article} {kind}"))


def symbol_of(module: Any) -> str:
    """The name of an `ir.Module`: `jit_loss`; empty if it has none."""
    attributes = module.operation.attributes
    return attributes["sym_name"].value if "sym_name" in attributes else ""


def program_without_jaxpr(title: str, stages: list[Stage]) -> Program:
    """The program of these stages, with the arguments and results of the first one without
    error."""
    first = next(stage for stage in stages if stage.error is None)
    graph = first.graphs[0]
    return Program(
        version=VERSION,
        jax=jax.__version__,
        name=title,
        args=_leaves(first, graph.invars, graph.args, "args"),
        fixed=[],
        results=_leaves(first, graph.outvars, graph.results, "result"),
        listings=[],
        stages=stages,
        compared=None,
        findings=[],
    )


def _leaves(
    stage: Stage, variables: tuple[int, ...], paths: tuple[str, ...], root: str
) -> list[Leaf]:
    values = stage.graphs[0].vars
    return [
        Leaf(path=path or f"{root}[{i}]", aval=stage.avals[values[var].aval])
        for i, (var, path) in enumerate(zip(variables, paths, strict=True))
    ]
