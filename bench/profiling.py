"""Measures the quality of `jaxviz.profile` on ten programs. Prints JSON: the share of each
program's span that its lines add up to, whether five profiles agree on the order of the five
longest lines (lines within 10 % are ties), the cost of a run under the profiler, and whether a line
that was made ten times slower comes first. Also the ratios of compile and run time with statistics.

    python bench/profiling.py
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

import jaxviz
from jaxviz.capture.rerun import rerun
from jaxviz.tools.statistics.capture import results_of
from jaxviz.tools.statistics.capture.numbers import PEAKS, run_with

X, W = jnp.ones((512, 512)) * 0.01, jnp.eye(512)
PROFILES, TOP, TIE = 5, 5, 1.1


def dense(x: Any, w: Any) -> Any:
    h = jnp.tanh(x @ w)
    h = jax.nn.relu(h @ w.T)
    return h.sum()


def gradient(x: Any, w: Any) -> Any:
    return jax.grad(dense, argnums=1)(x, w)


def attention(x: Any, w: Any) -> Any:
    q = x @ w
    scores = q @ x.T / 22.6
    weights = jax.nn.softmax(scores)
    return weights @ x


def normed(x: Any, w: Any) -> Any:
    mean = x.mean(-1, keepdims=True)
    spread = jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-6)
    return (x - mean) / spread @ w


def recurrent(x: Any, w: Any) -> Any:
    def step(h: Any, row: Any) -> Any:
        h = jnp.tanh(h @ w + row)
        return h, h.max()

    return lax.scan(step, x[0], x)


def repeated(x: Any, w: Any) -> Any:
    h = lax.fori_loop(0, 20, lambda _, h: jnp.sin(h) + 1.0, x)
    return h @ w


def convolved(x: Any, w: Any) -> Any:
    image = x.reshape(4, 1, 256, 256)
    h = lax.conv(image, jnp.ones((8, 1, 5, 5)), (1, 1), "SAME")
    return jax.nn.gelu(h).sum() + w.sum()


def sorted_rows(x: Any, w: Any) -> Any:
    order = jnp.argsort(x + w, axis=-1)
    return jnp.take_along_axis(x, order, -1).cumsum(-1)


def spectrum(x: Any, w: Any) -> Any:
    power = jnp.abs(jnp.fft.fft(x @ w)) ** 2
    return jnp.log1p(power).sum()


def factored(x: Any, w: Any) -> Any:
    q, r = jnp.linalg.qr(x[:128, :128] + w[:128, :128])
    return q @ r


def planted(x: Any, w: Any) -> Any:
    a = jnp.sin(x) @ w
    b = lax.fori_loop(0, 10, lambda _, b: b @ w, x)
    return a + jnp.cos(b) @ w


PROGRAMS = [
    *(dense, gradient, attention, normed, recurrent),
    *(repeated, convolved, sorted_rows, spectrum, factored),
]


def main() -> None:
    found = {fun.__name__: measured(fun) for fun in PROGRAMS}
    first = jaxviz.profile(planted)(X, W).lines[0].frame
    print(
        json.dumps(
            {
                "programs": found,
                "added": min(one["added"] for one in found.values()),
                "one order": sum(one["one order"] for one in found.values()),
                "wall": statistics.median(one["wall"] for one in found.values()),
                "planted first": bool(first and "fori_loop" in first.code),
                "values": {fun.__name__: told_of(fun) for fun in PROGRAMS},
            }
        )
    )


def measured(fun: Callable[..., Any]) -> dict[str, Any]:
    profiles = [jaxviz.profile(fun)(X, W) for _ in range(PROFILES)]
    added = [sum(line.seconds for line in one.lines) / min(one.inside) for one in profiles]
    alone = runs_alone(jax.jit(fun))
    return {
        "ms": 1e3 * min(min(one.inside) for one in profiles),
        "added": statistics.median(added),
        "one order": all(same_order(profiles[0], one) for one in profiles[1:]),
        "wall": min(min(one.wall) for one in profiles) / alone,
    }


def told_of(fun: Callable[..., Any]) -> dict[str, float]:
    """Ratios of compile and run time with one number for each result, to those without."""
    _, again = rerun(fun, (X, W), {}, {})
    reading = run_with(PEAKS, again, results_of(again.jaxprs))
    (compiled, ran), (compiled_alone, ran_alone) = map(timed, (reading, fun))
    return {"compile": compiled / compiled_alone, "run": ran / ran_alone}


def timed(fun: Callable[..., Any]) -> tuple[float, float]:
    """The seconds in which it is compiled, by a jit that no cache knows, and those of its fastest
    run."""
    lowered = jax.jit(lambda *args: fun(*args)).lower(X, W)
    start = time.perf_counter()
    compiled = lowered.compile()
    return time.perf_counter() - start, runs_alone(compiled)


def runs_alone(run: Callable[..., Any]) -> float:
    """The fastest of as many runs as the profiles have, without a profiler, in seconds."""
    jax.block_until_ready(run(X, W))
    times: list[float] = []
    for _ in range(10 * PROFILES):
        start = time.perf_counter()
        jax.block_until_ready(run(X, W))
        times.append(time.perf_counter() - start)
    return min(times)


def same_order(one: jaxviz.Profile, other: jaxviz.Profile) -> bool:
    """True if both profiles order the longest lines of `one` in the same way, except for ties."""
    times = {line.frame and line.frame.line: line.seconds for line in other.lines}
    longest = [times.get(line.frame and line.frame.line, 0.0) for line in one.lines[:TOP]]
    return all(
        later <= TIE * before for at, before in enumerate(longest) for later in longest[at + 1 :]
    )


if __name__ == "__main__":
    main()
