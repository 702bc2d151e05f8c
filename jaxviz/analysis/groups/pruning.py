"""Removes runs without information: those equal to another, too short, or nearly as long as their
parent. Every function here changes the tree of runs in place."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import chain
from typing import cast

from jaxviz.analysis.groups.facts.call_stacks import (
    METRICS,
    Call,
    is_descriptive,
    is_library,
    is_rule,
    is_transformation,
)
from jaxviz.analysis.groups.facts.graph_facts import GraphFacts
from jaxviz.analysis.groups.facts.name_stacks import BACKWARD, FORMULA, FORWARD, OPTIMIZER
from jaxviz.analysis.groups.facts.parameter_paths import PRODUCTS, layer_path
from jaxviz.analysis.groups.long_runs import most_items
from jaxviz.analysis.groups.loops import python_loops
from jaxviz.analysis.groups.run_tree import BODY, RECOMPUTED, SHORTEST_GROUP, Run, preorder
from jaxviz.analysis.groups.steps.training_step import Steps

SHORT_CALL = 20
"""The most eqns of a run in which calls of plain functions need no groups of their own."""
WORKING_OPS = PRODUCTS | {"jit", "pjit", "scatter-add", "cond", "custom_vjp_call", "remat2"}
"""Ops that do the work of a layer, or contain it."""


def merge_equal(root: Run, facts: GraphFacts) -> None:
    """Keeps one of several runs with the same eqns: the scope, else the outermost call, with the
    name of the outermost descriptive function. In the body of a function without a name, the user's
    innermost function that runs all of it is kept, too."""
    own: Run | None = None
    for run in preorder(root):
        while len(run.runs) == 1 and run.same(run.runs[0]):
            inner = run.runs[0]
            better = not is_descriptive(run.name) and is_descriptive(inner.name)
            if run is not root and run.kind == "call" and better:
                run.name = inner.name
            if run is root and is_called_in_body(inner, facts):
                own = inner
            run.runs = inner.runs
    if own is not None:
        own.runs, root.runs = root.runs, [own]


def is_called_in_body(run: Run, facts: GraphFacts) -> bool:
    """True if a run is a call of the user's function in the body of a function without a name. A
    function called `body` adds nothing to the box around it."""
    if facts.caller is None or run.kind != "call" or is_library(run.key) or run.name == "body":
        return False
    return cast(Call, run.key)[0] not in (None, *facts.caller[:-1])


def dissolve(root: Run, steps: Steps, facts: GraphFacts) -> None:
    """Removes calls that only contain the iterations of a loop, or are nearly all of their parent.
    The user's function that is the body of a function without a name stays."""
    in_both = calls_in_both_passes(steps)
    todo = [root]
    while todo:
        run = todo.pop()
        index = 0
        while index < len(run.runs):
            inner = run.runs[index]
            is_needed = inner.key in in_both or (run is root and is_called_in_body(inner, facts))
            is_needed = is_needed or is_rule(inner.key)
            most = dominates(inner, run) and not is_needed and not is_chained(inner)
            if inner.kind == "call" and (is_loop(inner) or most):
                run.runs[index : index + 1] = inner.runs
            else:
                index += 1
        todo += run.runs


def calls_in_both_passes(steps: Steps) -> set[Hashable]:
    """The calls that occur once in the forward and once in the backward pass of a step, and are
    clearly smaller than their parent in one of them. Both passes keep such a call, so that it can
    be paired."""
    found: set[Hashable] = set()
    for step in steps:
        passes = [single_calls(run) for run in step if run.role in (FORWARD, BACKWARD)]
        if len(passes) == 2:
            both = passes[0].keys() & passes[1].keys()
            found |= {key for key in both if passes[0][key] or passes[1][key]}
    return found


def single_calls(root: Run) -> dict[Hashable, bool]:
    """The calls that occur once in a run, each with True if it is clearly smaller than its
    parent."""
    found: dict[Hashable, list[bool]] = {}
    for run in preorder(root):
        for inner in run.runs:
            if inner.kind == "call" and inner.key is not None:
                found.setdefault(inner.key, []).append(not dominates(inner, run))
    return {key: smaller[0] for key, smaller in found.items() if len(smaller) == 1}


def is_loop(run: Run) -> bool:
    """True if a run contains the iterations of a loop and nothing else. A library's function is no
    loop of the user: it runs once over all parameters."""
    if is_library(run.key):
        return False
    iterations = [inner for inner in run.runs if inner.kind == "scope" or is_iteration(inner)]
    return 2 <= len(iterations) <= python_loops.FEW_ITEMS and sum(map(len, iterations)) == len(run)


def is_chained(run: Run) -> bool:
    """True if a run is one of the transformations in a chain of the user's optimizer."""
    if not is_library(run.key):
        return False
    _, function, file, _ = cast(Call, run.key)
    return is_transformation(function, file)


def is_iteration(run: Run) -> bool:
    """True if a run is one iteration of a loop, or an eqn that recomputes one."""
    return python_loops.is_iteration(run) or run.key in (RECOMPUTED, BODY)


