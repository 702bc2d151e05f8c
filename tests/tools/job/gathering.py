"""One process of a job whose processes gather what they traced. It is run as a script with its
number, how many there are and the port of the first; it prints what it has then, as JSON. The last
process traces for one shape more, and tells nothing of the second log."""

from __future__ import annotations

import json
import sys
from typing import Any

import jax
import jax.numpy as jnp

import jaxviz


@jax.jit
def step(x: Any) -> Any:
    return jnp.tanh(x).sum()


def shown(gathered: jaxviz.GatheredLog | None) -> Any:
    if gathered is None:
        return None
    record = gathered.record()
    return {
        "records": gathered.records(),
        "functions": [(one.name, one.traces, one.hits) for one in record.functions],
        "numbers": [event.number for event in record.events],
        "causes": [record.functions[cause.function].name for cause in record.causes],
        "caches": [(table.name, [row.number for row in table.rows]) for table in record.caches],
        "lasted": record.seconds,
        "notes": [*map(str, record.notes)],
        "mime": sorted(gathered._repr_mimebundle_()),
        "missing": gathered.missing,
    }


def main(index: int, count: int, port: int) -> None:
    jax.config.update("jax_platforms", "cpu")
    jax.distributed.initialize(f"127.0.0.1:{port}", count, index)
    jax.devices()  # waits for all processes
    is_last = index == count - 1
    arrays = [jnp.ones(size) for size in (3, 4, 5)]
    with jaxviz.watch(hits=True) as log:
        for x in [*arrays[: 3 if is_last else 2], arrays[0]]:
            step(x)
    whole = shown(jaxviz.gather(log, 120.0))
    part = None if is_last else shown(jaxviz.gather(log, 1.0))
    print(json.dumps({"whole": whole, "part": part}), flush=True)
    jax.distributed.shutdown()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
