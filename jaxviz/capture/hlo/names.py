"""The names of ops, which hold the numbers of the eqns that they were made for.

`jit(f)/jvp(encoder/jv12)/while/body/jv15/dot_general`: made for eqn 15, in a body of eqn 12.
"""

from __future__ import annotations

import re
from itertools import count
from typing import Any, NamedTuple

from jaxviz.capture.strings import name
from jaxviz.schema import Eqn, Stage


class Made(NamedTuple):
    """What an op's name says of it."""

    origin: list[int]
    scope: int


class Names:
    """Reads the names of a stage's ops."""

    def __init__(self, jaxpr: Stage, token: str) -> None:
        self.scopes: dict[str, int] = {}
        self._eqns = [eqn for graph in jaxpr.graphs for eqn in graph.eqns]
        self._token = re.compile(rf"/?{re.escape(token)}(\d+)")
        self._known: dict[str, Made] = {}

    def read(self, op_name: str) -> Made:
        """The eqns that the op was made for, outermost first, and its scope."""
        if op_name not in self._known:
            scope = name(self._scope(op_name))
            index = self.scopes.setdefault(scope, len(self.scopes))
            self._known[op_name] = Made(self._origin(op_name), index)
        return self._known[op_name]

    def eqn(self, origin: list[int]) -> Eqn | None:
        """The eqn of the jaxpr that something was made for."""
        return self._eqns[origin[-1]] if origin else None

    def _origin(self, op_name: str) -> list[int]:
        numbers = (int(number) for number in self._token.findall(op_name))
        return list(dict.fromkeys(number for number in numbers if number < len(self._eqns)))

    def _scope(self, op_name: str) -> str:
        """Without the function, the primitive and the numbers."""
        if op_name.startswith("jit("):
            op_name = op_name.partition(")/")[2].removeprefix("jit(main)/")
        return self.without(op_name.rpartition("/")[0]).removeprefix("/")

    def without(self, text: str) -> str:
        """The text without the numbers of eqns."""
        return self._token.sub("", text)

    def rename(self, module: Any) -> None:
        """Gives what XLA has named after a scope with a number another name, in place."""
        computations = list(module.computations)
        named = [*computations, *(held for found in computations for held in found.instructions)]
        taken = {held.name for held in named}
        for held in named:
            if self._token.search(held.name):
                held.name = _free(getattr(held, "opcode", "computation"), taken)
                taken.add(held.name)


def _free(wanted: str, taken: set[str]) -> str:
    return next(name for n in count(1) if (name := f"{wanted}.{n}") not in taken)