def dominates(inner: Run, run: Run) -> bool:
    """True if `inner` is nearly all of `run`, which is readable without it."""
    part = 3 / 4 if inner.runs else 9 / 10
    return (
        len(inner) >= part * len(run)
        and not python_loops.is_iteration(inner)
        and (bool(inner.runs) or (run.kind == "call" and run.name != ""))
        and final_items(inner) + final_items(run) - 1 <= most_items(run)
    )


def final_items(run: Run) -> int:
    """The number of items of a run if its runs that are too short for a group are loose eqns."""
    short = (len(inner) - 1 for inner in run.runs if len(inner) < SHORTEST_GROUP)
    return run.count() + sum(short)


def drop_short(root: Run, facts: GraphFacts) -> None:
    """Removes runs that are too short, and calls that have only the name of a function."""
    layers = {run.key for run in preorder(root) if is_library(run.key) and facts.path(run)}
    users_calls: dict[Hashable, str] = {}
    for run in preorder(root):
        small = run is not root and len(run) <= SHORT_CALL
        runs: list[Run] = []
        for inner in run.runs:
            is_plain = is_only_named_by_function(inner, run, facts) and inner.key not in layers
            is_helper = is_library(inner.key) and len(inner) <= SHORT_CALL and inner.name != METRICS
            dropped = is_plain and (small or is_helper)
            if is_internal_call(inner, facts):
                users_calls.setdefault(inner.key, name_of_users_call(inner, facts))
                inner.name = users_calls[inner.key] or inner.name
                dropped = not users_calls[inner.key]
            if dropped and not inner.role and not is_rule(inner.key):
                runs += inner.runs
            else:
                runs.append(inner)
        long = {
            inner
            for inner in runs
            if inner.role or is_rule(inner.key) or is_long(inner, runs, facts)
        }
        if run.role == OPTIMIZER and long:
            # a run that makes the new value of one array
            long |= {one for one in runs if len(one) > 1 and layer_path(facts.path(one), ())}
        run.runs = [inner for inner in runs if inner in long]


def is_long(run: Run, beside: list[Run], facts: GraphFacts) -> bool:
    """True if a run is long enough for a group. A run of one or two eqns is, if it does the work of
    a layer, an embedding or a convolution without a bias, and no adjacent run has its name. A run
    that only fills arrays never is."""
    if set(facts.ops[run.start : run.stop]) == {"broadcast_in_dim"}:
        return False
    if len(run) >= SHORTEST_GROUP:
        return True
    if WORKING_OPS.isdisjoint(facts.ops[run.start : run.stop]):
        return False
    path = layer_path(facts.path(run), ())
    if path is not None:
        touching = [one for one in beside if run.start == one.stop or one.start == run.stop]
        return all(layer_path(facts.path(one), ()) != path for one in touching)
    is_named = run.kind == "scope" and FORMULA not in run.name
    return is_named and sum(other.name == run.name for other in beside) == 1


def is_internal_call(run: Run, facts: GraphFacts) -> bool:
    """True if a run is a function that a library calls internally in a pass of a derivative. The
    user does not know this function. But a called object was made by the user, and a run that works
    on parameters itself has their name."""
    if not is_library(run.key) or facts.roles[run.start] not in (FORWARD, BACKWARD):
        return False
    caller, function, _, _ = cast(Call, run.key)
    path = layer_path(facts.path(run), ())
    by_parameters = bool(facts.trained and path) and not facts.is_named_by_place(path or ())
    own = caller is None or facts.frames[caller].library
    has_runs = sum(map(len, run.runs)) >= 3 / 4 * len(run)
    return has_runs and own and not by_parameters and not function.endswith(".__call__")


def name_of_users_call(run: Run, facts: GraphFacts) -> str:
    """The name of the user's function or object, if a library's function runs one and then works on
    its result. NumPyro runs a model, and then computes the densities of its samples."""
    own = [inner for inner in run.runs if is_users(inner, run, facts)]
    return own[0].name if len(own) == 1 and own[0] is not run.runs[-1] else ""


def is_users(run: Run, outer: Run, facts: GraphFacts) -> bool:
    """True if a run is a library's call of a user's function or of an object."""
    if run.kind != "call" or not isinstance(run.key, tuple) or len(run.key) != 4:
        return False
    caller, function, _, library = cast(Call, run.key)
    by_library = caller is None or facts.frames[caller].library
    path = [facts.frames[frame].function for frame in facts.stacks[run.start]]
    is_within = path.count(cast(Call, outer.key)[1]) == 1  # else the calls of `outer` itself decide
    return by_library and is_within and (not library or function.endswith(".__call__"))


def is_only_named_by_function(run: Run, outer: Run, facts: GraphFacts) -> bool:
    """True if only its function, and no parameters, would name a run."""
    if run.kind != "call" or python_loops.is_iteration(run):
        return False
    path = facts.path(run)
    same = layer_path(path, ()) == layer_path(facts.path(outer), ())
    return path is None or (path != () and same)


def drop_repeated_names(root: Run) -> None:
    """Removes runs with the name of the run around them. They are no longer counterparts."""
    for run in preorder(root):
        while any(inner.name == run.name for inner in run.runs):
            same = [inner.runs if inner.name == run.name else [inner] for inner in run.runs]
            run.runs = list(chain.from_iterable(same))
    runs = set(preorder(root))
    for run in runs:
        run.counterpart = run.counterpart if run.counterpart in runs else None
