"""All that mends are made from: the error's kind, the expression, the frame's variables, and what
the function was called with."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Mapping
from types import TracebackType
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer

from jaxviz.capture.failure._recorded import Called
from jaxviz.capture.failure._trees import Compared
from jaxviz.capture.failure.expression import Failed
from jaxviz.capture.shown.objects import is_a
from jaxviz.schema import Mend


class FailedCall(NamedTuple):
    """A call that failed, while its exception lives."""

    error: BaseException
    failed: Failed
    held: ChainMap[str, Any]
    """The variables of the failing frame, and below them those of its module."""
    passed: Called | None
    """The call that failed of a function that is traced; None where none is known."""
    asked: Any
    """The traced value that Python asked for; None if there is none."""
    own: bool
    """Whether the line is the user's own, and not a library's."""
    operands: list[Any]
    """The arrays that the line's function was called with."""
    trees: Compared | None
    """What a loop is given and returns, or the results of two branches, where JAX compared them."""
    of_library: tuple[Mend, ...] = ()
    """The fixes of a library's call."""

    @property
    def node(self) -> Any:
        return self.failed.node

    @property
    def statement(self) -> ast.stmt | None:
        """The statement that the node is in."""
        return next((part for part in self.failed.known.nodes if isinstance(part, ast.stmt)), None)

    def text(self, node: ast.AST | None) -> str:
        return self.failed.text(node)

    def line(self, node: ast.expr) -> str:
        """A node as the user wrote it, where that is one line; else written anew."""
        text = self.text(node)
        return text if "\n" not in text else ast.unparse(node)

    def operand(self, node: ast.expr) -> str:
        """A node with something behind it, as `.T`: in brackets where it needs them."""
        simple = isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
        return self.text(node) if simple else f"({self.text(node)})"

    def is_local(self, name: str) -> bool:
        """Whether a name is set among the line's own variables, which an assignment changes."""
        return name in self.held.maps[0]

    def module(self, module: Any, otherwise: str) -> str:
        """How the user's code calls a module: `jnp`."""
        named = (name for name, value in self.held.items() if value is module)
        return next(named, otherwise)

    @property
    def arguments(self) -> Mapping[str, Any]:
        """What was passed, by the names of the parameters."""
        return self.passed.arguments if self.passed else {}

    @property
    def jnp(self) -> str:
        return self.module(jnp, "jnp")

    @property
    def lax(self) -> str:
        known = self.module(jax, "")
        return f"{known}.lax" if known else self.module(lax, "jax.lax")

    def names(self, node: ast.AST | None) -> set[str]:
        """The names that a node reads."""
        found = ast.walk(node) if node is not None else ()
        return {part.id for part in found if isinstance(part, ast.Name)}


def variables(at: TracebackType) -> ChainMap[str, Any]:
    """The variables that a line sees: its own, those of functions around it, and of its module."""
    frame = at.tb_frame
    around = frame.f_code.co_freevars
    own = {name: value for name, value in frame.f_locals.items() if name not in around}
    return ChainMap(own, frame.f_locals, frame.f_globals)


def is_traced(value: Any) -> bool:
    return is_a(value, Tracer)


def numpy_name(call: FailedCall) -> str:
    return call.module(np, "np")
