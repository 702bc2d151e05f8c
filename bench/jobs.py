"""Times `agree` in a job of many processes, and prints JSON.

    python bench/jobs.py

One process simulates the whole job: it writes to JAX's key-value store what the others would write.
So the store is real and on this machine. The time is that of one process, which sends its program
and asks for those of all others.
"""

from __future__ import annotations

import json
import socket
import sys
from dataclasses import replace
from time import perf_counter, time
from typing import Any

import jax
import jax.numpy as jnp
import msgspec

import jaxviz
from jaxviz.compare import compare
from jaxviz.display.wire import decode, encode
from jaxviz.tools.job.agree import _agreement, _of_this_process
from jaxviz.tools.job.capture import Processes

COUNTS = (8, 64, 256, 1024)
EQNS = (1_000, 10_000, 100_000)


class Simulated(Processes):
    """One of many processes that this one stands for."""

    def __init__(self, index: int, count: int) -> None:
        super().__init__(60.0)
        self.index, self.count = index, count


def main() -> None:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    jax.distributed.initialize(f"127.0.0.1:{port}", 1, 0)
    counts = [{"processes": count, **of_count(call, count)} for call, count in enumerate(COUNTS)]
    programs = [{"eqns": count, **of_program(count)} for count in EQNS]
    print(json.dumps({"counts": counts, "programs": programs}))


def of_count(call: int, count: int) -> dict[str, Any]:
    """All hold the same small program but the last, which holds another. `call` is which call of
    `agree` it is in this process."""
    program, other = (jaxviz.inspect(fun)(jnp.ones(3)) for fun in (jnp.sin, jnp.cos))
    own = _of_this_process(0, program, time())
    odd = _of_this_process(count - 1, other, time())
    for index in range(1, count):
        told = replace(odd if index == count - 1 else own, process=index)
        simulated = Simulated(index, count)
        simulated.tell(f"{call}/came", b"")
        simulated.tell(f"{call}/digest", msgspec.json.encode(told))
    Simulated(count - 1, count).tell(f"{call}/program", encode(other.record))
    started = perf_counter()
    found = _agreement(Simulated(0, count), program, 60.0)
    took = perf_counter() - started
    assert [one.processes for one in found.differences] == [(count - 1,)]
    started = perf_counter()
    output = len(json.dumps(found._bundle()))
    shown = perf_counter() - started
    read = count * len(msgspec.json.encode(own))
    return {"seconds": took, "bytes": read, "shown": shown, "output": output}


def of_program(eqns: int) -> dict[str, Any]:
    """A chain of `eqns` eqns; one process has one more."""

    def chain(x: Any, turns: int) -> Any:
        for _ in range(turns):
            x = x * 2.0
        return x

    seconds: dict[str, float] = {}
    programs: list[jaxviz.Program] = []
    for turns in (eqns, eqns + 1):
        started = perf_counter()
        programs.append(jaxviz.inspect(chain, static_argnums=1)(jnp.ones(3), turns))
        seconds["captured"] = perf_counter() - started
    started = perf_counter()
    _of_this_process(0, programs[0], time())
    seconds["lowered and digested"] = perf_counter() - started
    started = perf_counter()
    records = [program.record for program in programs]
    sent = [encode(msgspec.structs.replace(record, stages=record.stages[:1])) for record in records]
    seconds["packed"] = (perf_counter() - started) / 2
    started = perf_counter()
    before, after = (jaxviz.Program(decode(data)) for data in sent)
    assert compare(before, after) is not None
    seconds["compared"] = perf_counter() - started
    return {"seconds": seconds, "bytes": len(sent[0])}


if __name__ == "__main__":
    sys.setrecursionlimit(100_000)
    main()
