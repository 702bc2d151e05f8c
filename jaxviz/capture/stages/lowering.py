"""Makes each stage after the jaxpr when it is first requested."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, TypeVar

import jax
from jax.export import default_export_platform
from jax.extend.core import ClosedJaxpr, Jaxpr, jaxpr_as_fun
from jax.sharding import AbstractMesh, Mesh, NamedSharding
from msgspec.structs import replace

from jaxviz.capture._jax import (
    as_configured,
    configured,
    on_mesh,
    with_jaxpr,
    without_arguments,
)
from jaxviz.capture.changes import changed
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.jaxprs.clone import Clone, cloned, exchanged
from jaxviz.capture.jaxprs.constants import (
    RETAINED_BYTES,
    ConstantDigests,
    ConstantGoneError,
    alias_of,
    with_weak_constants,
)
from jaxviz.capture.jaxprs.walk import Walk, walk
from jaxviz.capture.stages.compiling import OnStep, RefusedError, compilation, milliseconds_since
from jaxviz.capture.stages.refusal import could_end_the_kernel, refusal, without
from jaxviz.capture.stages.taken_arguments import TakenArguments
from jaxviz.capture.weak import reference
from jaxviz.safety.files import NotWritableError
from jaxviz.schema import Stage
from jaxviz.schema.record import NOTHING
from jaxviz.sentences import sentence, sentence_of


def abstract_mesh_of(jaxpr: Jaxpr) -> AbstractMesh | None:
    """The largest `AbstractMesh` of a program's shard_maps, sharding constraints and types. JAX
    itself reads only the shardings of arguments and results.

    None if there is none with several devices, and for a program with a mesh of devices: on 0.6.2
    types within such a program have an `AbstractMesh`, too."""
    meshes = [*_meshes(jaxpr)]
    if any(isinstance(mesh, Mesh) for mesh in meshes):
        return None
    found = [mesh for mesh in meshes if isinstance(mesh, AbstractMesh) and mesh.size > 1]
    return max(found, key=lambda mesh: mesh.size, default=None)


def _meshes(root: Jaxpr) -> Iterator[Any]:
    for jaxpr in walk(root).jaxprs:
        yield from (_mesh_of(var.aval) for var in jaxpr.invars)
        for eqn in jaxpr.eqns:
            yield eqn.params.get("mesh")
            yield from map(_mesh_of_sharding, _shardings(eqn.params))
            yield from (_mesh_of(var.aval) for var in eqn.outvars)


def _shardings(params: dict[str, Any]) -> Iterator[Any]:
    for value in params.values():
        yield from value if isinstance(value, tuple | list) else (value,)


def _mesh_of(aval: Any) -> Any:
    """The mesh of a type with Explicit axes."""
    return _mesh_of_sharding(getattr(aval, "sharding", None))


def _mesh_of_sharding(sharding: Any) -> Any:
    return sharding.mesh if isinstance(sharding, NamedSharding) else None


@contextmanager
def warnings_repeated() -> Iterator[None]:
    """Lets JAX repeat the warnings of this context in the user's own call.

    Python shows a warning once for each place in the code, and stores these places in the modules.
    This context removes its new ones. Other threads may import modules meanwhile: `dict.copy` is
    atomic, a loop over the dict is not."""
    before = _warned_places()

    def forget() -> None:
        for module, warning in _warned_places() - before:
            sys.modules[module].__dict__["__warningregistry__"].pop(warning, None)

    with changed(lambda: None, forget):
        yield


def _warned_places() -> set[tuple[str, object]]:
    return {
        (name, warning)
        for name, module in sys.modules.copy().items()
        if name.startswith("jax.")
        for warning in [*getattr(module, "__dict__", {}).get("__warningregistry__", ())]
        if warning != "version"
    }


Made = TypeVar("Made")
Recompile = Callable[[Any, dict[str, Any], Stage, str], Made]
"""Compiles a `Lowered` with these settings, and returns what it reads from the result. In op names
the token precedes the numbers of the jaxpr's eqns."""

LATER_STAGES = ("stablehlo", "hlo")
_FEW_BYTES = 1 << 16  # bytes


