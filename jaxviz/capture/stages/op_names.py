"""Reads the numbers of eqns from the names of the ops that were made for them (see `clone.py`).

`jit(f)/jvp(encoder/jv12)/while/body/jv15/dot_general` was made for eqn 15, in a body of eqn 12.
Where XLA makes one instruction of two, it joins their names: `a/mul;b/add`, `a/(b/mul:c/add)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import count

from jaxviz.capture.shown.strings import name


class Names:
    """Reads the names of a stage's ops, which hold `token` before each number."""

    def __init__(self, token: str) -> None:
        self.scopes: dict[str, int] = {}
        self._letters = token
        self._token = re.compile(rf"/?{re.escape(token)}(\d+)")
        self._number = re.compile(rf"{re.escape(token)}(\d+)")
        self._known: dict[str, int] = {}
        """Indices of scopes by names with the token alone in place of each number."""

    def numbers(self, op_name: str) -> list[int]:
        """The eqns' numbers in a name, in their order: outermost first, unless XLA joined names."""
        return [int(number) for number in self._token.findall(op_name)]

    def read(self, op_name: str) -> tuple[list[int], int]:
        """The `numbers` and the `scope` of a name. Most names differ in numbers alone."""
        pieces = self._number.split(op_name)
        form = self._letters.join(pieces[::2])
        scope = self._known.get(form)
        if scope is None:
            scope = self._known[form] = self.scope(op_name)
        return [*map(int, pieces[1::2])], scope

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

    def are_numbered(self, names: Iterable[str]) -> bool:
        """Whether the number of an eqn may stand in one of these names."""
        return self._letters in "\n".join(names)

    def free(self, called: str, kind: str, taken: set[str]) -> str:
        """The name without an eqn's number: as it is where it has none, else a new one of its
        `kind` that is not `taken`, to which it is added."""
        if self._token.search(called):
            names = (f"{kind}.{n}" for n in count(len(taken)))
            called = next(name for name in names if name not in taken)
            taken.add(called)
        return called
