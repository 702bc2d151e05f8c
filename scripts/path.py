"""Prints the path of a value through the files of the project, from a user's call to what is shown.

    python scripts/path.py                  capture, bundle, event and profile
    python scripts/path.py capture --stops  one of them, with every stop

A *stop* is a call of a function in another file of `jaxviz/` than the stop before, with the value
among the arguments. Program and event become other records on their way: for `bundle` and `event`
the first call of every function counts. A *room* is a file in which there is a stop, and a *return*
is a stop in a room that was left before. Fewer returns mean a straighter path.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

import jax
import jax.numpy as jnp

import jaxviz

PACKAGE = str(Path(jaxviz.__file__).parent)
X = jnp.ones((8, 8))


class Stop(NamedTuple):
    """A call with the value among the arguments."""

    room: str
    """The file, below `jaxviz/`."""
    function: str


def stops_of(action: Callable[[], object], value: object = None) -> list[Stop]:
    """The stops of a value while `action` runs; without a value, first calls of functions."""
    stops: list[Stop] = []
    called: set[CodeType] = set()

    def hear(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(PACKAGE):
            return
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if value is None:
            counts = code not in called
            called.add(code)
        else:
            counts = any(frame.f_locals.get(name) is value for name in arguments)
        room = code.co_filename[len(PACKAGE) + 1 :]
        if counts and not (stops and stops[-1].room == room):
            stops.append(Stop(room, code.co_qualname))

    sys.setprofile(hear)
    try:
        action()
    finally:
        sys.setprofile(None)
    return stops


def example() -> Callable[[jax.Array, jax.Array], jax.Array]:
    """A function that JAX has not traced yet."""

    def loss(w: jax.Array, x: jax.Array) -> jax.Array:
        for _ in range(3):
            x = jnp.tanh(x @ w)
        return x.sum()

    return loss


def capture() -> list[Stop]:
    """The function that the user gives to `inspect`."""
    loss = example()
    return stops_of(lambda: jaxviz.inspect(loss)(X, X), loss)


def bundle() -> list[Stop]:
    """The stages of a program whose cell shows it."""
    program = jaxviz.inspect(example())(X, X)
    return stops_of(program._repr_mimebundle_)


def event() -> list[Stop]:
    """The second trace of a watched function."""
    with jaxviz.watch():
        step = jax.jit(example())
        step(X, X)
        return stops_of(lambda: step(X, X[:4]))


def profile() -> list[Stop]:
    """The function that the user gives to `profile`."""
    loss = example()
    return stops_of(lambda: jaxviz.profile(loss)(X, X), loss)


PATHS = (capture, bundle, event, profile)


def main() -> None:
    parser = argparse.ArgumentParser(description="Prints the path of a value.")
    names = [path.__name__ for path in PATHS]
    parser.add_argument("names", nargs="*", metavar="|".join(names), default=names)
    parser.add_argument("--stops", action="store_true", help="print every stop")
    arguments = parser.parse_args()
    for path in PATHS:
        if path.__name__ not in arguments.names:
            continue
        path()  # what is made once for a process is not part of the path
        stops = path()
        rooms = {stop.room for stop in stops}
        returns = len(stops) - len(rooms)
        print(f"{path.__name__}: {len(stops)} stops, {len(rooms)} rooms, {returns} returns")
        for stop in stops if arguments.stops else []:
            print(f"  {stop.room}: {stop.function}")


if __name__ == "__main__":
    main()
