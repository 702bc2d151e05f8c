"""Fixes of Optax."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp

from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.libraries.reading import (
    Line,
    around,
    assigned,
    is_array,
    is_of,
    lines,
    renamed,
    spelled,
    swapped,
    value,
    with_argument,
)
from jaxviz.capture.failure.libraries.rule import Rule, advice
from jaxviz.capture.shown.objects import has_attribute, is_a
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend, Sentence
from jaxviz.sentences import sentence

_INIT = sentence("make the state with init")
_STRUCTURE = sentence("pass gradients and updates")
_LBFGS = sentence("pass the loss and its gradient")


def parameters(call: FailedCall) -> Iterator[Mend]:
    """An update that needs the parameters."""
    line = lines(call)[0] if lines(call) else None
    match call.node:
        case ast.Call(args=[grads, state]) if line is not None:
            name = _parameters(call, line, grads, state)
            if name:
                text = f"{call.text(state)}, {name}"
                yield edited(
                    call, sentence("pass the parameters too name", name=name), (state, text)
                )
                return
    yield sketch(sentence("pass the parameters too"))


def _parameters(call: FailedCall, line: Line, grads: ast.expr, state: ast.expr) -> str:
    """The name of the parameters: what the updates are applied to, or the only variable with the
    structure of the gradients."""
    applied = [
        node.args[0].id
        for node in ast.walk(around(line, call))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("apply_updates")
        and node.args
        and isinstance(node.args[0], ast.Name)
    ]
    used = call.names(grads) | call.names(state)
    own = {name: held for name, held in line.own.items() if not name.startswith("_")}
    like = _like(value(grads, call))
    named = [
        name
        for name, held in own.items()
        if name not in used and like is not None and _like(held) == like
    ]
    found = [name for name in dict.fromkeys(applied) if name in own] or named
    if len(found) != 1 and "params" in own and "params" not in used:
        return "params"
    return found[0] if len(found) == 1 else ""


def _like(tree: Any) -> Any:
    """The structure and shapes of a tree of arrays; None of anything else."""
    leaves, structure = jax.tree.flatten(tree)
    if not leaves or not all(has_attribute(leaf, "shape") for leaf in leaves):
        return None
    return structure, [leaf.shape for leaf in leaves]


def loss(call: FailedCall) -> Iterator[Mend]:
    """An update that needs the loss, or also the gradient and the function."""
    line = lines(call)[0] if lines(call) else None
    computed = _computed(call, line) if line else None
    missing = re.findall(r"'(value|grad|value_fn)'", message_of(call.error))
    if computed is None or not isinstance(call.node, ast.Call):
        if missing == ["value"]:
            yield sketch(sentence("pass the loss opt.update"))
        else:
            yield sketch(_LBFGS)
        return
    given = ", ".join(f"{name}={computed[name]}" for name in missing)
    title = (
        sentence("pass the loss")
        if missing == ["value"]
        else sentence("pass the loss its gradient")
    )
    yield edited(call, title, with_argument(call, call.node, given))


def _computed(call: FailedCall, line: Line) -> dict[str, str] | None:
    """The names of `value, grad = jax.value_and_grad(value_fn)(…)`."""
    for node in ast.walk(around(line, call)):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=loss), ast.Name(id=grad)])],
                value=ast.Call(func=ast.Call(func=maker, args=[function, *_])),
            ) if ast.unparse(maker).endswith(("value_and_grad", "value_and_grad_from_state")):
                return {"value": loss, "grad": grad, "value_fn": call.text(function)}
    return None


def class_numbers(call: FailedCall) -> Iterator[Mend]:
    """Class numbers passed to a loss that takes a distribution."""
    logits, labels = _two(call)
    if labels is None or logits is None:
        return
    if jnp.issubdtype(labels.dtype, jnp.integer) and labels.ndim == logits.ndim - 1:
        new = "softmax_cross_entropy_with_integer_labels"
        yield from renamed(
            call, sentence("loss of class numbers", new=new), call.node.func, "optax", new
        )


def distributions(call: FailedCall) -> Iterator[Mend]:
    """A distribution, or floats, passed to a loss that takes class numbers."""
    logits, labels = _two(call)
    if labels is None or logits is None:
        return
    if labels.shape == logits.shape:
        new = "softmax_cross_entropy"
        yield from renamed(
            call, sentence("loss of distributions", new=new), call.node.func, "optax", new
        )
    elif labels.ndim == logits.ndim - 1:
        node = call.node.args[1]
        yield edited(call, sentence("pass integers"), (node, f"{call.operand(node)}.astype(int)"))


def without_axis(call: FailedCall) -> Iterator[Mend]:
    """Predictions that have an axis of size 1 more than the targets."""
    one, other = _two(call)
    if other is None:
        return
    for node, array, to in zip(call.node.args, (one, other), (other, one), strict=True):
        if array.shape == (*to.shape, 1):
            title = sentence("leave out the axis")
            yield edited(call, title, (node, f"{call.operand(node)}[..., 0]"))


def _two(call: FailedCall) -> tuple[Any, Any]:
    """The two arrays that a loss is given by position; None if they are not known."""
    match call.node:
        case ast.Call(args=[one, other]):
            found = value(one, call), value(other, call)
            if all(map(is_array, found)):
                return found
    return None, None


def updates(call: FailedCall) -> Iterator[Mend]:
    """Trees that differ: a pair of the loss and the gradients, or of the updates and the state."""
    line = lines(call)[0] if lines(call) else None
    for node in _pairs(call) if line else ():
        made = assigned(call, line, node.id) if line else None
        called = made.value if made else None
        if isinstance(called, ast.Call) and made is not None:
            text = ast.unparse(called.func)
            if "value_and_grad" in text:
                title = sentence("take the loss and the gradients")
                yield edited(call, title, (made.targets[0], f"value, {node.id}"))
                return
            if text.endswith(".update"):
                state = call.text(called.args[1]) if len(called.args) > 1 else "state"
                name = state if state.isidentifier() else "state"
                title = sentence("take the updates and the state")
                yield edited(call, title, (made.targets[0], f"{node.id}, {name}"))
                return
    yield sketch(_alike(call))


def _alike(call: FailedCall) -> Sentence:
    """What to do about trees that differ: about the gradients, or else about the state."""
    given = call.node.args if isinstance(call.node, ast.Call) else []
    grads, params = (value(node, call) for node in (given[0], given[-1])) if given else (None, None)
    same = len(given) == 3 and jax.tree.structure(grads) == jax.tree.structure(params)
    return _INIT if same else _STRUCTURE


def _pairs(call: FailedCall) -> list[ast.Name]:
    """The names among the arguments that stand for a pair."""
    found = call.node if isinstance(call.node, ast.Call) else ast.Call(call.node, [], [])
    given = [*found.args, *(word.value for word in found.keywords)]
    return [
        node
        for node in given
        if isinstance(node, ast.Name)
        and is_a(value(node, call), tuple)
        and len(value(node, call)) == 2
        and not hasattr(value(node, call), "_fields")
    ]


def model(call: FailedCall) -> Iterator[Mend]:
    """A model of Equinox passed to Optax: it contains functions, and Optax takes arrays."""
    match call.node:
        case ast.Call(args=[ast.Name() as given, *_]) if _is_module(call, given):
            if ast.unparse(call.node.func).endswith("apply_updates"):
                title = sentence("apply_updates of Equinox which leaves")
                yield from renamed(call, title, call.node.func, "equinox", "apply_updates")
            else:
                arrays = spelled(call, "equinox", "is_inexact_array")
                only = spelled(call, "equinox", "filter")
                text = f"{only}({call.text(given)}, {arrays})"
                yield edited(call, sentence("init with the arrays"), (given, text))


def _is_module(call: FailedCall, node: ast.expr) -> bool:
    return is_of(value(node, call), "equinox", "Module")


def other_leaves(call: FailedCall) -> Iterator[Mend]:
    """Parameters that are not arrays."""
    if isinstance(call.node, ast.Call) and call.node.args and _is_module(call, call.node.args[0]):
        yield from model(call)
    else:
        yield sketch(sentence("pass arrays alone keep"))


def order(call: FailedCall) -> Iterator[Mend]:
    """The state and the parameters in the wrong order."""
    match call.node:
        case ast.Call(args=[grads, state, params]) if _like(
            value(grads, call)
        ) is not None and _like(value(state, call)) == _like(value(grads, call)) != _like(
            value(params, call)
        ):
            yield swapped(call, sentence("the state first then"), state, params)
        case _:
            yield sketch(_INIT)


def chain(call: FailedCall) -> Iterator[Mend]:
    match call.node:
        case ast.Call(args=[(ast.List() | ast.Tuple()) as given]):
            title = sentence("pass the transformations one")
            yield edited(call, title, (given, f"*{call.text(given)}"))


def labels(call: FailedCall) -> Iterator[Mend]:
    """A label without a transformation."""
    listed = [re.findall(r"'([^']*)'", text) for text in message_of(call.error).splitlines()]
    known = [names for names in listed if names]
    missing = [name for name in known[0] if name not in known[1]] if len(known) > 1 else []
    names = ", ".join(repr(name) for name in missing) or "each label"
    yield sketch(sentence("name a transformation for names", names=names))


MASK = sentence("let the mask have")
_RAISED = r"optax\."
_UNLIKE = (
    "pytree structure error|Dict key mismatch|Custom node type mismatch"
    "|^Expected (?:tuple|list|dict), got"
)
"""JAX before 0.7 has the last three forms."""
RULES = (
    Rule("library-call", parameters, "ValueError", "not passing `params`"),
    Rule("library-call", parameters, "TypeError", r"update_fn\(\) missing .*'params'"),
    Rule("library-call", loss, "TypeError", r"update_fn\(\) missing .*'value'"),
    Rule("shapes", class_numbers, "ValueError TypeError", "", "optax.*softmax_cross_entropy$"),
    Rule("dtypes", distributions, "TypeError", "subdtype", "optax.*_with_integer_labels"),
    Rule("shapes", without_axis, "ValueError", "Shape mismatch", _RAISED),
    Rule("trees", advice(MASK), "ValueError", _UNLIKE, "optax.*mask"),
    Rule("trees", updates, "ValueError", _UNLIKE, _RAISED),
    Rule("trees", model, "TypeError", "custom_jvp|'function'", "optax.*apply_updates"),
    Rule("trees", updates, "TypeError", "'tuple'", "optax.*apply_updates"),
    Rule(
        "shapes", advice(_INIT), "TypeError ValueError", "incompatible shapes", "optax.*update_fn"
    ),
    Rule("library-call", advice(_INIT), "AttributeError", "has no attribute", "optax.*update_fn"),
    Rule("library-call", order, "ValueError", "number of updates and states"),
    Rule(
        "library-call", chain, "AttributeError", "'(?:list|tuple)' object has no attribute 'init'"
    ),
    Rule("library-call", labels, "ValueError", "no corresponding transformation"),
    Rule("argument", other_leaves, "TypeError", "", r"optax.*(?:zeros_like|init_fn)"),
)
