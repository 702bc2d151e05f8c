"""Counts the calls of jitted functions while a cell is profiled, and notes the shapes that each was
called with, so that its program can be found afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any
from weakref import ref

import jax
import numpy as np

from jaxviz.capture import _hooks as seen

_NOT_IN_NAMES = r"[^\w.-]"
MOST_NOTED = 8
"""How many kinds of calls of a function are noted."""


class CalledFunction:
    """A jitted function and how it was called. It holds neither the function nor an array."""

    def __init__(self, fun: Any) -> None:
        self._fun: Callable[[], Any] = ref(fun)
        self.module = f"jit_{re.sub(_NOT_IN_NAMES, '_', str(getattr(fun, '__name__', '')))}"
        """What XLA calls the module of its programs."""
        self.calls = 0
        self.calls_before = 0
        """How many came while the profiler was on."""
        self._noted: dict[tuple[Any, ...], tuple[tuple[Any, ...], dict[str, Any]]] = {}

    def note(self, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> None:
        """Notes the shapes of a call."""
        shapes = jax.tree_util.tree_map(_shape_of, (args, kwargs or {}))
        if len(self._noted) < MOST_NOTED:
            key = tuple(map(_key_of, jax.tree_util.tree_leaves(shapes)))
            self._noted.setdefault(key, shapes)

    def noted(self) -> list[tuple[Any, tuple[Any, ...], dict[str, Any]]]:
        """The function with the shapes of each kind of call; nothing where it is gone."""
        fun = self._fun()
        return [] if fun is None else [(fun, *shapes) for shapes in self._noted.values()]


class CalledFunctions:
    """Hears of each call that JAX's fastest cache answers, from `start` to `stop`. The first call
    of a function, which compiles it, is not among them."""

    def __init__(self) -> None:
        self._known: dict[int, CalledFunction] = {}
        """Those whose function lives, by its `id`."""
        self._all: list[CalledFunction] = []
        self._alive: list[ref[Any]] = []
        self._hook = self._heard
        self._placed: list[seen.PlacedHook] = []
        self._hears = False

    def start(self) -> None:
        """Puts our hook where JAX looks for one."""
        self._hears = True
        for place in seen.hooks():
            seen.put(place, self._hook, self._placed)

    def profiled_until_now(self) -> None:
        """Says that the profiler ends."""
        for one in self.functions():
            one.calls_before = one.calls

    def stop(self) -> None:
        """Takes our hook away."""
        self._hears = False
        for placed in self._placed:
            seen.put_back(placed)

    def functions(self) -> list[CalledFunction]:
        """All that were called."""
        return [*self._all]

    def _heard(self, fun: Any, args: Any, kwargs: Any, out: Any) -> None:
        """The hook. It runs within the user's call, so an exception here is dropped. Few calls are
        noted, the first ones, the sixteenth, the next power of two and so on: it takes longer than
        to count one."""
        if not self._hears:
            return
        with suppress(Exception):
            one = self._known.get(id(fun)) or self._met(fun)
            one.calls += 1
            if one.calls <= MOST_NOTED or one.calls & (one.calls - 1) == 0:
                one.note(args, kwargs)

    def _met(self, fun: Any) -> CalledFunction:
        number, one = id(fun), CalledFunction(fun)
        # Python drops an interrupt that comes within a callback written in Python.
        self._alive.append(ref(fun, partial(self._known.pop, number)))
        self._known[number] = one
        self._all.append(one)
        return one


def _shape_of(leaf: Any) -> Any:
    """An array's shape, as JAX takes it; what is no array as it is."""
    if isinstance(leaf, jax.Array):
        aval: Any = jax.typeof(leaf)
        placed = len(leaf.sharding.device_set) > 1 or getattr(leaf, "committed", False)
        sharding = leaf.sharding if placed else None
        weak = bool(getattr(aval, "weak_type", False))
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, weak_type=weak, sharding=sharding)
    if isinstance(leaf, np.ndarray | np.generic):
        return jax.ShapeDtypeStruct(leaf.shape, jax.dtypes.canonicalize_dtype(leaf.dtype))
    return leaf


def _key_of(shape: Any) -> Any:
    """What tells the kinds of calls apart; an object of the user's is not asked."""
    if isinstance(shape, jax.ShapeDtypeStruct):
        return shape.shape, str(shape.dtype)
    return id(shape)
