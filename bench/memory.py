"""Measures which closed-over arrays a program keeps alive, and writes docs/memory.md."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax

import jaxviz

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.memory import called_back, derived, differentiated, direct, live, nested  # noqa: E402

Make = Callable[[int], Any]
KINDS: dict[str, Make] = {
    "a jitted function": direct,
    "jitted within jitted, and a loop": nested,
    "`jit(grad(f))`": differentiated,
    "the rule of a `custom_jvp`": derived,
    "a `pure_callback`": called_back,
}
DROPPED = ("function dropped", "all dropped")
HEAD = """# Memory

The tables show MiB of arrays that are alive; each piece of memory counts once. The function closes
over an array of 1 or 64 MiB, and nothing else refers to that array. Measured by `make bench` on
jax {jax}, CPU.

A program keeps at most 16 MiB of closed-over arrays for its later stages, the smallest first. It
has weak references to larger ones, so they are freed with the function. A stage that still needs
them reports which arrays are gone, and how to continue. `jaxviz.inspect(f, keep=True)` keeps all.
When all stages are made, a program keeps at most 64 KiB of arrays, for `jaxviz.passes`.

An output of `--statistics` keeps at most 16 MiB of the call's arguments, for later questions of the
page. It has weak references to larger arrays. Nothing else keeps an argument.
"""


def main() -> None:
    parts = [
        HEAD.format(jax=jax.__version__),
        "## While the function lives\n",
        table(("", "function", "captured", "StableHLO", "HLO", *DROPPED), kept()),
        "\nThe same without jaxviz, with `Traced`, `Lowered` and `Compiled` alive:\n",
        table(("", "function", "traced", "lowered", "compiled", *DROPPED), by_jax()),
        "\n## The function is dropped first\n",
        table(("", "captured", DROPPED[0], "its stages can be made", DROPPED[1]), gone()),
        "\n## Comparisons and logs\n",
        table(("", "function", "made", *DROPPED), others()),
    ]
    (ROOT / "docs/memory.md").write_text("\n".join(parts), encoding="utf-8")


def table(head: tuple[str, ...], rows: Iterator[list[Any]]) -> str:
    lines = [head, ("---",) + ("--:",) * (len(head) - 1), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def cases() -> Iterator[tuple[str, Make, int]]:
    for name, make in KINDS.items():
        for mib in (1, 64):
            yield f"{name}, {mib} MiB", make, mib


def kept() -> Iterator[list[Any]]:
    for name, make, mib in cases():
        start = live()
        f = make(mib)
        row = [name, since(start)]
        program = jaxviz.inspect(f)(1.0)
        row.append(since(start))
        for kind in ("stablehlo", "hlo"):
            assert program.stage(kind).error is None
            row.append(since(start))
        del f
        row.append(since(start))
        del program
        yield [*row, since(start)]


def by_jax() -> Iterator[list[Any]]:
    for name, make, mib in cases():
        start = live()
        f = make(mib)
        row = [name, since(start)]
        traced = f.trace(1.0)
        row.append(since(start))
        lowered = traced.lower()
        row.append(since(start))
        compiled = lowered.compile()
        row.append(since(start))
        del f
        row.append(since(start))
        del traced, lowered, compiled
        yield [*row, since(start)]


def gone() -> Iterator[list[Any]]:
    for name, make, mib in cases():
        for keep in (False, True) if mib == 64 else (False,):
            start = live()
            f = make(mib)
            program = jaxviz.inspect(f, keep=keep)(1.0)
            row = [f"{name}{', `keep=True`' if keep else ''}", since(start)]
            del f
            row.append(since(start))
            row.append("no" if program.stage("stablehlo").error else "yes")
            del program
            yield [*row, since(start)]


def others() -> Iterator[list[Any]]:
    for name, made in (
        ("two programs compared", compared),
        ("a log", logged),
        ("a display", shown),
    ):
        start = live()
        f = direct(64)
        row: list[Any] = [name, since(start)]
        result = made(f)
        row.append(since(start))
        del f
        row.append(since(start))
        del result
        yield [*row, since(start)]


def compared(f: Any) -> Any:
    return jaxviz.compare(jaxviz.inspect(f)(1.0), jaxviz.inspect(f)(2))


def logged(f: Any) -> Any:
    with jaxviz.watch(hits=True) as log:
        jax.block_until_ready([f(1.0), f(2), f(2)])
    return log, log._repr_mimebundle_()


def shown(f: Any) -> Any:
    return jaxviz.inspect(f)(1.0)._repr_mimebundle_()


def since(start: float) -> int:
    return round(live() - start)


if __name__ == "__main__":
    main()
