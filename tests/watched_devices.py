"""Run as a script: prints a log on eight devices with a persistent cache, as JSON lines."""

from __future__ import annotations

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import json
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import jaxviz

MESH = Mesh(np.array(jax.devices()).reshape(8), ("data",))


def placed(place: Any) -> jax.Array:
    return jax.device_put(jnp.ones((8, 8)), place)


def spec(*axes: str | None) -> NamedSharding:
    return NamedSharding(MESH, PartitionSpec(*axes))


def told(name: str, calls: list[Callable[[], Any]]) -> None:
    """Prints what the last of the calls made JAX do."""
    before = 0
    with jaxviz.watch() as log:
        for call in calls:
            before = len(log.events)
            call()
    rows = [
        [event.kind, event.again, event.cached]
        + [[one.kind, one.where, str(one.before), str(one.after)] for one in event.reason]
        for event in log.events[before:]
    ]
    print(json.dumps([name, rows]))


def double() -> Callable[..., Any]:
    return jax.jit(lambda x: x * 2)


def told_options(name: str, first: dict[str, Any], second: dict[str, Any]) -> None:
    """Two jits of one function, with other options."""

    def body(x):
        return x * 2

    options = (first, second)
    told(name, [lambda one=one: jax.jit(body, **one)(jnp.ones((8, 8))) for one in options])


def main(folder: str) -> None:
    fun, devices = double(), jax.devices()
    told("device", [lambda: fun(placed(devices[0])), lambda: fun(placed(devices[1]))])
    fun = double()
    told("spec", [lambda: fun(placed(spec("data"))), lambda: fun(placed(spec(None, "data")))])
    fun = double()
    told("spread", [lambda: fun(placed(devices[0])), lambda: fun(placed(spec("data")))])
    two = Mesh(np.array(devices[:2]), ("data",))
    split, whole = (NamedSharding(two, PartitionSpec(*axes)) for axes in (("data",), ()))
    told_options("out_shardings", {"out_shardings": split}, {"out_shardings": whole})
    told_options("out_shardings more", {}, {"out_shardings": whole})
    told_options("out_shardings less", {"out_shardings": split}, {})
    told_options("in_shardings", {"in_shardings": split}, {"in_shardings": whole})
    told_options("both", {"in_shardings": split}, {"in_shardings": split, "out_shardings": whole})
    told_options("donation", {}, {"donate_argnums": 0})
    told_options("no other", {"out_shardings": split}, {"out_shardings": split})
    told_options("device of jit", {"device": devices[0]}, {"device": devices[1]})
    jax.config.update("jax_compilation_cache_dir", folder)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    fun = double()
    told("written", [lambda: fun(jnp.ones(77))])
    jax.clear_caches()
    told("read", [lambda: fun(jnp.ones(77))])


if __name__ == "__main__":
    main(sys.argv[1])
