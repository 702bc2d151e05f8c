"""Each backward and optimizer run's twin in the forward pass."""

from __future__ import annotations

from collections import Counter

from jaxviz.analysis.names import ARROW
from jaxviz.analysis.tree import Run


def pair(parts: list[list[Run]]) -> None:
    """Gives each run of another role the forward run of its name, level by level."""
    for forward, *others in (group for group in parts if len(group) > 1):
        todo = [(run, forward) for run in others]
        while todo:
            run, twin = todo.pop()
            run.twin = twin
            names = Counter(inner.name for inner in twin.runs)
            for inner in run.runs:
                name = inner.name.removesuffix(f" {ARROW}")
                if names[name] == 1:
                    todo.append((inner, next(r for r in twin.runs if r.name == name)))
