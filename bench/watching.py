"""Times what watching costs: a cached call, a miss, and a flood of them.

    python bench/watching.py [quick]

`quick` leaves out all but cached calls, and misses with ten leaves.

With and without watching in turn, in one process; a miss is a retrace for another static value:
`trace` of its trace alone, `whole` with lowering, compilation and the run, `read` of the log
afterwards. The flood is 10,000
traces of one function, of another shape each, in a process of its own. Prints JSON: ns of a cached
call and µs of a miss, of the processor; seconds of the flood and MB that we hold after it.
"""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

import jaxviz
from jaxviz.capture.events.hits import SECONDS_OF_DESCRIBING
from jaxviz.session import Log, session

CALLS = 1_000
FIRST_CALLS = 200
"""Calls before those that are timed: to begin to watch takes what they need from the processor's
caches."""
CALL_ROUNDS = 400
COUNTED_ROUNDS = 60
MISSES = 20
MISS_ROUNDS = 20
WHOLE_MISSES = 2
WHOLE_ROUNDS = 8
LEAVES = [1, 10, 100]
FLOOD = 10_000

Context = Callable[[], AbstractContextManager[Any]]
Result = dict[str, Any]


def main() -> None:
    print(
        json.dumps(
            quick(LEAVES) | {"flood": {name: flooded(name) for name in ("alone", "watched")}}
        )
    )


def quick(leaves: list[int]) -> Result:
    return {"call": cached_calls(), "miss": {n: misses(n) for n in leaves}}


@contextmanager
def counting(begin: Callable[[], None] = lambda: None) -> Any:
    """Watching that counts cached calls too, once `begin` has made some."""
    log = Log(hits=True)
    session.open(log)
    try:
        begin()
        yield log
    finally:
        session.close(log)


def cached_calls() -> Result:
    """ns of a call that JAX's caches know: of the first ones, which are described, and of later
    ones, which are counted alone."""
    fun = jax.jit(lambda x: x)
    x = jnp.ones(3)
    fun(x)

    def calls(times: int = CALLS) -> None:
        for _ in range(times):
            fun(x)

    def measure() -> float:
        calls(FIRST_CALLS)
        return timed(calls) / CALLS * 1e9

    def described() -> None:
        until = time.perf_counter() + 2 * SECONDS_OF_DESCRIBING
        while time.perf_counter() < until:
            fun(x)

    plain: dict[str, Context] = {"alone": nullcontext, "watched": jaxviz.watch}
    counted: dict[str, Context] = {"described": counting, "hits": lambda: counting(described)}
    found = in_turn(plain, measure, CALL_ROUNDS)
    return found | in_turn(counted, measure, COUNTED_ROUNDS)


def misses(leaves: int) -> Result:
    """µs of a call that is traced again for another static value. Each round has a function of its
    own, since JAX's cache of one grows slower with each value."""
    xs = [jnp.ones(3) for _ in range(leaves)]

    def measure(call: Callable[[Any, int], None], times: int) -> float:
        fun = jax.jit(lambda xs, n: xs[0] + n, static_argnums=1)
        call(fun, -1)

        def calls() -> None:
            for n in range(times):
                call(fun, n)

        return timed(calls) / times * 1e6

    def traced(fun: Any, n: int) -> None:
        fun.trace(xs, n)

    def whole(fun: Any, n: int) -> None:
        fun(xs, n).block_until_ready()

    contexts: dict[str, Context] = {"alone": nullcontext, "watched": jaxviz.watch}
    return {
        "trace": in_turn(contexts, lambda: measure(traced, MISSES), MISS_ROUNDS),
        "whole": in_turn(contexts, lambda: measure(whole, WHOLE_MISSES), WHOLE_ROUNDS),
        "read": statistics.median(read_after(lambda: measure(traced, MISSES)) for _ in range(9)),
    }


def read_after(measure: Callable[[], float]) -> float:
    """µs for each trace when the log is first read: then it is compared with earlier ones."""
    with jaxviz.watch() as log:
        measure()
        return timed(lambda: log.retraces) / MISSES * 1e6


def in_turn(contexts: dict[str, Context], measure: Callable[[], float], rounds: int) -> Result:
    """The median of many rounds of each, with the quartiles, and of the differences to the first
    in the same round."""
    found: dict[str, list[float]] = {name: [] for name in contexts}
    for number in range(rounds + 1):
        for name in sorted(contexts, reverse=number % 2 == 1):
            with contexts[name]():
                taken = measure()
            if number > 0:
                found[name].append(taken)
    first = next(iter(contexts))
    return {name: spread(runs) | added(runs, found[first]) for name, runs in found.items()}


def spread(runs: list[float]) -> Result:
    low, median, high = statistics.quantiles(runs, n=4)
    return {"median": median, "low": low, "high": high}


def added(runs: list[float], alone: list[float]) -> Result:
    return {"added": statistics.median(a - b for a, b in zip(runs, alone, strict=True))}


def timed(run: Callable[[], object]) -> float:
    gc.disable()
    start = time.process_time()
    run()
    taken = time.process_time() - start
    gc.enable()
    return taken


def flooded(name: str) -> Result:
    """In a process of its own, and in another one what we hold at the end."""
    return process("flood", name) | (process("held", name) if name == "watched" else {})


def process(*arguments: str) -> Result:
    command = [sys.executable, __file__, *arguments]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def flood(name: str, times: int = FLOOD) -> Result:
    fun = jax.jit(lambda x: x)
    with jaxviz.watch() if name == "watched" else nullcontext() as log:
        start = time.perf_counter()
        for n in range(times):
            fun.trace(jax.ShapeDtypeStruct((n,), "float32"))
        seconds = time.perf_counter() - start
        held = memory() if tracemalloc.is_tracing() else None
    told = None if log is None else sum(cause.times for cause in log.causes) + 1
    return {"seconds": seconds, "told": told} if held is None else {"MB": held}


def memory() -> float:
    gc.collect()
    ours = tracemalloc.Filter(True, f"{Path(jaxviz.__file__).parent}/*")
    held = tracemalloc.take_snapshot().filter_traces([ours]).statistics("filename")
    return sum(entry.size for entry in held) / 1e6


if __name__ == "__main__":
    if sys.argv[1:] == ["quick"]:
        print(json.dumps(quick([10])))
    elif len(sys.argv) > 1:
        if sys.argv[1] == "held":
            tracemalloc.start()
        print(json.dumps(flood(sys.argv[2])))
    else:
        main()
