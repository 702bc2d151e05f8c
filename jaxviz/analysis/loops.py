"""Tells the turns of a loop apart: by the parameters they use, or because they repeat.

A Python loop leaves no trace of its own: the calls of one line stand one behind the other. What
they use does tell them apart (`params['layers'][0]`, then `[1]`); where they use the same, or
nothing, the sequence of lines and primitives repeats.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from functools import reduce
from itertools import pairwise

from jaxviz.analysis import arguments, scopes
from jaxviz.analysis.source import Source, first
from jaxviz.analysis.tree import REGION, Run

SHORT = 12
"""Items that need no more structure."""
TRIES = 4
NUMBERED = re.compile(r"\d+\]?$")
MIXED = "."
TURN = "turn"

Items = list[Run | int]


def is_turn(run: Run) -> bool:
    """Whether a run is one turn of a loop."""
    return isinstance(run.key, tuple) and run.key[0] == TURN


def split(run: Run, source: Source) -> list[Run]:
    """The turns of a loop in `run`, or the parts of it that use parameters of one subtree."""
    items = list(run.items())
    return by_argument(run, items, source) if len(items) > 1 else []


def by_argument(run: Run, items: Items, source: Source) -> list[Run]:
    """Parts by the first key in which the parameters of the items differ.

    Where the same keys come again and again, each time is a turn (an optimizer's sweeps over
    all parameters).
    """
    paths = [source.path(item) for item in items]
    base = reduce(arguments.common, paths, None)
    if base is None:
        return []
    labels = [label(path, len(base)) for path in paths]
    spans = stretches(labels)
    distinct = {text for text in labels if text and text != MIXED}
    if len(distinct) < 2:
        return []
    stems = {NUMBERED.sub("", text) for text in distinct if NUMBERED.search(text)}
    numbered = len(stems) == 1 and all(NUMBERED.search(text) for text in distinct)
    if not numbered and run.key != REGION and len(items) <= SHORT:
        return []
    if 2 * len(spans) > 3 * len(distinct):
        spans = sweeps(labels, spans)
        parts = [
            Run(first(items[a]), end(items[b - 1]), "call", "", (TURN, a))
            for a, b in cut(run, items, spans, source)
        ]
        for turn, part in enumerate(parts):
            kept = set(source.holders[part.start : part.stop]) - {""}
            number = f"{run.name or 'sweep'} {turn + 1}/{len(parts)}"
            part.name = kept.pop() if len(kept) == 1 else number
        return parts
    kind = TURN if numbered else "part"
    parts: list[Run] = []
    for (a, b), (start, stop) in zip(spans, cut(run, items, spans, source), strict=True):
        text = labels[a]
        named = a == b and isinstance(items[a], Run)
        leaf = text in arguments.LEAVES
        if text and text != MIXED and not leaf and (numbered or not named) and stop - start > 1:
            name = run.name if numbered else text
            parts.append(Run(first(items[start]), end(items[stop - 1]), "call", name, (kind, text)))
    return parts


def sweeps(labels: list[str | None], spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """First and last index of each stretch that starts over with the first key; none where
    the keys do not come in the same order."""
    start = labels[spans[0][0]]
    order = {text: n for n, text in enumerate(dict.fromkeys(labels[a] for a, _ in spans))}
    found: list[tuple[int, int]] = []
    previous = -1
    for a, b in spans:
        if labels[a] == start:
            found.append((a, b))
        elif order[labels[a]] < previous:
            return []
        else:
            found[-1] = found[-1][0], b
        previous = order[labels[a]]
    return found


def cut(
    run: Run, items: Items, spans: list[tuple[int, int]], source: Source
) -> list[tuple[int, int]]:
    """Start and stop of each part: at borders that leave to each its lines, else where the lines
    start over, else where the fewest values cross; at both ends as far as the lines are those of
    the parts."""
    if not spans:
        return []
    widths = source.flow.widths(run.start, run.stop)
    depth = source.depth(run)
    sites = [source.site(item, depth) for item in items]
    order: dict[int, int] = {}
    ranks = [order.setdefault(site, len(order)) for site in sites]
    inside = [set(sites[a : b + 1]) for a, b in spans]
    late = -1 if source.roles[run.start] != scopes.BACKWARD else 1

    def border(a: int, b: int, before: set[int], after: set[int]) -> int:
        """Where to part the items after `a` and up to `b`."""
        wrong = sum(site in before - after for site in sites[a + 1 : b])
        best = None
        for at in range(a + 1, b + 1):
            crossing = widths[first(items[at]) - run.start]
            weight = (wrong, ranks[at] >= ranks[at - 1], crossing, late * at)
            best = min(best or (weight, at), (weight, at))
            wrong += (sites[at] in after - before) - (sites[at] in before - after)
        return best[1] if best else b

    known = set(sites[spans[0][0] : spans[-1][1] + 1])
    borders = [reach(sites, spans[0][0], -1, known)]
    for number, ((_, a), (b, _)) in enumerate(pairwise(spans)):
        borders.append(border(a, b, inside[number], inside[number + 1]))
    borders.append(1 + reach(sites, spans[-1][1], 1, known))
    return list(pairwise(borders))


def label(path: arguments.Path | None, depth: int) -> str | None:
    if path is None:
        return None
    return path[depth] if len(path) > depth else MIXED


def stretches(labels: list[str | None]) -> list[tuple[int, int]]:
    """First and last index of each stretch of one label, None standing for any."""
    found: list[tuple[int, int]] = []
    for index, text in enumerate(labels):
        if text is None:
            continue
        if found and labels[found[-1][0]] == text:
            found[-1] = found[-1][0], index
        else:
            found.append((index, index))
    return found


def reach(sites: list[int], at: int, step: int, known: set[int]) -> int:
    """How far from `at` the lines are those of the loop."""
    while 0 <= at + step < len(sites) and sites[at + step] in known:
        at += step
    return at


def end(item: Run | int) -> int:
    return item + 1 if isinstance(item, int) else item.stop


def by_cycle(run: Run, source: Source) -> list[Run]:
    """Turns of a loop, where lines and primitives repeat."""
    items = list(run.items())
    if len(items) <= SHORT:
        return []
    depth = source.depth(run)
    symbols = [source.symbol(item, depth) for item in items]
    widths = source.flow.widths(run.start, run.stop)
    parts: list[Run] = []
    for start, period, copies, slack in repeats(symbols):
        shift = min(
            range(slack + 1), key=lambda s: widths[first(items[start + s + period]) - run.start]
        )
        begin = start + shift
        cuts = [first(items[begin + turn * period]) for turn in range(copies)]
        cuts.append(end(items[begin + copies * period - 1]))
        if cuts[1] - cuts[0] < 3:
            continue
        name = turn_name(run, items[begin : begin + period], source)
        for turn, (a, b) in enumerate(pairwise(cuts), 1):
            parts.append(Run(a, b, "call", f"{name} {turn}/{copies}", (TURN, cuts[0], period)))
    return parts


def turn_name(run: Run, items: Items, source: Source) -> str:
    """The name of the loop's function, of what a turn mostly is, or its primitives."""
    if run.name and run.key != REGION:
        return run.name
    longest = max((item for item in items if isinstance(item, Run)), key=len, default=None)
    if longest is not None and 2 * len(longest) > end(items[-1]) - first(items[0]):
        return longest.name
    return f"{source.ops[first(items[0])]}…{source.ops[end(items[-1]) - 1]}"


