"""Makes the stages after the jaxpr, each when it is first asked for."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from threading import Thread
from typing import Any, NamedTuple, TypeVar

import jax
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun
from msgspec.structs import replace

from jaxviz.capture._jax import (
    NO_CACHE,
    as_configured,
    configured,
    with_jaxpr,
    without_arguments,
)
from jaxviz.capture.clone import Clone, cloned
from jaxviz.capture.constants import BYTES_KEPT, ConstantGoneError, alias_of, with_weak_constants
from jaxviz.capture.refusal import could_end_the_kernel, refusal, without
from jaxviz.capture.walk import Walk
from jaxviz.schema import Stage

T = TypeVar("T")

LATER_STAGES = ("stablehlo", "hlo")
_FEW_BYTES = 1 << 16  # bytes
_SECONDS_TO_LISTEN = 0.2  # seconds after which Windows, too, hears an interrupt


class Later:
    """Makes the later stages of a captured call, from what it keeps of the call.

    It never holds the call's arguments. Of the arrays that the function closes over it holds up to
    16 MiB, or all with `keep`.
    """

    def __init__(self, traced: Any, found: Walk, keep: bool) -> None:
        """`found` is the `walk` of the jaxpr of `traced`."""
        self._settings = configured()
        self._program = _Program(traced, found, keep)
        self._lowering: _Lowering | None = None
        self.keeps_all = self._program.closed is traced.jaxpr

    def stage(self, kind: str, jaxpr: Stage, tell: Callable[[str], None]) -> Stage:
        """Makes the stage `kind`, `stablehlo` or `hlo`, of a program whose first stage is `jaxpr`.
        Raises ValueError for any other kind.

        `tell` is called with each step that begins: `lowering`, `reading the module`, `compiling`,
        `reading the executable`. Where JAX or XLA refuses the program, the stage's `error` says
        why. A KeyboardInterrupt ends this at once, and what XLA compiles meanwhile is dropped.
        """
        if kind not in LATER_STAGES:
            raise ValueError(
                f"there is no later stage {kind!r}: the later stages are {LATER_STAGES}."
            )
        doing = "lowering"

        def begin(what: str) -> None:
            nonlocal doing
            doing = what
            tell(what)

        try:
            with as_configured(self._settings), warnings_repeated():
                make = self._stablehlo if kind == "stablehlo" else self._hlo
                return make(jaxpr, begin)
        except ConstantGoneError as error:
            return without(kind, str(error))
        except Exception as error:
            return without(kind, refusal(doing, error))

    def _stablehlo(self, jaxpr: Stage, begin: Callable[[str], None]) -> Stage:
        from jaxviz.capture.stablehlo import stablehlo_stage

        lowering = self._lower(begin)
        begin("reading the module")
        token = lowering.clone.token
        stage = stablehlo_stage(lowering.lowered, jaxpr, token, lowering.took, lowering.notes)
        return stage if self._program.traced else _with_paths(stage, jaxpr)

    def _hlo(self, jaxpr: Stage, begin: Callable[[str], None]) -> Stage:
        from jaxviz.capture.hlo import CLONE, hlo_stage

        reason = could_end_the_kernel(jaxpr)
        if reason is not None:
            return without("hlo", reason)
        lowering = self._lower(begin)
        begin("compiling")
        compiled, took = compiled_apart(lowering.lowered, self._settings)
        begin("reading the executable")
        notes = [*lowering.notes, CLONE]
        token = lowering.clone.token
        return hlo_stage(compiled, jaxpr, token, lowering.took + took, notes)

    def _lower(self, begin: Callable[[str], None]) -> _Lowering:
        """Lowers the program. The result has copies of the arrays that the program closes over, so
        it is kept for the next stage only where these are small."""
        if self._lowering is not None:
            return self._lowering
        begin("lowering")
        lowering = _Lowering(self._program)
        if self._program.closed_over <= _FEW_BYTES:
            self._lowering = lowering
        return lowering


def compiled_apart(lowered: Any, settings: dict[str, Any]) -> tuple[Any, int]:
    """The executable of a `Lowered`, and the milliseconds that it took. It is compiled with these
    settings, which JAX keeps for each thread, and neither from nor for the persistent cache. The
    waiting can be interrupted."""

    def compiled() -> Any:
        with as_configured({**settings, **NO_CACHE}):
            return lowered.compile()

    started = time.perf_counter()
    return _waited(compiled), _since(started)


def _with_paths(stage: Stage, jaxpr: Stage) -> Stage:
    """The stage with the inputs' own paths where JAX, which had only the jaxpr, names them by their
    numbers: `args[0]`."""
    known, graph = jaxpr.graphs[0].args, stage.graphs[0]
    numbers = [re.fullmatch(r"args\[(\d+)\]", path) for path in graph.args]
    args = [
        known[int(number[1])] if number else path
        for number, path in zip(numbers, graph.args, strict=True)
    ]
    return replace(stage, graphs=[replace(graph, args=args), *stage.graphs[1:]])


class JaxprAlone(NamedTuple):
    """A jaxpr in place of a `Traced`, where there is no more."""

    jaxpr: ClosedJaxpr
    args_info: tuple[()] = ()


class _Program:
    """A traced call without its arguments."""

    def __init__(self, traced: Any, found: Walk, keep: bool) -> None:
        self.closed, self.closed_over = _held(traced.jaxpr, found, keep)
        self.rebuilt = _JAXPR_ALONE if isinstance(traced, JaxprAlone) else _REBUILT
        self.traced = without_arguments(traced)
        if self.traced is not None and self.closed is not traced.jaxpr:
            self.traced = with_jaxpr(self.traced, self.closed)
        infos = jax.tree_util.tree_leaves(traced.args_info, is_leaf=_is_info)
        self.donated = tuple(i for i, info in enumerate(infos) if info.donated)

    def lower(self, closed: ClosedJaxpr) -> Any:
        """Lowers `closed` as if it were the program."""
        if self.traced is not None:
            return with_jaxpr(self.traced, closed).lower()
        avals = [
            jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)
            for aval in closed.in_avals
        ]
        return jax.jit(jaxpr_as_fun(closed), donate_argnums=self.donated).lower(*avals)


def _held(closed: ClosedJaxpr, found: Walk, keep: bool) -> tuple[ClosedJaxpr, int]:
    """As `with_weak_constants`; the program itself if what it closes over cannot be found."""
    try:
        return with_weak_constants(closed, found, keep)
    except Exception:
        return closed, BYTES_KEPT


def _is_info(value: Any) -> bool:
    return hasattr(value, "donated")


class _Lowering:
    """The program, lowered with its eqns numbered."""

    def __init__(self, program: _Program) -> None:
        self.clone: Clone = cloned(program.closed, alias_of)
        started = time.perf_counter()
        self.lowered = program.lower(self.clone.closed)
        self.took = _since(started)
        self.notes = [] if program.traced is not None else [program.rebuilt]


_REBUILT = (
    "This version of JAX does not let jaxviz number the eqns of a traced call: the program was "
    "traced and lowered anew from its jaxpr, without the shardings and layouts of the call."
)
_JAXPR_ALONE = (
    "This was lowered from its jaxpr alone, which does not say the shardings, layouts and donated "
    "arguments of a call."
)


def _since(started: float) -> int:
    return round(1000 * (time.perf_counter() - started))


def _waited(work: Callable[[], T]) -> T:
    """Runs `work` in another thread, so that this one can be interrupted. Returns or raises what it
    does."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, name="jaxviz compiles", daemon=True).start()
    while not wait([future], _SECONDS_TO_LISTEN).done:
        pass
    return future.result()


@contextmanager
def warnings_repeated() -> Iterator[None]:
    """Lets JAX give warnings again in the user's own call that it gave while the context lasts.

    Python shows a warning only once for each place that it comes from, and remembers these places
    in the modules. Here the new ones are forgotten again. Other threads may import modules
    meanwhile: `dict.copy` is one step for them, a loop over the dict is not."""
    before = _warned_places()
    try:
        yield
    finally:
        for module, warning in _warned_places() - before:
            sys.modules[module].__dict__["__warningregistry__"].pop(warning, None)


def _warned_places() -> set[tuple[str, object]]:
    return {
        (name, warning)
        for name, module in sys.modules.copy().items()
        if name.startswith("jax.")
        for warning in [*getattr(module, "__dict__", {}).get("__warningregistry__", ())]
        if warning != "version"
    }
