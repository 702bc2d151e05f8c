"""The iterations of Python loops, which a jaxpr does not record.

The calls that one line made follow one another. They are separated by the parameters that they use:
`params['layers'][0]`, then `[1]`. If they use the same parameters, or none, the sequence of lines
and primitives repeats. Iterations of one or two eqns are too short for groups. They become a row if
the source shows the loop, and if the expression makes exactly these eqns: `jnp.sin(x)` makes one
`sin`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterator
from functools import reduce
from itertools import pairwise

from jaxviz import schema
from jaxviz.analysis.groups.facts.call_stacks import title
from jaxviz.analysis.groups.facts.graph_facts import GraphFacts
from jaxviz.analysis.groups.facts.name_stacks import BACKWARD, FORWARD, OPTIMIZER, ROLE_MARKS
from jaxviz.analysis.groups.facts.parameter_paths import common
from jaxviz.analysis.groups.facts.parameters import ARRAYS_OF_A_LAYER, Path
from jaxviz.analysis.groups.facts.source_lines import name_of_lines, name_of_ops
from jaxviz.analysis.groups.loops.repeats import LONG_ROW, REPEAT, RunNumbers, row_name
from jaxviz.analysis.groups.loops.unrolled import Lines, only_loop_of
from jaxviz.analysis.groups.run_tree import (
    STEP_PART,
    Item,
    Run,
    enclose,
    end_of,
    first_eqn,
    loose_stretches,
    preorder,
)

FEW_ITEMS = 12
"""The most items of a run that needs no more structure."""
LAYERS_OF_A_MODEL = 4
"""The fewest subtrees of parameters in a run that is a model of layers, not a layer."""
TRIES = 4
"""The most later places of an element at which a repetition may begin."""
COMPARISONS = 40
"""The most comparisons per element of a sequence in a search for repetitions."""
NUMBERED_KEY = re.compile(r"\d+\]?$")
"""The end of a key with a number: `[3]`, `layer_3`."""
SEVERAL = "."
"""The label of an item that works on several subtrees of parameters."""
ITERATION = "iteration"
PART = "part"

Items = list[Item]
Spans = list[tuple[int, int]]
"""The first and last index of stretches of items, or their start and stop."""


def is_iteration(run: Run) -> bool:
    """True if a run is one iteration of a loop."""
    return isinstance(run.key, tuple) and run.key[0] == ITERATION


def is_part(run: Run) -> bool:
    """True if a run is the part of a longer one that uses the parameters of one subtree."""
    return isinstance(run.key, tuple) and run.key[0] == PART


def by_parameters(run: Run, facts: GraphFacts) -> list[Run]:
    """The iterations of a loop in `run`, or its parts that use the parameters of one subtree.

    Items are distinguished by the first key in which their parameters differ. If the same keys
    occur several times in order, each time is an iteration: an optimizer goes over all parameters
    repeatedly.
    """
    items = list(run.items())
    paths = [facts.path(item) for item in items]
    base = reduce(common, paths, None) if len(items) > 1 else None
    if base is None:
        return []
    labels = [parameters_label(path, len(base)) for path in paths]
    distinct = {text for text in labels if text and text != SEVERAL}
    if len(distinct) < 2 or any(facts.is_named_by_place((*base, text)) for text in distinct):
        return []
    stems = {NUMBERED_KEY.sub("", text) for text in distinct if NUMBERED_KEY.search(text)}
    numbered = len(stems) == 1 and all(NUMBERED_KEY.search(text) for text in distinct)
    if numbered and labels.count(SEVERAL) >= len(distinct):
        return []  # `ln1` and `ln2` of a layer, beside its other parts
    is_plain_pass = not (base or run.runs) and facts.roles[run.start] in (FORWARD, BACKWARD)
    is_model = run.key == STEP_PART or is_plain_pass or len(distinct) >= LAYERS_OF_A_MODEL
    if not numbered and not is_model and len(items) <= FEW_ITEMS:
        return []
    spans = stretches(labels)
    if 2 * len(spans) > 3 * len(distinct):
        return sweep_runs(run, items, sweeps(labels, spans), facts)
    parts: list[Run] = []
    for (a, b), (start, stop) in zip(spans, borders(run, items, spans, facts), strict=True):
        text = labels[a]
        if not text or text == SEVERAL or text in ARRAYS_OF_A_LAYER or stop - start < 2:
            continue
        first, end = first_eqn(items[start]), end_of(items[stop - 1])
        array = (*base, text)
        if facts.is_array(array) and not facts.works_on(first, end, array):
            continue
        own = [item for item, path in zip(items[a : b + 1], paths[a : b + 1], strict=True) if path]
        has_name = all(isinstance(item, Run) for item in own) and (
            a == b or not facts.owner or run.role == OPTIMIZER
        )
        if numbered or not has_name:
            key = ITERATION if numbered else PART, text
            name = run.name if numbered else text
            parts.append(Run(first, end, "call", name, key))
    return parts


def parameters_label(path: Path | None, depth: int) -> str | None:
    """The key of a path at a depth; None for an item without parameters."""
    if path is None:
        return None
    return path[depth] if len(path) > depth else SEVERAL


def stretches(labels: list[str | None]) -> Spans:
    """The first and last index of each stretch with one label. None fits any label."""
    found: Spans = []
    for index, text in enumerate(labels):
        if text is None:
            continue
        if found and labels[found[-1][0]] == text:
            found[-1] = found[-1][0], index
        else:
            found.append((index, index))
    return found


def sweeps(labels: list[str | None], spans: Spans) -> Spans:
    """The first and last index of each stretch that begins with the first key again; empty if the
    order of the keys varies."""
    start = labels[spans[0][0]]
    order = {text: n for n, text in enumerate(dict.fromkeys(labels[a] for a, _ in spans))}
    found: Spans = []
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


def sweep_runs(run: Run, items: Items, spans: Spans, facts: GraphFacts) -> list[Run]:
    """The iterations over all parameters."""
    cuts = borders(run, items, spans, facts)
    return [
        Run(
            first_eqn(items[a]),
            end_of(items[b - 1]),
            "call",
            iteration_name(run, items[a:b], facts),
            (ITERATION, cuts[0]),
        )
        for a, b in cuts
    ]


def borders(run: Run, items: Items, spans: Spans, facts: GraphFacts) -> Spans:
    """The start and stop of each part, as indices into `items`.

    `spans` has the items that certainly belong to a part. The border between two parts separates
    their lines. If that is not possible, it is where the lines start over, else where the fewest
    values cross. The first and the last part extend to items with the same lines.
    """
    if not spans:
        return []
    widths = facts.flow.widths(run.start, run.stop)
    depth = facts.shared_depth(run.start, run.stop)
    sites = [facts.site(item, depth) for item in items]
    order: dict[Hashable, int] = {}
    lines_of_sites = [line_of(site, facts) for site in sites]
    ranks = [order.setdefault(line, len(order)) for line in lines_of_sites]
    inside = [set(sites[a : b + 1]) for a, b in spans]
    direction = -1 if facts.roles[run.start] != BACKWARD else 1

    def border(a: int, b: int, before: set[int], after: set[int]) -> int:
        """The border among the items after `a` and up to `b`."""
        wrong = sum(site in before - after for site in sites[a + 1 : b])
        best = None
        for at in range(a + 1, b + 1):
            crossing = widths[first_eqn(items[at]) - run.start]
            weight = (wrong, ranks[at] >= ranks[at - 1], crossing, direction * at)
            best = min(best or (weight, at), (weight, at))
            wrong += (sites[at] in after - before) - (sites[at] in before - after)
        return best[1] if best else b

    lines = set(sites[spans[0][0] : spans[-1][1] + 1])
    cuts = [reach(sites, spans[0][0], -1, lines)]
    for number, ((_, a), (b, _)) in enumerate(pairwise(spans)):
        cuts.append(border(a, b, inside[number], inside[number + 1]))
    cuts.append(1 + reach(sites, spans[-1][1], 1, lines))
    return list(pairwise(cuts))


def line_of(site: int, facts: GraphFacts) -> Hashable:
    """The line of a frame; a site that is unknown is its own."""
    if site < 0:
        return site
    frame = facts.frames[site]
    return frame.file, frame.cell, frame.line


def reach(sites: list[int], at: int, step: int, lines: set[int]) -> int:
    """The last index from `at` on, in the direction `step`, whose lines are those of the loop."""
    while 0 <= at + step < len(sites) and sites[at + step] in lines:
        at += step
    return at


def by_repetition(run: Run, facts: GraphFacts) -> list[Run]:
    """The iterations of a loop, found by repeated lines and primitives."""
    items = list(run.items())
    if len(items) <= FEW_ITEMS:
        return []
    depth = facts.shared_depth(run.start, run.stop)
    symbols = [facts.symbol(item, depth) for item in items]
    widths = facts.flow.widths(run.start, run.stop)
    parts: list[Run] = []
    for start, period, copies, slack in repetitions(symbols):
        if period < 3 and not is_row_of_calls(items[start : start + period], copies):
            continue
        shift = min(
            range(slack + 1), key=lambda s: widths[first_eqn(items[start + s + period]) - run.start]
        )
        begin = start + shift
        cuts = [first_eqn(items[begin + iteration * period]) for iteration in range(copies)]
        cuts.append(end_of(items[begin + copies * period - 1]))
        if cuts[1] - cuts[0] < 3:
            continue
        name = iteration_name(run, items[begin : begin + period], facts)
        for iteration, (a, b) in enumerate(pairwise(cuts), 1):
            parts.append(
                Run(a, b, "call", f"{name} {iteration}/{copies}", (ITERATION, cuts[0], period))
            )
    return parts


def is_row_of_calls(items: Items, copies: int) -> bool:
    """True for many iterations of a call with one eqn beside it: `total += f(x)`."""
    return copies >= LONG_ROW and len({isinstance(item, Run) for item in items}) == 2


def iteration_name(run: Run, items: Items, facts: GraphFacts) -> str:
    """The name of the loop's function, else of most of an iteration, else its primitives."""
    if run.name and run.key != STEP_PART:
        return run.name
    longest = max((item for item in items if isinstance(item, Run)), key=len, default=None)
    if longest is not None and 2 * len(longest) > end_of(items[-1]) - first_eqn(items[0]):
        return longest.name
    start, stop = first_eqn(items[0]), end_of(items[-1])
    around = facts.shared_depth(run.start, run.stop)
    return (
        name_of_called(start, stop, around, facts)
        or name_of_lines(start, stop, facts, around)
        or name_of_ops(start, stop, facts)
    )