def repeats(symbols: list[Hashable]) -> list[tuple[int, int, int, int]]:
    """Stretches in which a sequence of at least three repeats: start, period, copies, and how
    many symbols more the stretch goes on. Work is bounded by 40 comparisons for each symbol."""
    following: list[int] = [-1] * len(symbols)
    seen: dict[Hashable, int] = {}
    for index in range(len(symbols) - 1, -1, -1):
        following[index] = seen.get(symbols[index], -1)
        seen[symbols[index]] = index
    budget = 40 * len(symbols)
    found: list[tuple[int, int, int, int]] = []
    at = 0
    while at < len(symbols) and budget > 0:
        best = (0, 0)
        other = at
        for _ in range(TRIES):
            other = following[other]
            if other < 0:
                break
            period = other - at
            reached = other
            while reached < len(symbols) and symbols[reached] == symbols[reached - period]:
                reached += 1
            budget -= reached - other + 1
            if reached - other >= period and reached - at > best[0]:
                best = (reached - at, period)
            if best[1] in (1, 2):
                break
        length, period = best
        if period in (1, 2):
            at += length - 1
        elif period and length >= min(3 * period, 2 * max(period, SHORT)):
            found.append((at, period, length // period, length % period))
            at += length - length % period
        else:
            at += 1
    return found
