"""The cases of `tests/truth/errors`: programs that fail, and what is true of them.

A case is a name, a cell with the failing expression in «», a line `---`, and the truth:

    === a size that is traced
    f = jax.jit(lambda key, n: jax.random.split(key, n))
    «f(jax.random.key(0), 3)»
    ---
    ConcretizationTypeError: shape-by-value
    same result: 1-1
    f = jax.jit(lambda key, n: jax.random.split(key, n), static_argnames=("n",))
    meant:
    jax.random.split(jax.random.key(0), 3)

- First the exception (`ValueError|RuntimeError` if versions differ) and the help page. `jax: 0.8`
  is the first version that has this error, and `until: 0.10` the last one.
- Then the first fix: its promise, the lines that it replaces and the new lines; `sketch: word` for
  advice that contains the word; `no fix:` for a card without both; nothing if the case is about
  something else.
- `differs: word`: what the fix says of its other result contains the word.
- `needs: numpyro`: a library that not every environment has.
- `devices: 4`: how many devices the cell needs.
- Facts of the card, as `told` in `tests/errors/test_explain.py` writes them.
- Last, `meant:` and the whole program that the author meant. The fixed cell has the same result
  (its last expression), unless the case says what `differs`.
"""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path
from typing import NamedTuple

import jax

FOLDER = Path(__file__).parent
DEVICES = int((re.findall(r"device_count=(\d+)", os.environ.get("XLA_FLAGS", "")) or [1])[0])
"""The number of devices of this process."""
_FIX = re.compile(r"^(same result|other result|sketch|no fix): ?(.*)$((?:\n.+)*)", re.MULTILINE)
_FACT = re.compile(r"^(\w+): ?(.*)$", re.MULTILINE)


class Truth(NamedTuple):
    """A fix as its author would write it."""

    promise: str
    where: str
    """The lines that it replaces, `3-5`; of a sketch a word of it."""
    lines: list[str]

    @property
    def edits(self) -> bool:
        return self.promise.endswith("result")


class Case(NamedTuple):
    """A cell that fails, and what is true of it."""

    name: str
    source: str
    error: str
    kind: str
    expression: str
    facts: dict[str, str]
    fix: Truth | None
    meant: str
    """The program that its author meant; empty if the case has none."""

    @property
    def here(self) -> bool:
        """True if this process has its devices and library, and this JAX its error."""
        return self.of_this_jax and (int(self.facts.get("devices", 1)) > 1) == (DEVICES > 1)

    @property
    def of_this_jax(self) -> bool:
        first, last = self.facts.get("jax", "0"), self.facts.get("until", "99")
        if importlib.util.find_spec(self.facts.get("needs", "jax")) is None:
            return False
        from_here = _version(first) <= jax.__version_info__[: first.count(".") + 1]
        return from_here and jax.__version_info__[: last.count(".") + 1] <= _version(last)

    def fixed(self) -> str:
        """The cell with the lines of its fix."""
        assert self.fix is not None
        first, last = map(int, self.fix.where.split("-"))
        lines = self.source.splitlines()
        return "\n".join([*lines[: first - 1], *self.fix.lines, *lines[last:]])


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def case(block: str) -> Case:
    name, _, rest = block.partition("\n")
    marked, _, truth = rest.partition("\n---\n")
    truth, _, meant = truth.partition("\nmeant:\n")
    head, _, below = truth.strip().partition("\n")
    error, _, kind = head.partition(": ")
    found = _FIX.search(below)
    facts = dict(_FACT.findall(below))
    return Case(
        name=name,
        source=re.sub("[«»]", "", marked).strip("\n"),
        error=error,
        kind=kind,
        expression=facts.get("expression", marked[marked.index("«") + 1 : marked.index("»")]),
        facts=facts,
        fix=Truth(found[1], found[2], found[3].strip("\n").splitlines()) if found else None,
        meant=meant.strip("\n"),
    )


def cases_of(folder: Path) -> list[Case]:
    """The cases of a folder's files."""
    return [
        case(block)
        for file in sorted(folder.glob("*.txt"))
        for block in re.split(r"^=== ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    ]


CASES = cases_of(FOLDER)
HERE = [case for case in CASES if case.here]
"""The cases of this process: those of several devices, or those of one."""
