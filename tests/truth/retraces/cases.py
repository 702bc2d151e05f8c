"""All programs: every kind with every subject not looked at, and of those that are looked at as
many as a draw gives."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from .grammar import LOOKINGS, Subject, programs
from .program import Program

MODULES = {
    "JAX": (
        "plain",
        "nested",
        "loops",
        "carries",
        "structures",
        "options",
        "sides",
        "sides_written",
        "causes",
        "redefined",
        "anew",
        "owned",
    ),
    "Flax linen": ("linen", "redefined", "anew", "owned"),
    "Flax NNX": ("nnx", "redefined", "anew", "owned"),
    "Equinox": ("equinox", "redefined", "anew", "owned"),
    "Haiku": ("haiku", "redefined", "anew", "owned"),
    "Optax": ("optax", "redefined", "anew", "owned"),
    "Keras": ("keras", "redefined", "anew", "owned"),
}
DRAWN = 1
"""The number of capture orders that are drawn for each kind of each subject."""


def cases(library: str = "") -> Iterator[Program]:
    """Those of a library, or all."""
    for name in MODULES:
        if name not in lacking() and (not library or library.lower() in name.lower()):
            for module in MODULES[name]:
                yield from _drawn(name, importlib.import_module(f".{module}", __package__))


def lacking() -> dict[str, str]:
    """Libraries that are not installed here."""
    found: dict[str, str] = {}
    for name, modules in MODULES.items():
        try:
            for module in modules:
                importlib.import_module(f".{module}", __package__)
        except ImportError as error:
            found[name] = str(error)
    return found


def _drawn(library: str, module: object) -> Iterator[Program]:
    subjects: tuple[Subject, ...] = getattr(module, "SUBJECTS", ())
    for one in subjects:
        subject = replace(one, library=library)
        yield from programs(subject)
        draw = random.Random(subject.name)
        lookings = LOOKINGS[1:] if subject.looks else ("within %%jaxviz",)
        for program in programs(subject, lookings):
            if draw.random() < DRAWN / len(lookings):
                yield program
    yield from getattr(module, "PROGRAMS", ())
    of_library: Callable[[str], list[Program]] | None = getattr(module, "programs", None)
    if of_library is not None and not subjects:
        yield from of_library(library)


def part(programs: Sequence[Program], size: int) -> list[Program]:
    """Draws `size` programs of each library, the same ones each time."""
    by_library: dict[str, list[Program]] = {}
    for program in programs:
        by_library.setdefault(program.library, []).append(program)
    draws = ((random.Random(library), found) for library, found in by_library.items())
    return [one for draw, found in draws for one in draw.sample(found, min(size, len(found)))]
