"""Compiles what was lowered: in the kernel, or in another interpreter where that could end it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from jaxviz.capture._jax import NO_CACHE, as_configured
from jaxviz.capture.stages._modules import Asked, asked_for_cpus, asked_of_xla, compiled_as_asked
from jaxviz.capture.stages.hlo.executable import Executable, executable_of
from jaxviz.capture.stages.other_interpreter import answer_of
from jaxviz.capture.stages.refusal import ELSEWHERE, could_end_the_kernel, would_never_end
from jaxviz.safety.background import waited
from jaxviz.schema import Sentence, Stage
from jaxviz.schema.record import literal
from jaxviz.sentences import sentence

Tell = Callable[[str], object]
"""Called with each step that begins. It returns False where nobody waits for the result."""

COMPILING_ELSEWHERE = f"compiling{ELSEWHERE}"
LONGEST_COMPILING = 600
"""After so many seconds another process is ended."""


class RefusedError(Exception):
    """What is not compiled; raised with the sentence that says why."""


class Compilation(NamedTuple):
    """What XLA made of a program."""

    made: Executable
    took: int
    """Milliseconds of compiling. Where another process compiled it, with that one's start and with
    giving out the text."""
    notes: list[Sentence]


def compilation(
    lowered: Any, settings: dict[str, Any], stage: Stage, tell: Tell, absent: int = 0
) -> Compilation:
    """What XLA makes of a `Lowered`, of which `stage` is the StableHLO or the jaxpr. It is compiled
    with these settings, which JAX keeps for each thread, and neither from nor for the persistent
    cache. The waiting can be interrupted. `absent` is how many devices it is for, where these are
    not here: then another interpreter compiles it for as many of the CPU.

    Raises RefusedError for what could end the kernel and is not compiled elsewhere, NobodyWaits,
    and what compiling raises."""
    refusal = would_never_end(stage)
    danger = refusal or could_end_the_kernel(stage)
    settings = {**settings, **NO_CACHE}
    asked = None
    if absent and not refusal:
        asked = _asked_for_cpus(lowered, settings, absent)
    elif danger is not None:
        with as_configured(settings):
            asked = None if refusal else asked_of_xla(lowered)
        if asked is None:
            raise RefusedError(danger)
    tell("compiling" if asked is None else COMPILING_ELSEWHERE)
    if asked is None:
        made, took = waited(lambda: _compiled(lowered, settings))
    else:
        started = time.perf_counter()
        made, took = _made_elsewhere(asked, tell), since(started)
    if asked is None:
        return Compilation(made, took, [])
    for_cpus = sentence("compiled for CPUs", devices=absent)
    return Compilation(made, took, [for_cpus if absent else sentence("compiled elsewhere")])


def _asked_for_cpus(lowered: Any, settings: dict[str, Any], devices: int) -> Asked:
    try:
        with as_configured(settings):
            return asked_for_cpus(lowered, devices)
    except (AttributeError, KeyError):
        reason = sentence("no request to XLA")
    except ValueError as error:
        reason = literal(str(error))
    raise RefusedError(sentence("not for CPUs", reason=reason))


def _compiled(lowered: Any, settings: dict[str, Any]) -> tuple[Executable, int]:
    with as_configured(settings):
        started = time.perf_counter()
        compiled = lowered.compile()
        took = since(started)
        return executable_of(compiled), took


def since(started: float) -> int:
    """How many milliseconds have passed on the clock of `time.perf_counter`."""
    return round(1000 * (time.perf_counter() - started))


def _made_elsewhere(asked: Asked, tell: Tell) -> Executable:
    answer = answer_of(
        "compile",
        msgspec.msgpack.encode(asked),
        LONGEST_COMPILING,
        lambda: tell(COMPILING_ELSEWHERE) is not False,
        max(asked.devices) + 1,
    )
    return msgspec.msgpack.decode(answer, type=Executable)


def compiled_here(request: bytes) -> bytes:
    """The `Executable` of what was `Asked`; both are encoded. The other interpreter runs this."""
    asked = msgspec.msgpack.decode(request, type=Asked)
    return msgspec.msgpack.encode(executable_of(compiled_as_asked(asked)))
