"""The tree of a card: what a loop is given beside what it returns, or the results of branches."""

from __future__ import annotations

from jaxviz.capture.failure._trees import Compared, Leaves
from jaxviz.schema import Tree, TreeRow

MOST_ROWS = 24
"""Of a larger tree only what does not fit is shown, and what is around it."""
Keys = tuple[str, ...]


def tree_of(compared: Compared | None) -> Tree | None:
    """Both sides as one tree; None where they are not known, or neither has more than a leaf."""
    if compared is None or not any((*compared.one, *compared.other)):
        return None
    one, other = compared.one, compared.other
    leaves = {**one, **other}
    unlike = {*compared.unlike, *(one.keys() ^ other.keys())}
    places = _places(leaves)
    if len(places) > MOST_ROWS:
        places = [keys for keys in places if any(keys == own[: len(keys)] for own in unlike)]
    others = len(leaves) - sum(keys in leaves for keys in places)
    rows = [
        TreeRow(
            key=keys[-1] if keys else compared.root,
            depth=len(keys),
            types=[one.get(keys, ""), other.get(keys, "")],
            fits=keys not in unlike,
        )
        for keys in places[:MOST_ROWS]
    ]
    return Tree(sides=[*compared.sides], rows=rows, others=others)


def _places(leaves: Leaves) -> list[Keys]:
    """The keys of each leaf and of what holds it, each before what it holds, in the order in which
    they come first."""
    held: dict[Keys, dict[Keys, None]] = {}
    for keys in leaves:
        for depth in range(len(keys)):
            held.setdefault(keys[:depth], {})[keys[: depth + 1]] = None
    found: list[Keys] = []
    waiting: list[Keys] = [()]
    while waiting:
        place = waiting.pop()
        found.append(place)
        waiting += reversed(held.get(place, {}))
    return found
