"""Reads the numbers of eqns from the names of ops, and finds the origin of an instruction by them.

`clone.py` writes the numbers. `jit(f)/jvp(encoder/jv12)/while/body/jv15/dot_general` was made for
eqn 15, in a body of eqn 12. If XLA joins two instructions, it joins their names:
`a/mul;b/add`, `a/(b/mul:c/add)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import count

from jaxviz.capture.shown.strings import name
from jaxviz.schema import Eqn, Stage


class Names:
    """Reads the names of a stage's ops, which have `token` before each number."""

    def __init__(self, token: str) -> None:
        self.scopes: dict[str, int] = {}
        self._letters = token
        self._token = re.compile(rf"/?{re.escape(token)}(\d+)")
        self._number = re.compile(rf"{re.escape(token)}(\d+)")
        self._by_form: dict[str, int] = {}
        """The index in `scopes` of each name. The names are without the numbers after tokens."""

    def numbers(self, op_name: str) -> list[int]:
        """The eqns' numbers in a name, in order: outermost first, unless XLA joined names."""
        return [int(number) for number in self._token.findall(op_name)]

    def read(self, op_name: str) -> tuple[list[int], int]:
        """The `numbers` and the `scope` of a name. Most names differ only in numbers."""
        pieces = self._number.split(op_name)
        form = self._letters.join(pieces[::2])
        scope = self._by_form.get(form)
        if scope is None:
            scope = self._by_form[form] = self.scope(op_name)
        return [*map(int, pieces[1::2])], scope

    def scope(self, op_name: str) -> int:
        """The index in `scopes` of the name without its function, its primitive and the numbers."""
        scope = name(self.without(self._path(op_name)).removeprefix("/"))
        return self.scopes.setdefault(scope, len(self.scopes))

    def _path(self, op_name: str) -> str:
        """The name without function and primitive; empty if XLA named the op after an input."""
        op_name = op_name.partition(";jit(")[0]
        if op_name.startswith("jit("):
            op_name = op_name.partition(")/")[2].removeprefix("jit(main)/")
        elif not self._token.search(op_name):
            return ""
        common, joined, _ = op_name.partition("/(")
        return common if joined else op_name.rpartition("/")[0]

    def without(self, text: str) -> str:
        """The text without the numbers of eqns."""
        return self._token.sub("", text) if self._letters in text else text

    def are_numbered(self, names: Iterable[str]) -> bool:
        """True if one of these names may contain the number of an eqn."""
        return self._letters in "\n".join(names)

    def free(self, called: str, kind: str, taken: set[str]) -> str:
        """The name itself if it has no eqn's number; else a new name of its `kind`, which is added
        to `taken`."""
        if self._token.search(called):
            names = (f"{kind}.{n}" for n in count(len(taken)))
            called = next(name for name in names if name not in taken)
            taken.add(called)
        return called


class Origins:
    """Finds the origin of an instruction: the number of its eqn, after those of the enclosing eqns.

    Eqns are numbered through all graphs. XLA may omit enclosing eqns, and join several names.
    """

    def __init__(self, jaxpr: Stage) -> None:
        self._eqns = [eqn for graph in jaxpr.graphs for eqn in graph.eqns]
        self._graph = [number for number, graph in enumerate(jaxpr.graphs) for _ in graph.eqns]
        self._holders: list[set[int]] = [set() for _ in jaxpr.graphs]
        for number, eqn in enumerate(self._eqns):
            for body in eqn.bodies:
                self._holders[body.graph].add(number)

    def eqn(self, origin: tuple[int, ...]) -> Eqn | None:
        return self._eqns[origin[-1]] if origin else None

    def of(self, numbers: Sequence[int], around: tuple[int, ...]) -> tuple[int, ...]:
        """The origin of an instruction whose op name has `numbers`. `around` is the origin of the
        instruction that calls its computation."""
        return self.within(self.nested(numbers), around)

    def nested(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """The first numbers, until an eqn is not directly in a body of the one before. So of joined
        names the first one counts."""
        chain: list[int] = []
        for number in numbers:
            if number >= len(self._eqns):
                break
            if chain and chain[-1] not in self._holders[self._graph[number]]:
                break
            chain.append(number)
        return tuple(chain)

    def is_whole(self, origin: tuple[int, ...]) -> bool:
        """True if no enclosing eqn is missing at the beginning of an origin."""
        return not origin or self._graph[origin[0]] == 0

    def within(self, origin: tuple[int, ...], around: tuple[int, ...]) -> tuple[int, ...]:
        """The origin with the enclosing eqns that are missing at its beginning, if only one is
        possible. XLA names the ops of a reducer without the eqns around the reduction."""
        while not self.is_whole(origin):
            if origin[0] in around:
                return (*around[: around.index(origin[0])], *origin)
            holders = self._holders[self._graph[origin[0]]]
            possible = holders.intersection(around) or holders
            if len(possible) != 1:
                break
            origin = (*possible, *origin)
        return origin


def branch_labels(source: Eqn | None, count: int) -> tuple[str, ...]:
    """The labels of the branches of a choice in a later stage: those of `source`, the `cond` of the
    jaxpr that it comes from. Both have their branches in the same order."""
    bodies = source.bodies if source is not None and source.op == "cond" else ()
    if len(bodies) == count:
        return tuple(body.label for body in bodies)
    return tuple(f"branch {number}" for number in range(count))
