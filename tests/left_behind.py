"""Checks what an interrupt leaves behind: in Python, in JAX, and in the package."""

from __future__ import annotations

import gc
import signal
import sys
import warnings
from typing import Any

import jax
import jax.numpy as jnp
from jax._src import api, core, monitoring, pretty_printer, profiler, util

import jaxviz
from jaxviz.capture import _hooks, changes
from jaxviz.session import session as watching

DOUBLE = jax.jit(lambda x: x * 2)
THREE = jnp.arange(3.0)
JAXPR = jax.make_jaxpr(lambda x: DOUBLE(jnp.sin(x)))(THREE)
TEXT = str(JAXPR)
MODULES = (core, pretty_printer, util, api)
"""The modules of JAX in which names are replaced."""


def world() -> dict[str, Any]:
    """Everything outside of the package that it may change, and what the package notes of that."""
    listeners = (
        *monitoring.get_scalar_listeners(),
        *monitoring.get_event_duration_listeners(),
        *monitoring.get_event_listeners(),
    )
    ours = [one for one in listeners if "jaxviz" in type(getattr(one, "__self__", 0)).__module__]
    events = _hooks.event_hook()
    places = [*_hooks.hooks(), *([events] if events else [])]
    numbers = sorted(signal.valid_signals())
    return {
        "standard output": (sys.stdout, sys.stderr),
        "hooks of Python": (sys.excepthook, sys.displayhook, sys.gettrace(), sys.getprofile()),
        "listeners": ours,
        "hooks of JAX": [place.get() for place in places if place.get() is not None],
        "names of JAX": {
            (module.__name__, name): value
            for module in MODULES
            for name, value in vars(module).items()
            if callable(value)
        },
        "settings of JAX": {name: getattr(jax.config, name) for name in _settings()},
        "profile of JAX": {**vars(profiler._profile_state)},
        "warnings": [*warnings.filters],
        "garbage collection": gc.isenabled(),
        "signal handlers": [signal.getsignal(number) for number in numbers],
        "signal mask": signal.pthread_sigmask(signal.SIG_BLOCK, []),
        "changes": [*changes._changes],
        "logs": [*watching._open],
        "looks": dict(watching._listener._captures),
    }


def _settings() -> list[str]:
    return [name for name in jax.config.values if hasattr(jax.config, name)]


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Differences from before, as sentences."""
    found: list[str] = []
    for name, was in before.items():
        now = after[name]
        if isinstance(was, dict) and isinstance(now, dict):
            keys = [key for key in {**was, **now} if was.get(key, 0) is not now.get(key, 0)]
            found += [f"{name}: {keys}"] * bool(keys)
        elif was != now:
            found.append(f"{name}: {now}")
    return found


def not_let_through() -> list[str]:
    """Faults that show at once: printing, calls of jitted functions, JAX's printer."""
    found: list[str] = []
    out: Any = sys.__stdout__ if not hasattr(sys.stdout, "getvalue") else sys.stdout
    begin = out.tell()
    print("printed")
    if out.getvalue()[begin:] != "printed\n":
        found.append("a print is lost")
    try:
        if DOUBLE(THREE).tolist() != [0, 2, 4]:
            found.append("a jitted call gives a wrong value")
        if DOUBLE.eval_shape(THREE).shape != (3,):
            found.append("a trace gives a wrong shape")
        if str(JAXPR) != TEXT:
            found.append("JAX prints another text")
    except Exception as error:
        found.append(f"JAX fails: {type(error).__name__}: {error}")
    return found


def at_rest() -> None:
    """Does what the shell's hooks do between two cells."""
    watching.at_rest()


_number = 0


def wrong_watch() -> list[str]:
    """Faults in the report of the next watch."""
    global _number
    _number += 1
    space: dict[str, Any] = {}
    exec(compile(f"def grown(x): return x + {_number}", f"/tmp/grown{_number}.py", "exec"), space)
    grown = jax.jit(space["grown"])
    try:
        with jaxviz.watch(hits=True) as log:
            for size in (3, 3, 4, 5):
                grown.trace(jax.ShapeDtypeStruct((size,), "float32"))
            for _ in range(2):
                DOUBLE(THREE)
        made = [(one.name, one.again) for one in log.events if one.kind == "trace"]
        right = [("grown", False), ("grown", True), ("grown", True)]
        calls = {one.name: sum(one.hits or []) for one in log.functions}
    except Exception as error:
        return [f"the next watch fails: {type(error).__name__}: {error}"]
    found = [] if made == right else [f"the next watch has {made}"]
    return found + ([] if calls.get("<lambda>") == 2 else [f"the next watch counts {calls}"])