def name_of_called(start: int, stop: int, around: int, facts: GraphFacts) -> str:
    """The user's function that one line called, and that made all eqns `[start, stop)`; the line is
    the innermost of `around` frames."""
    stacks = facts.stacks[start:stop] if around else ()
    called = {facts.frames[stack[around]] for stack in stacks if len(stack) > around}
    is_all = all(len(stack) > around for stack in stacks)
    functions = {frame.function for frame in called if not frame.library}
    return title(functions.pop()) if is_all and len(functions) == 1 else ""


def repetitions(symbols: list[Hashable]) -> list[tuple[int, int, int, int]]:
    """The stretches in which a sequence of at least two elements repeats.

    Each has its start, its period, the number of whole copies, and the number of further elements
    that begin one more copy. The number of comparisons is limited to `COMPARISONS` per element.
    """
    following = next_occurrences(symbols)
    budget = COMPARISONS * len(symbols)
    found: list[tuple[int, int, int, int]] = []
    at = 0
    while at < len(symbols) and budget > 0:
        length, period, compared = longest_repetition(symbols, following, at)
        budget -= compared
        if period == 1:
            at += length - 1
        elif period == 2 or (period and length >= min(3 * period, 2 * max(period, FEW_ITEMS))):
            found.append((at, period, length // period, length % period))
            at += length - length % period
        else:
            at += 1
    return found


def next_occurrences(symbols: list[Hashable]) -> list[int]:
    """For each element, the index of the next equal one; -1 if there is none."""
    following: list[int] = [-1] * len(symbols)
    seen: dict[Hashable, int] = {}
    for index in range(len(symbols) - 1, -1, -1):
        following[index] = seen.get(symbols[index], -1)
        seen[symbols[index]] = index
    return following


def longest_repetition(
    symbols: list[Hashable], following: list[int], at: int
) -> tuple[int, int, int]:
    """The longest stretch from `at` on that repeats a sequence: its length and period (0 if there
    is none), and the number of comparisons made."""
    length = found = compared = 0
    other = at
    for _ in range(TRIES):
        other = following[other]
        if other < 0:
            break
        period = other - at
        stop = other
        while stop < len(symbols) and symbols[stop] == symbols[stop - period]:
            stop += 1
        compared += stop - other + 1
        if stop - other >= period and stop - at > length:
            length, found = stop - at, period
        if found in (1, 2):
            break
    return length, found, compared


OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.MatMult: "dot_general",
    ast.USub: "neg",
}


def gather_short_loops(
    root: Run,
    run_numbers: RunNumbers,
    stage: schema.Stage,
    index: int,
    facts: GraphFacts,
    lines: Lines,
) -> None:
    """Puts the iterations of each loop with one or two eqns into a row, in place."""
    eqns = stage.graphs[index].eqns
    keys: list[Hashable] = [(eqn.op, eqn.call) for eqn in eqns]
    for outer in preorder(root):
        items = list(outer.items())
        rows: list[Run] = []
        for begin, end in loose_stretches(items, LONG_ROW - 1):
            start, stop = first_eqn(items[begin]), first_eqn(items[end - 1]) + 1
            for a, b, period in short_repetitions(keys, start, stop):
                calls = [eqn.call for eqn in eqns[a : a + period] if eqn.call is not None]
                beside = {eqns[at].call for at in (a - 1, b) if 0 <= at < len(eqns)}
                spans = [(at, at + period) for at in range(a, b, period)]
                if (
                    len(calls) == period
                    and facts.roles[a] not in ROLE_MARKS
                    and beside.isdisjoint(calls)
                    and (period > 1 or makes_one(eqns[a], stage.frames[calls[0]], lines))
                    and len({*run_numbers.of(index, spans)}) == 1
                    and only_loop_of(calls, stage.frames, lines)
                ):
                    rows.append(row_of(outer, spans, facts))
        if len(rows) == 1 and rows[0].same(outer) and outer is not root and outer.key != STEP_PART:
            outer.kind, outer.name, outer.runs = REPEAT, rows[0].name, rows[0].runs
        else:
            enclose(outer, rows)


def short_repetitions(
    keys: list[Hashable], start: int, stop: int
) -> Iterator[tuple[int, int, int]]:
    """The start, stop and period of each long stretch within `[start, stop)` that repeats one or
    two elements."""
    at = start
    while at < stop:
        for period in (1, 2):
            end = at + period
            while end < stop and keys[end] == keys[end - period]:
                end += 1
            end -= (end - at) % period
            if end - at >= LONG_ROW * period:
                yield at, end, period
                at = end
                break
        else:
            at += 1


def makes_one(eqn: schema.Eqn, frame: schema.Frame, lines: Lines) -> bool:
    """True if an eqn's expression makes no other eqn: it is the operator, or a call of its name."""
    line = lines.get(("" if frame.cell else frame.file, frame.cell, frame.line), "")
    try:
        node = ast.parse(line[frame.column - 1 : frame.end_column - 1].strip()).body[0]
    except (IndexError, SyntaxError, ValueError):
        return False
    if isinstance(node, ast.AugAssign):
        return OPERATORS.get(type(node.op)) == eqn.op
    match node.value if isinstance(node, ast.Expr) else None:
        case ast.BinOp(op=operator) | ast.UnaryOp(op=operator):
            return OPERATORS.get(type(operator)) == eqn.op
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name in (eqn.op, eqn.name)
        case _:
            return False


def row_of(outer: Run, spans: list[tuple[int, int]], facts: GraphFacts) -> Run:
    start, stop = spans[0][0], spans[-1][1]
    is_all = (start, stop) == (outer.start, outer.stop) and outer.key != STEP_PART
    name = (is_all and outer.name) or name_of_ops(*spans[0], facts)
    iterations = [
        Run(a, b, "call", f"{name} {number}/{len(spans)}", (ITERATION, start), outer.role)
        for number, (a, b) in enumerate(spans, 1)
    ]
    return Run(start, stop, REPEAT, row_name(iterations), REPEAT, outer.role, runs=iterations)
