"""What a run of eqns is called that nobody named, and that no function or line tells apart: by what
it does, `sqrt, div over embed…norm`.
"""

from __future__ import annotations

from collections import Counter

from jaxviz.analysis.groups.graph_facts import GraphFacts
from jaxviz.analysis.groups.parameter_paths import layer_path, path_text
from jaxviz.ops import plain_name, row_of

MOST_OPS = 2
"""Ops that are named, at most."""
NOT_WORK = frozenset({"movement", "call", "control", "other"})
"""Families of ops that say little of what is done."""


def what_is_done(start: int, stop: int, facts: GraphFacts) -> str:
    """The ops that do most of the work of the eqns `[start, stop)`, else what these call, and the
    layers that most of them work on. Of ops that all come once, the first and the last."""
    ops = Counter(facts.ops[start:stop])
    work = Counter({op: count for op, count in ops.items() if row_of(op).family not in NOT_WORK})
    work = work or Counter(facts.calls[start:stop])
    counted = work.most_common(MOST_OPS)
    most = counted[0][1]
    done = ", ".join(plain_name(op) for op, count in counted if 4 * count >= most)
    if most == 1 and len(work) > MOST_OPS:
        first, *_, last = work
        done = f"{plain_name(first)}…{plain_name(last)}"
    paths = [layer_path(path, ()) for path in facts.paths[start:stop]]
    layers = [path for path in paths if path and not facts.is_named_by_its_place(path)]
    if not facts.trained or 2 * len(layers) <= stop - start:
        return done
    return f"{done} over {from_to([path_text(layer, 0, facts.owner) for layer in layers])}"


def from_to(names: list[str]) -> str:
    return names[0] if names[0] == names[-1] else f"{names[0]}…{names[-1]}"
