"""Reads the numbers of eqns from the names of the ops that were made for them (see `clone.py`).

`jit(f)/jvp(encoder/jv12)/while/body/jv15/dot_general` was made for eqn 15, in a body of eqn 12.
Where XLA makes one instruction of two, it joins their names: `a/mul;b/add`, `a/(b/mul:c/add)`.
"""

from __future__ import annotations

import re
from itertools import count
from typing import Any

from jaxviz.capture.shown.strings import name


class Names:
    """Reads the names of a stage's ops, which hold `token` before each number."""

    def __init__(self, token: str) -> None:
        self.scopes: dict[str, int] = {}
        self._letters = token
        self._token = re.compile(rf"/?{re.escape(token)}(\d+)")

    def numbers(self, op_name: str) -> list[int]:
        """The eqns' numbers in a name, in their order: outermost first, unless XLA joined names."""
        return [int(number) for number in self._token.findall(op_name)]

    def scope(self, op_name: str) -> int:
        """The index in `scopes` of the name without its function, its primitive and the numbers."""
        scope = name(self.without(self._path(op_name)).removeprefix("/"))
        return self.scopes.setdefault(scope, len(self.scopes))

    def _path(self, op_name: str) -> str:
        """The name without function and primitive; empty where XLA named the op after one of the
        program's inputs."""
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

    def rename(self, module: Any) -> None:
        """Gives other names to the computations and instructions that XLA named after a scope with
        a number. Changes the module in place."""
        computations = list(module.computations)
        named = [*computations, *(held for found in computations for held in found.instructions)]
        taken = {held.name for held in named}
        if not self._token.search("\n".join(taken)):
            return
        for held in named:
            if self._token.search(held.name):
                held.name = _free(getattr(held, "opcode", "computation"), taken)
                taken.add(held.name)


def _free(wanted: str, taken: set[str]) -> str:
    return next(name for n in count(len(taken)) if (name := f"{wanted}.{n}") not in taken)
