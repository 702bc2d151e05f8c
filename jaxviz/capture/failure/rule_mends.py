"""Fixes for custom derivatives whose rule returns something else than its arguments need, and for
the policy of `jax.checkpoint`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import jax

from jaxviz.capture.failure.array_type import types_in
from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.placing import cast, converted
from jaxviz.capture.failure.written import calls_written, option
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend, Sentence
from jaxviz.sentences import sentence

Shape = tuple[int, ...]
_PLACE = re.compile(r"at output\[(\d+)\]")
_COUNT = re.compile(r"container \(pytree\) structure")


def custom_rule(call: FailedCall) -> Iterator[Mend]:
    """What the rule returns, in the shape of the argument that it is the derivative of."""
    text, node = message_of(call.error), call.node
    if "nondiff_argnums" in text:
        yield sketch(sentence("leave it out of nondiff_argnums"))
    elif "No VJP defined" in text or "No JVP defined" in text:
        yield sketch(sentence("give it its rule"))
    elif "to a custom_vjp function" in text:
        yield sketch(sentence("use reverse mode such as jax.grad"))
    elif "fwd rule" in text and "pair" in text:
        yield sketch(sentence("return a pair the result"))
    elif "JVP" in text and "pair" in text:
        yield sketch(sentence("return a pair the result and its tangent"))
    elif "JVP" in text:
        yield sketch(sentence("return a tangent of the same"))
    elif _COUNT.search(text):
        yield from _as_many(call, node)
    elif _PLACE.search(text):
        yield from _of_shape(call, node)


def _as_many(call: FailedCall, node: ast.expr) -> Iterator[Mend]:
    """A cotangent for each argument: None for the missing ones."""
    wanted = _arguments(call)
    given = len(node.elts) if isinstance(node, ast.Tuple) else 1
    missing = wanted - given
    if missing > 0 and isinstance(node, ast.expr) and not isinstance(node, ast.Name):
        parts = ", ".join([_inside(call, node), *["None"] * missing])
        around = call.text(node).startswith("(") or not _is_returned(call)
        text = f"({parts})" if around else parts
        yield edited(call, sentence("None for arguments", count=missing), (node, text))
    else:
        yield sketch(sentence("return a tuple with one"))


def _inside(call: FailedCall, node: ast.expr) -> str:
    """What a tuple contains, or the only value."""
    if not isinstance(node, ast.Tuple):
        return call.text(node)
    return ", ".join(call.text(part) for part in node.elts)


def _is_returned(call: FailedCall) -> bool:
    return any(isinstance(one, ast.Return) for one in call.failed.known.nodes[1:2])


def _arguments(call: FailedCall) -> int:
    """How many arguments the function has, as JAX's message counts them; 0 if it does not say."""
    counted = re.search(r"(?:the primal function has|with) (\d+) ", message_of(call.error))
    tree = re.search(r"primal input structure PyTreeDef\(\((.*)\)\)", message_of(call.error))
    if tree:
        inner = tree[1]
        while (flat := re.sub(r"\([^()]*\)|\{[^{}]*\}|\[[^\[\]]*\]", "*", inner)) != inner:
            inner = flat
        return len([one for one in inner.split(",") if one.strip()])
    return int(counted[1]) if counted else 0


def _of_shape(call: FailedCall, node: ast.expr) -> Iterator[Mend]:
    """The sum over the axes along which the argument was broadcast, or another shape."""
    place, types = _PLACE.search(message_of(call.error)), types_in(message_of(call.error))
    if place is None or len(types) < 2:
        return
    given, wanted = types[:2]
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    at = int(place[1])
    part = parts[at] if at < len(parts) else None
    if part is None or isinstance(part, ast.Starred):
        return
    if given.sizes == wanted.sizes:
        changes = converted(call, part, given, wanted, cast)
        if changes:
            yield edited(call, sentence("give it the type"), *changes)
        return
    change = _reshaped(call.operand(part), given.shape or (), wanted.shape or ())
    if change is not None:
        title, text = change
        yield edited(call, title, (part, text))


def _reshaped(text: str, given: Shape, wanted: Shape) -> tuple[Sentence, str] | None:
    broadcast = sentence("sum over axes")
    size = 1
    for one in given:
        size *= one
    total = 1
    for one in wanted:
        total *= one
    if not wanted and given:
        return broadcast, f"{text}.sum()"
    extra = len(given) - len(wanted)
    if extra > 0 and given[extra:] == wanted:
        axes = "0" if extra == 1 else str(tuple(range(extra)))
        return broadcast, f"{text}.sum(axis={axes})"
    unlike = [n for n, (a, b) in enumerate(zip(given, wanted, strict=False)) if a != b]
    if extra == 0 and all(wanted[n] == 1 for n in unlike):
        axes = str(unlike[0]) if len(unlike) == 1 else str(tuple(unlike))
        summed = f"{text}.sum(axis={axes}, keepdims=True)"
        return broadcast, summed
    if len(given) == 2 and given[::-1] == wanted:
        return sentence("exchange its axes"), f"{text}.T"
    if size == total:
        return sentence("shape of the argument"), f"{text}.reshape({wanted})"
    return None


def policy(call: FailedCall) -> Iterator[Mend]:
    """A policy of `jax.checkpoint` that is a text."""
    for node in calls_written(call):
        match option(node, "policy"):
            case ast.Constant(value=str() as name) as text if hasattr(
                jax.checkpoint_policies, name
            ):
                known = call.module(jax, "jax")
                new = f"{known}.checkpoint_policies.{name}"
                yield edited(call, sentence("the policy itself new", new=new), (text, new))
    yield sketch(sentence("pass a policy of jax.checkpoint_policies"))
