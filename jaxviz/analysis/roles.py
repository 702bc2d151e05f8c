"""Forward, backward and optimizer told apart, and each run's twin in the forward pass."""

from __future__ import annotations

from collections import Counter

from jaxviz.analysis import scopes
from jaxviz.analysis.names import ARROW
from jaxviz.analysis.tree import Run, preorder

FORWARD = "forward"
BACKWARD = "backward"
OPTIMIZER = "optimizer"


def give(root: Run, stacks: list[scopes.Names]) -> None:
    """The role of every run below `root`: its own, else that of the run around it."""
    for run in preorder(root):
        if run.name == OPTIMIZER and not run.role:
            run.role = OPTIMIZER
        for inner in run.runs:
            found = scopes.direction(stacks[inner.start])
            inner.role = run.role or (str(found) if found else "")


def pair(root: Run) -> None:
    """Gives each run of another role the forward run of its name, level by level."""
    sides = {
        role: [r for r in root.runs if r.role == role] for role in (FORWARD, BACKWARD, OPTIMIZER)
    }
    if len(sides[FORWARD]) != 1:
        return
    forward = sides[FORWARD][0]
    todo = [(run, forward) for run in sides[BACKWARD] + sides[OPTIMIZER]]
    while todo:
        run, twin = todo.pop()
        if run.role == BACKWARD or twin is not forward:
            run.twin = twin
        names = Counter(inner.name for inner in twin.runs)
        for inner in run.runs:
            name = inner.name.removesuffix(f" {ARROW}")
            if names[name] == 1:
                match = next(r for r in twin.runs if r.name == name)
                todo.append((inner, match))
            elif run.role == OPTIMIZER and not inner.twin:
                todo.append((inner, twin)) if twin is forward else None