class Later:
    """Makes the later stages of a captured call.

    Does not retain the call's arguments. Retains up to 16 MiB of the arrays that the function
    closes over, or all with `keep`.
    """

    def __init__(self, traced: Any, found: Walk, keep: bool, takes: TakenArguments) -> None:
        """`found` is the `walk` of the jaxpr of `traced`."""
        self.takes = takes
        self.settings = configured()
        self._program = _Program(traced, found, keep)
        self._lowering: _Lowering | None = None
        self.jaxpr = reference(traced.jaxpr.jaxpr)
        """A weak reference to JAX's own jaxpr."""
        self._platform = ""
        self._devices: int | None = None
        self.closed_over = self._program.closed_over
        """The bytes of the arrays that the function closes over."""
        self.retains_all = self._program.closed is traced.jaxpr
        walked = found if self.retains_all else walk(self._program.closed.jaxpr)
        self.constants = ConstantDigests(self._program.closed, walked)

    def set_target(self, platform: str | None, devices: int | None) -> None:
        """Sets the platform (`tpu`, `cuda`, `rocm`, `cpu`, or `gpu` for `cuda`), which this machine
        may lack, and the required number of devices. Raises CaptureError for any other platform,
        and for an invalid number of devices."""
        self._platform = platform_named(platform) if platform is not None else ""
        if devices is not None and (not isinstance(devices, int) or devices < 1):
            raise CaptureError(f"devices is a number of at least 1, not {devices!r}.")
        self._devices = devices

    def closed(self) -> ClosedJaxpr:
        """The program to run. Raises ConstantGoneError if an array no longer exists."""
        closed = self._program.closed
        return exchanged(closed, walk(closed.jaxpr), alias_of)

    def stage(self, kind: str, jaxpr: Stage, on_step: OnStep) -> Stage:
        """Makes the stage `kind`, `stablehlo` or `hlo`, of a program whose first stage is `jaxpr`.
        Raises ValueError for any other kind.

        `on_step` is called with each step that begins: `lowering`, `reading the module`,
        `compiling`, `reading the executable`. If JAX or XLA refuses the program, the stage's
        `error` is the reason. A KeyboardInterrupt ends this at once, and drops what XLA is
        compiling.
        """
        if kind not in LATER_STAGES:
            raise ValueError(
                f"there is no later stage {kind!r}: the later stages are {LATER_STAGES}."
            )
        make = self._stablehlo if kind == "stablehlo" else self._hlo
        try:
            return self._made(make, jaxpr, on_step)
        except RefusedError as error:
            return without(kind, sentence_of(error))

    def recompiled(self, compiled: Recompile[Made], jaxpr: Stage, on_step: OnStep) -> Made:
        """The result of `compiled` for the lowered program. `jaxpr` and `on_step` as in `stage`.
        Raises RefusedError if JAX or XLA refuses the program."""
        return self._made(partial(self._recompiled, compiled), jaxpr, on_step)

    def _made(self, make: Callable[[Stage, OnStep], Made], jaxpr: Stage, on_step: OnStep) -> Made:
        """The result of `make`, with all errors as RefusedError."""
        doing = "lowering"

        def begin(what: str) -> object:
            nonlocal doing
            doing = what
            return on_step(what)

        try:
            with as_configured(self.settings), warnings_repeated():
                return make(jaxpr, begin)
        except RefusedError:
            raise
        except (ConstantGoneError, NotWritableError) as error:
            raise RefusedError(sentence_of(error)) from error
        except Exception as error:
            raise RefusedError(refusal(doing, error, jaxpr, self._platform)) from error

    def _stablehlo(self, jaxpr: Stage, begin: OnStep) -> Stage:
        from jaxviz.capture.stages.stablehlo import stablehlo_stage

        lowering = self._lower(begin)
        begin("reading the module")
        token = lowering.clone.token
        notes = [*lowering.notes, *filter(None, [lowering.note])]
        stage = stablehlo_stage(lowering.lowered, jaxpr, token, lowering.took, notes)
        return stage if self._program.traced else _with_paths(stage, jaxpr)

    def _hlo(self, jaxpr: Stage, begin: OnStep) -> Stage:
        from jaxviz.capture.stages.hlo import hlo_stage

        lowering = self._lower_for_here(begin)
        devices = lowering.devices
        if self._devices not in (None, devices):
            other = "other count of devices" if devices > 1 else "one device"
            raise RefusedError(sentence(other, devices=devices, asked=self._devices))
        missing_devices = devices if lowering.lacks_devices else 0
        if missing_devices and lowering.platform != "cpu":
            lowering = _Lowering(self._program, "cpu")
        found = compilation(lowering.lowered, self.settings, jaxpr, begin, missing_devices)
        begin("reading the executable")
        notes = [*lowering.notes, sentence("compiled again"), *found.notes]
        took = lowering.took + found.took
        return hlo_stage(found.executable, jaxpr, lowering.clone.token, took, notes)

    def _recompiled(self, compiled: Recompile[Made], jaxpr: Stage, begin: OnStep) -> Made:
        lowering = self._lower_for_here(begin)
        danger = could_end_the_kernel(jaxpr)
        if lowering.lacks_devices:
            danger = sentence("passes without devices")
        if danger:
            raise RefusedError(danger)
        begin("compiling")
        return compiled(lowering.lowered, self.settings, jaxpr, lowering.clone.token)

    def _lower_for_here(self, begin: OnStep) -> _Lowering:
        lowering, here = self._lower(begin), default_export_platform()
        if lowering.platform != here:
            raise RefusedError(sentence("other platform", platform=lowering.platform, here=here))
        return lowering

    def _lower(self, begin: OnStep) -> _Lowering:
        """Lowers the program. The result has copies of the arrays that the program closes over. So
        it is stored for the next stage only if they are small."""
        if self._lowering is not None:
            return self._lowering
        begin("lowering")
        lowering = _Lowering(self._program, self._platform)
        if self._program.closed_over <= _FEW_BYTES:
            self._lowering = lowering
        return lowering


