"""Names for runs: what the user called them, else the parameters they use, else the function."""

from __future__ import annotations

import re
from collections import Counter

from jaxviz.analysis import arguments, regions, scopes
from jaxviz.analysis.arguments import Path
from jaxviz.analysis.loops import is_turn
from jaxviz.analysis.source import Source
from jaxviz.analysis.tree import REGION, Run, preorder

Paths = dict[Run, Path | None]
NUMBERED = re.compile(r" \d+/\d+(?= |$)")
"""The number of a loop's turn."""

MARKS = {scopes.BACKWARD: "⟵", scopes.RECOMPUTE: "↻"}
"""Mark what runs backward, the transpose of what has the same name, and what computes it again."""


def give(root: Run, source: Source, paths: Paths) -> None:
    """Names every run below `root` in place: by its parameters, else as its twin."""
    todo: list[tuple[Run, Path]] = [(root, paths[root] or ())]
    by_path: set[Run] = set()
    while todo:
        outer, base = todo.pop()
        for run in outer.runs:
            inner = base
            subtree = below(paths[run], base)
            if subtree is not None and run.key != REGION:
                if run.kind == "call" or "." in run.name:
                    run.name = render(subtree, len(base), source.owner)
                    by_path.add(run)
                    inner = subtree
                elif subtree[-1] == run.name:
                    inner = subtree
            elif run.role == regions.OPTIMIZER and run.key != REGION:
                run.name = kept_as(run, source) or run.name
            todo.append((run, inner))
    for outer in preorder(root):
        number_turns(outer)
    named = [run for run in preorder(root)[1:] if run.key != REGION]
    for run in named:
        if run.twin and (run not in by_path or NUMBERED.search(run.twin.name)):
            run.name = run.twin.name
    for run in named:
        if run.role in MARKS:
            run.name = f"{run.name} {MARKS[run.role]}"


def kept_as(run: Run, source: Source) -> str:
    """The name of the optimizer's state that a run alone makes: `mu`."""
    kept = set(source.holders[run.start : run.stop]) - {"", source.owner}
    return kept.pop() if len(kept) == 1 else ""


def number_turns(outer: Run) -> None:
    """Tells the turns of a loop apart that have one name: `cell 2/30`."""
    turns = [run for run in outer.runs if is_turn(run) and not NUMBERED.search(run.name)]
    count = Counter(run.name for run in turns)
    number: Counter[str] = Counter()
    for run in turns:
        total = count[run.name]
        if total > 1:
            number[run.name] += 1
            run.name = f"{run.name} {number[run.name]}/{total}"


def shared(root: Run, source: Source) -> Paths:
    """The path that all parameters of each run share."""
    found: Paths = {}
    for run in reversed(preorder(root)):
        path: Path | None = None
        for item in run.items():
            here = found[item] if isinstance(item, Run) else source.paths[item]
            path = arguments.common(path, here)
        found[run] = path
    return found


def below(path: Path | None, base: Path) -> Path | None:
    """The subtree of parameters that a run is named by, None where it is not below `base`."""
    if path is None:
        return None
    subtree = path[:-1] if len(path) > 1 and path[-1] in arguments.LEAVES else path
    return subtree if len(subtree) > len(base) else None


def render(path: Path, depth: int, owner: str) -> str:
    """`layers[0].attn`, from the first key below `depth`; a position with its list's name."""
    start = depth
    while start > 0 and path[start].startswith("["):
        start -= 1
    text = owner if path[start].startswith("[") else ""
    for key in path[start:]:
        text += key if key.startswith("[") or not text else f".{key}"
    return text
