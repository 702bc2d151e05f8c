"""Lines of source that made many eqns, named by what they assign or call."""

from __future__ import annotations

import re

from jaxviz import schema
from jaxviz.analysis.source import Source
from jaxviz.analysis.tree import Run

LONG = 12
"""Items of a run that need no lines."""
ASSIGNED = 8
"""Eqns that make a line worth a group whose result has a name."""
MANY = 12
"""Eqns that make any other line worth one."""
MOST = 3 / 4
"""The part of a run's eqns beyond which a line is nearly the run."""
TARGET = re.compile(r"([A-Za-z_][\w.]*(?:, *[A-Za-z_][\w.]*)*) *[-+*/@]?=(?!=)")

CALLED = re.compile(r"(\w+)\(")


def title(frame: schema.Frame) -> str:
    """A line's name: what it assigns to, unless that is but a letter, else what it calls."""
    named = target(frame.code)
    if len(named) > 1:
        return named
    found = CALLED.findall(frame.code)
    return found[0] if found else named or f"line {frame.line}"


def is_many(line: Run, frame: schema.Frame) -> bool:
    """Whether a line made enough eqns to be a group."""
    clear = len(target(frame.code)) > 1 or len(set(CALLED.findall(frame.code))) == 1
    return len(line) >= (ASSIGNED if clear else MANY)


def target(code: str) -> str:
    """What a line of source assigns to: `logits`, or nothing."""
    found = TARGET.match(code)
    return found.group(1) if found else ""


def nameless(function: str) -> bool:
    """Whether a function is a lambda or a comprehension."""
    return function.endswith(">")


def split(run: Run, source: Source, frames: list[schema.Frame]) -> list[Run]:
    """The lines that made many of the eqns of a long run, neighbour by neighbour."""
    if run.count() <= LONG:
        return []
    depth = source.depth(run)
    found: list[Run] = []
    sites: list[schema.Frame] = []
    for item in run.items():
        if isinstance(item, Run):
            continue
        site = source.site(item, depth)
        if site < 0:
            continue
        frame = frames[site]
        key = ("line", frame.file, frame.line)
        if found and found[-1].stop == item and found[-1].key == key:
            found[-1].stop += 1
        else:
            found.append(Run(item, item + 1, "call", title(frame), key))
            sites.append(frame)
    lines = zip(found, sites, strict=True)
    return [line for line, site in lines if is_many(line, site) and len(line) < MOST * len(run)]