def _with_paths(stage: Stage, jaxpr: Stage) -> Stage:
    """The stage with the user's paths of the inputs. JAX, which had only the jaxpr, names them by
    their numbers: `args[0]`."""
    users, graph = jaxpr.graphs[0].args, stage.graphs[0]
    numbers = [re.fullmatch(r"args\[(\d+)\]", path) for path in graph.args]
    args = tuple(
        users[int(number[1])] if number else path
        for number, path in zip(numbers, graph.args, strict=True)
    )
    return replace(stage, graphs=[replace(graph, args=args), *stage.graphs[1:]])


class JaxprAlone(NamedTuple):
    """A jaxpr in place of a `Traced`, for a program with only a jaxpr."""

    jaxpr: ClosedJaxpr
    args_info: tuple[()] = ()


class _Program:
    """A traced call without its arguments."""

    def __init__(self, traced: Any, found: Walk, keep: bool) -> None:
        self.closed, self.closed_over = _retained(traced.jaxpr, found, keep)
        self.rebuilt = sentence("jaxpr alone" if isinstance(traced, JaxprAlone) else "lowered anew")
        self.traced = without_arguments(traced)
        if self.traced is not None and self.closed is not traced.jaxpr:
            self.traced = with_jaxpr(self.traced, self.closed)
        infos = jax.tree_util.tree_leaves(traced.args_info, is_leaf=_is_info)
        self.donated = tuple(i for i, info in enumerate(infos) if info.donated)

    def lower(self, closed: ClosedJaxpr, **options: Any) -> Any:
        """Lowers `closed`, a copy of the program, with the options of `Traced.lower`."""
        traced = self._traced(closed)
        mesh = abstract_mesh_of(closed.jaxpr)
        return (traced if mesh is None else on_mesh(traced, mesh)).lower(**options)

    def _traced(self, closed: ClosedJaxpr) -> Any:
        if self.traced is not None:
            return with_jaxpr(self.traced, closed)
        avals = [
            jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)
            for aval in closed.in_avals
        ]
        return jax.jit(jaxpr_as_fun(closed), donate_argnums=self.donated).trace(*avals)


def _retained(closed: ClosedJaxpr, found: Walk, keep: bool) -> tuple[ClosedJaxpr, int]:
    """`with_weak_constants`; the program itself if its closed-over arrays cannot be found."""
    try:
        return with_weak_constants(closed, found, keep)
    except Exception:
        return closed, RETAINED_BYTES


def _is_info(value: Any) -> bool:
    return hasattr(value, "donated")


class _Lowering:
    """The program with numbered eqns, lowered for a platform (empty for that of this process)."""

    def __init__(self, program: _Program, platform: str) -> None:
        self.clone: Clone = cloned(program.closed, alias_of)
        self.notes = [] if program.traced is not None else [program.rebuilt]
        self.note = NOTHING
        """The target, if this machine may lack it. The StableHLO stage has this note."""
        self.lacks_devices = False
        """True if this process does not have the devices of the program's mesh."""
        self.platform = platform or default_export_platform()
        started = time.perf_counter()
        self.lowered = self._lowered(program)
        self.took = milliseconds_since(started)

    def _lowered(self, program: _Program) -> Any:
        if self.platform == default_export_platform():
            try:
                return program.lower(self.clone.closed)
            except ValueError as error:
                if "lowering_platforms" not in str(error):
                    raise
            self.lacks_devices = True
        key = "lowered without devices" if self.lacks_devices else "lowered for asked"
        self.note = sentence(key, platform=self.platform)
        return program.lower(self.clone.closed, lowering_platforms=(self.platform,))

    @property
    def devices(self) -> int:
        """The number of devices of the lowered program."""
        attributes = self.lowered.compiler_ir("stablehlo").operation.attributes
        return int(attributes["mhlo.num_partitions"].value)


PLATFORMS = ("cpu", "cuda", "rocm", "tpu")


_OTHER_NAMES = {"gpu": "cuda"}


def platform_named(text: str) -> str:
    """JAX's name of a platform: `cuda` for `gpu`. Raises CaptureError for an unknown platform."""
    found = _OTHER_NAMES.get(text, text)
    if found not in PLATFORMS:
        raise CaptureError(
            f"there is no platform {text!r}: the platforms are {', '.join(PLATFORMS)}, and gpu, "
            "which is cuda."
        )
    return found
