"""float64 that a line asks for and does not get, because JAX's 64 bits are switched off.

Told only of calls whose own eqn is in the program: of what NumPy computes, and of arrays that are
float32 already, the records know nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jaxviz.analysis.findings.searched import Found, Place, Searched
from jaxviz.schema import Frame
from jaxviz.sentences import sentence

WIDE = "float64"
OF_NUMPY = ("np", "numpy", "onp")


def wide_requests(searched: Searched) -> Iterator[Found]:
    if not any(WIDE in listing.text for listing in searched.program.listings):
        return
    if any(aval.dtype in (WIDE, "complex128") for aval in searched.jaxpr.avals):
        return
    asking = {number for number, frame in enumerate(searched.jaxpr.frames) if asks(searched, frame)}
    found: dict[int, list[Place]] = {}
    for number, graph in enumerate(searched.graphs if asking else []):
        for index, eqn in enumerate(graph.eqns):
            given = {searched.aval(graph, var).dtype for var in eqn.outvars}
            if eqn.call in asking and eqn.call == eqn.frame and "float32" in given:
                found.setdefault(eqn.call, []).append((number, index))
    for places in found.values():
        yield Found(
            what=sentence(WIDE, expression=searched.expression_of(places)),
            places=places,
        )


def asks(searched: Searched, frame: Frame) -> bool:
    """Whether the expression of a frame is a call that asks for float64."""
    text = "" if frame.library else searched.text_of(frame)
    if WIDE not in text:
        return False
    try:
        call = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    if not isinstance(call, ast.Call) or names(call.func)[:1] in ([one] for one in OF_NUMPY):
        return False
    given = [*call.args, *(one.value for one in call.keywords if one.arg == "dtype")]
    return names(call.func)[-1:] == [WIDE] or any(is_wide(one) for one in given)


def is_wide(node: ast.expr) -> bool:
    """Whether an argument is `jnp.float64`, `np.float64` or `"float64"`."""
    return names(node)[-1:] == [WIDE] or (isinstance(node, ast.Constant) and node.value == WIDE)


def names(node: ast.expr) -> list[str]:
    """`["jnp", "float64"]` of `jnp.float64`; what is no name is left out."""
    if isinstance(node, ast.Attribute):
        return [*names(node.value), node.attr]
    return [node.id] if isinstance(node, ast.Name) else []
