"""Compiles a lowered program in the kernel, or in another interpreter if XLA could end the
kernel."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from jaxviz.capture._jax import NO_CACHE, as_configured
from jaxviz.capture.stages._modules import (
    CompileRequest,
    compile_request,
    compile_requested,
    request_for_cpus,
)
from jaxviz.capture.stages.hlo.executable import Executable, executable_of
from jaxviz.capture.stages.other_interpreter import answer_of
from jaxviz.capture.stages.refusal import ELSEWHERE, could_end_the_kernel, would_never_end
from jaxviz.safety.background import result_of
from jaxviz.schema import Sentence, Stage
from jaxviz.schema.record import literal
from jaxviz.sentences import sentence

OnStep = Callable[[str], object]
"""Called with each step that begins. It returns False if nobody waits for the result."""

COMPILING_ELSEWHERE = f"compiling{ELSEWHERE}"
LONGEST_COMPILING = 600
"""Another process is ended after this many seconds."""


class RefusedError(Exception):
    """A stage cannot be made. The message is the reason, a whole sentence."""


class Compilation(NamedTuple):
    """A compiled program."""

    executable: Executable
    took: int
    """Milliseconds of compiling. For another process, includes its start and printing the text."""
    notes: list[Sentence]


def compilation(
    lowered: Any, settings: dict[str, Any], stage: Stage, on_step: OnStep, missing_devices: int = 0
) -> Compilation:
    """Compiles a `Lowered` whose StableHLO or jaxpr is `stage`, and does not use the persistent
    cache. `settings` are those of JAX for the thread. The user can interrupt the waiting.

    `missing_devices` is the number of devices of a mesh that this process does not have, or 0. For
    such a mesh another interpreter compiles the program for this number of CPU devices.

    Raises RefusedError for a program that could end the kernel and that cannot be compiled in
    another process, NobodyWaits, and the errors of JAX and XLA."""
    refusal = would_never_end(stage)
    danger = refusal or could_end_the_kernel(stage)
    settings = {**settings, **NO_CACHE}
    request = None
    if missing_devices and not refusal:
        request = _request_for_cpus(lowered, settings, missing_devices)
    elif danger is not None:
        with as_configured(settings):
            request = None if refusal else compile_request(lowered)
        if request is None:
            raise RefusedError(danger)
    if request is None:
        on_step("compiling")
        return Compilation(*result_of(lambda: _compiled(lowered, settings)), [])
    on_step(COMPILING_ELSEWHERE)
    started = time.perf_counter()
    executable = _compiled_elsewhere(request, on_step)
    took = milliseconds_since(started)
    note = sentence("compiled elsewhere")
    if missing_devices:
        note = sentence("compiled for CPUs", devices=missing_devices)
    return Compilation(executable, took, [note])


def _request_for_cpus(lowered: Any, settings: dict[str, Any], devices: int) -> CompileRequest:
    try:
        with as_configured(settings):
            return request_for_cpus(lowered, devices)
    except (AttributeError, KeyError):
        reason = sentence("no request to XLA")
    except ValueError as error:
        reason = literal(str(error))
    raise RefusedError(sentence("not for CPUs", reason=reason))


def _compiled(lowered: Any, settings: dict[str, Any]) -> tuple[Executable, int]:
    with as_configured(settings):
        started = time.perf_counter()
        compiled = lowered.compile()
        took = milliseconds_since(started)
        return executable_of(compiled), took


def milliseconds_since(started: float) -> int:
    """The milliseconds since `started`, a time of `time.perf_counter`."""
    return round(1000 * (time.perf_counter() - started))


def _compiled_elsewhere(request: CompileRequest, on_step: OnStep) -> Executable:
    answer = answer_of(
        "compile",
        msgspec.msgpack.encode(request),
        LONGEST_COMPILING,
        lambda: on_step(COMPILING_ELSEWHERE) is not False,
        max(request.devices) + 1,
    )
    return msgspec.msgpack.decode(answer, type=Executable)


def answer_compile(request: bytes) -> bytes:
    """The encoded `Executable` for an encoded request. The other interpreter runs this."""
    decoded = msgspec.msgpack.decode(request, type=CompileRequest)
    return msgspec.msgpack.encode(executable_of(compile_requested(decoded)))
