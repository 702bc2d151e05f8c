"""A call that failed: its code, the values of its names, and fixes as edits of the code."""

from __future__ import annotations

import ast
import linecache
import sys
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from msgspec.structs import replace

from jaxviz.capture.failure._frames import ComparedTrees, TracedCall
from jaxviz.capture.failure.code import UNKNOWN, called, is_array_method, value_of
from jaxviz.capture.failure.expression import Expression, entries, failed_at, variables
from jaxviz.capture.shown.objects import traceback_of
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.capture.shown.source import file_kind
from jaxviz.schema import Fix
from jaxviz.schema.record import NOTHING, Sentence
from jaxviz.sentences import sentence

SAME, OTHER, SKETCH = "same result", "other result", "sketch"
Placed = ast.expr | ast.stmt | ast.arg | ast.keyword
"""A node that has a place in the source."""
Change = tuple[Placed, str]
"""A node, and the text that takes its place."""
Title = Sentence | str
"""A sentence, or the key of one without parts."""
Node = TypeVar("Node", bound=ast.AST)
Params = ParamSpec("Params")


@dataclass(frozen=True, eq=False)
class Line(Expression):
    """A line of the user's code that was running, with its innermost expression."""

    variables: ChainMap[str, Any]
    """The variables of its frame, and below them those of its module."""
    function_name: str

    @property
    def own(self) -> dict[str, Any]:
        """The variables of its function alone."""
        return dict(self.variables.maps[1])

    def names(self, node: ast.AST | None) -> set[str]:
        """The names that a node reads."""
        found = ast.walk(node) if node is not None else ()
        return {part.id for part in found if isinstance(part, ast.Name)}

    def value(self, node: ast.AST | None) -> Any:
        """The value of a constant, a name, an attribute or an item; None if only running the code
        gives it."""
        if isinstance(node, ast.Constant):
            return node.value
        found = value_of(node, self.variables)
        return None if found is UNKNOWN or is_array_method(found) else found


@dataclass(frozen=True, eq=False)
class FailedCall(Line):
    """A call that failed, while its exception lives."""

    error: BaseException
    passed: TracedCall | None
    """The traced call that failed; None if it is unknown."""
    needed: Any
    """The traced value whose number Python needed; None if there is none."""
    is_own: bool
    """True if the line is the user's own, and not a library's."""
    operands: list[Any]
    """The arrays that the line's function was called with."""
    trees: ComparedTrees | None
    """A loop's input and result, or the results of two branches, if JAX compared them."""
    of_library: tuple[Fix, ...] = ()
    """The fixes of a library's call."""

    @property
    def message(self) -> str:
        return message_of(self.error)

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments, by the names of the parameters."""
        return self.passed.arguments if self.passed else {}

    def lines(self) -> list[Line]:
        """The user's lines in the failing cell or file, innermost first."""
        running = [
            entry
            for entry in entries(traceback_of(self.error))
            if file_kind(file := entry.tb_frame.f_code.co_filename) == "own"
            and "".join(linecache.getlines(file)) == self.source
        ]
        return [_line(entry) for entry in running[::-1]]

    def innermost(self) -> Line:
        """The innermost of these lines; the failed one if there is none."""
        return next(iter(self.lines()), self)

    def calling(self, *names: str) -> Line | None:
        """The innermost line that calls a method or function of one of these names."""
        return next((line for line in self.lines() if called(line.node) in names), None)

    # The source of the cell or file

    def all(self, kind: type[Node]) -> list[Node]:
        """The nodes of a kind in the source, in the order of `ast.walk`."""
        return [node for node in ast.walk(self.tree) if isinstance(node, kind)]

    def calls(self, function: object = None) -> list[ast.Call]:
        """The calls in the source in the order of their lines, or only those of one function."""
        found = sorted(self.all(ast.Call), key=lambda node: (node.lineno, node.col_offset))
        return [node for node in found if function is None or self.value(node.func) is function]

    def functions(self, name: str) -> list[ast.FunctionDef]:
        return [node for node in self.all(ast.FunctionDef) if node.name == name]

    def function_of(self, node: ast.AST | None) -> ast.FunctionDef | ast.Lambda | None:
        """The function of an expression, if the source defines it once."""
        if isinstance(node, ast.Lambda):
            return node
        found = self.functions(node.id) if isinstance(node, ast.Name) else []
        return found[0] if len(found) == 1 else None

    def assigned(self, target: str, within: ast.AST | None = None) -> list[ast.Assign]:
        """The statements that assign to a name or attribute."""
        found = ast.walk(within or self.tree)
        assigns = (node for node in found if isinstance(node, ast.Assign))
        return [node for node in assigns if target in map(ast.unparse, node.targets)]

    def line(self, node: ast.expr) -> str:
        """A node as the user wrote it, if that is one line; else its `ast.unparse`."""
        text = self.text(node)
        return text if "\n" not in text else ast.unparse(node)

    def operand(self, node: ast.expr) -> str:
        """The text of a node before a suffix such as `.T`: in brackets if it needs them."""
        simple = isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
        return self.text(node) if simple else f"({self.text(node)})"

    def is_local(self, name: str) -> bool:
        """True if a name is one of the line's own variables, which an assignment changes."""
        return name in self.variables.maps[0]

    # Spelling of modules and functions

    def module(self, module: Any, otherwise: str) -> str:
        """The user's name of a module or function: `jnp`."""
        return next((name for name, value in self.variables.items() if value is module), otherwise)

    def spelled(self, module: str, name: str) -> str:
        """The function of a module as the code spells it; empty if the code has no name for it."""
        loaded = sys.modules.get(module)
        wanted = getattr(loaded, name, None)
        for own, found in self.variables.items():
            if loaded is not None and found is loaded:
                return f"{own}.{name}"
            if wanted is not None and found is wanted and not own.startswith("_"):
                return own
        outer, _, inner = module.rpartition(".")
        package = self.module(sys.modules.get(outer), "") if outer in sys.modules else ""
        return f"{package}.{inner}.{name}" if package else ""

    @property
    def jax(self) -> str:
        return self.module(jax, "jax")

    @property
    def jnp(self) -> str:
        return self.module(jnp, "jnp")

    @property
    def np(self) -> str:
        return self.module(np, "np")

    @property
    def lax(self) -> str:
        package = self.module(jax, "")
        return f"{package}.lax" if package else self.module(lax, "jax.lax")

    # Changes and fixes

    def with_argument(self, node: ast.Call, text: str) -> Change:
        """A call with one more argument at its end."""
        before = self.text(node)[:-1].rstrip()
        joined = "" if before.endswith("(") else " " if before.endswith(",") else ", "
        return node, f"{before}{joined}{text})"

    def quoted(self, node: ast.Constant, text: str) -> Change:
        """Another text in the same quotes."""
        quote = self.text(node)[-1:]
        return node, f"{quote}{text}{quote}"

    def fix(
        self, title: Title, *changes: Change, differs: Title = NOTHING, promise: str = ""
    ) -> Fix:
        """The fix that replaces nodes by texts. Its result is the same unless it `differs`; another
        `promise` can be passed."""
        source = text = self.source
        for node, new in sorted(changes, key=lambda change: -span(source, change[0])[0]):
            start, stop = span(source, node)
            text = text[:start] + new + text[stop:]
        before, after = source.splitlines(), text.splitlines()
        pairs = zip([*before, None], [*after, None], strict=False)
        first = next(number for number, (one, other) in enumerate(pairs) if one != other)
        same = 0
        while same < min(len(before), len(after)) - first and before[-1 - same] == after[-1 - same]:
            same += 1
        last = len(before) - same
        return replace(
            sketch(title),
            promise=promise or (OTHER if differs else SAME),
            differs=_sentence(differs),
            first=first + 1,
            last=last,
            before=before[first:last],
            lines=after[first : len(after) - same],
        )

    def with_line(self, title: Title, at: int, text: str, differs: Title = NOTHING) -> Fix:
        """The fix that adds a line above a line of the source."""
        line = self.source.splitlines()[at - 1]
        indent = line[: len(line) - len(line.lstrip())]
        return replace(
            sketch(title),
            promise=OTHER if differs else SAME,
            differs=_sentence(differs),
            first=at,
            last=at,
            before=[line],
            lines=[indent + text, line],
        )

    def swapped(self, title: Title, one: ast.expr, other: ast.expr) -> Fix:
        return self.fix(title, (one, self.text(other)), (other, self.text(one)))

    def renamed(self, title: Sentence, func: ast.expr, module: str, name: str) -> Fix:
        """The fix that calls another function; advice if the code has no name for it."""
        new = self.spelled(module, name)
        if new:
            return self.fix(title, (func, new))
        return sketch(sentence("title from module import", title=title, module=module, name=name))


