"""The keys that are known while a program is followed, and their uses."""

from __future__ import annotations

from collections.abc import Hashable

from jaxviz.analysis.findings.indexed_program import IndexedProgram
from jaxviz.analysis.findings.random_keys.key_values import (
    Keys,
    Path,
    Root,
    Site,
    Use,
    all_keys,
    loops_of,
    shape_of_keys,
)


class KnownKeys:
    """The roots of keys, by number, and the uses found so far."""

    def __init__(self, indexed: IndexedProgram) -> None:
        self.indexed = indexed
        self.roots: list[Root] = []
        self.uses: list[Use] = []
        self.numbers: dict[Hashable, int] = {}
        """The number of each root, by what it is."""

    def root(
        self,
        what: Hashable,
        loops: frozenset[Path] = frozenset(),
        name: str = "",
        outside: Keys | None = None,
        is_slice: bool = False,
        made_of: Keys | None = None,
    ) -> int:
        """The number of a root. The same `what` has the same number."""
        if what not in self.numbers:
            self.numbers[what] = len(self.roots)
            self.roots.append(Root(loops, name, outside, is_slice, made_of))
        return self.numbers[what]

    def use(self, keys: Keys, path: Path) -> None:
        """Records that an eqn uses keys, also as the keys that they are outside of loops."""
        outside, loops = keys, frozenset[Path]()
        while outside is not None:
            keys, root = outside, self.roots[outside.root]
            loops |= root.loops
            self.uses.append(Use(path, keys.root, keys.at, loops))
            outside = _outside(keys, root)

    def value(self, site: Site, var: int) -> Hashable:
        """Returns what is known of a value: keys, a literal, or the place where it was made."""
        if var in site.values:
            return site.values[var]
        if site.graph.vars[var].literal:
            return "literal", site.graph.vars[var].name
        return "made", site.path[:-1], site.path[-1].place[0], var

    def keys(self, site: Site, var: int) -> Keys | None:
        """The keys of a value; None if it has none. If nothing is known of it, they are like no
        others."""
        found = site.values.get(var)
        if isinstance(found, Keys):
            return found
        shape = shape_of_keys(self.indexed.aval(site.graph, var))
        if shape is None:
            return None
        keys = all_keys(self.root(self.value(site, var), loops_of(site.path)), shape)
        site.values[var] = keys
        return keys


def _outside(keys: Keys, root: Root) -> Keys | None:
    """Keys in a loop as those outside for which they stand: a slice stands for all rows."""
    if root.outside is None:
        return None
    rows = root.outside.shape[0] if root.is_slice else 1
    size = len(root.outside.at) // max(1, rows)
    if keys.at == range(size):
        return root.outside
    at = tuple(root.outside.at[row * size + one] for row in range(rows) for one in keys.at)
    return Keys(root.outside.root, at, (len(at),))
