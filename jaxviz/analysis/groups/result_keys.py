"""The parts of an optimizer that the program's results tell apart: of several optimizers in one
program, each makes its own new value of the same parameter, `result['adam']['w']` beside
`result['lion']['w']`.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby

from jaxviz import schema
from jaxviz.analysis.groups.graph_facts import GraphFacts
from jaxviz.analysis.groups.known_parameters import Path, keys
from jaxviz.analysis.groups.name_stacks import OPTIMIZER
from jaxviz.analysis.groups.run_tree import SHORTEST_GROUP, Run
from jaxviz.analysis.groups.training_step import Steps


def key_runs(graph: schema.Graph, facts: GraphFacts, steps: Steps) -> list[Run]:
    """A run for each key of the results, where one stretch of an optimizer leads to what is below
    that key, and to nothing else."""
    optimizers = [run for step in steps for run in step if run.role == OPTIMIZER]
    known = keys_of_results(graph, facts) if optimizers else {}
    found: list[Run] = []
    for run in optimizers if known else ():
        leads = keys_led_to(graph, run, known)
        rows = [(key, [at for at, _ in row]) for key, row in groupby(leads, lambda two: two[1])]
        names = [key for key, _ in rows]
        if len(names) == len(set(names)) and "" not in names:
            found += [Run(row[0], row[-1] + 1, "scope", key) for key, row in rows]
    return found if len(found) > 1 and min(map(len, found)) >= SHORTEST_GROUP else []


def keys_of_results(graph: schema.Graph, facts: GraphFacts) -> dict[int, str]:
    """The results with the key that they lie below, of those keys which tell new values of one
    parameter apart; empty for results below none."""
    named = list(zip(graph.outvars, graph.results, strict=False))
    alike: dict[Path, set[str]] = defaultdict(set)
    for var, name in named:
        path, full = facts.given.get(var), keys(name)[1]
        for depth, key in enumerate(full[: -len(path)] if path else ()):
            if f"['{key}']" in name:
                alike[(*full[:depth], "", *full[depth + 1 :])].add(key)
    known = {key for of_keys in alike.values() if len(of_keys) > 1 for key in of_keys}
    if not known:
        return {}
    return {var: next((key for key in keys(name)[1] if key in known), "") for var, name in named}


def keys_led_to(graph: schema.Graph, run: Run, known: dict[int, str]) -> list[tuple[int, str]]:
    """The eqns of a run, each with the key of the results that it leads to; empty for several."""
    of_vars = dict(known)
    leads: list[tuple[int, str]] = []
    for at in reversed(range(run.start, run.stop)):
        eqn = graph.eqns[at]
        used = {of_vars[var] for var in eqn.outvars if var in of_vars}
        key = used.pop() if len(used) == 1 else ""
        if used or key or any(var in of_vars for var in eqn.outvars):
            leads.append((at, key))
            for var in eqn.invars:
                of_vars[var] = key if of_vars.get(var, key) == key else ""
    return leads[::-1]