def _line(entry: TracebackType) -> Line:
    code = entry.tb_frame.f_code
    found = failed_at((code, entry.tb_lasti), None)
    return Line(found.source, found.nodes, variables(entry), code.co_name)


def _sentence(title: Title) -> Sentence:
    return sentence(title) if isinstance(title, str) else title


def sketch(title: Title) -> Fix:
    """Advice without an edit."""
    return Fix(
        title=_sentence(title),
        promise=SKETCH,
        differs=NOTHING,
        first=0,
        last=0,
        before=[],
        lines=[],
        tries=False,
    )


def otherwise(
    advice: str,
) -> Callable[[Callable[Params, Iterator[Fix]]], Callable[Params, Iterator[Fix]]]:
    """Adds advice to a rule for cases without an edit, by the sentence's key."""

    def with_advice(rule: Callable[Params, Iterator[Fix]]) -> Callable[Params, Iterator[Fix]]:
        @wraps(rule)
        def found(*args: Params.args, **kwargs: Params.kwargs) -> Iterator[Fix]:
            fixes = rule(*args, **kwargs)
            first = next(fixes, None)
            yield sketch(advice) if first is None else first
            yield from fixes

        return found

    return with_advice


def either(rule: Callable[[FailedCall], Iterator[Fix]], call: FailedCall) -> Iterator[Fix]:
    """The edits of a rule; its first advice if there are none."""
    found = [*rule(call)]
    edits = [one for one in found if one.promise != SKETCH]
    yield from edits or found[:1]


def span(source: str, node: Placed) -> tuple[int, int]:
    """The start and the end of a node, as characters of the source; the syntax tree counts
    bytes."""
    lines = source.splitlines(keepends=True)

    def at(line: int, column: int) -> int:
        whole = sum(map(len, lines[: line - 1]))
        return whole + len(lines[line - 1].encode()[:column].decode())

    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
    return at(node.lineno, node.col_offset), at(end_line, end_column)


def joined(first: ast.stmt, last: ast.stmt) -> ast.stmt:
    """A node for the range from one statement to another."""
    whole = ast.copy_location(ast.Pass(), first)
    whole.end_lineno, whole.end_col_offset = last.end_lineno, last.end_col_offset
    return whole
