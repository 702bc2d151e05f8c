"""Fixes of Optax."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp

from jaxviz.capture.failure.code import arguments, called, is_array, is_of
from jaxviz.capture.failure.failed_call import FailedCall, otherwise, sketch
from jaxviz.capture.failure.libraries import Rule, advice
from jaxviz.capture.shown.objects import has_attribute, is_a
from jaxviz.schema import Fix
from jaxviz.sentences import sentence

_INIT = "make the state with init"


@otherwise("pass the parameters too")
def parameters(call: FailedCall) -> Iterator[Fix]:
    """An update that needs the parameters."""
    match call.node:
        case ast.Call(args=[grads, state]) if name := _parameters(call, grads, state):
            text = f"{call.text(state)}, {name}"
            yield call.fix(sentence("pass the parameters too name", name=name), (state, text))


def _parameters(call: FailedCall, grads: ast.expr, state: ast.expr) -> str:
    """The name of the parameters: the updates are applied to them, or they are the only variable
    with the structure of the gradients."""
    line = call.innermost()
    applied = [
        node.args[0].id
        for node in ast.walk(line.function or call.tree)
        if called(node) == "apply_updates" and isinstance(node, ast.Call)
        if node.args and isinstance(node.args[0], ast.Name)
    ]
    used = call.names(grads) | call.names(state)
    own = {name: value for name, value in line.own.items() if not name.startswith("_")}
    like = _like(call.value(grads))
    named = [name for name in own if name not in used and like and _like(own[name]) == like]
    found = [name for name in dict.fromkeys(applied) if name in own] or named
    if len(found) != 1 and "params" in own and "params" not in used:
        return "params"
    return found[0] if len(found) == 1 else ""


def _like(tree: Any) -> Any:
    """The structure and shapes of a tree of arrays; None for anything else."""
    leaves, structure = jax.tree.flatten(tree)
    if not leaves or not all(has_attribute(leaf, "shape") for leaf in leaves):
        return None
    return structure, [leaf.shape for leaf in leaves]


def loss(call: FailedCall) -> Iterator[Fix]:
    """An update that needs the loss, or also the gradient and the function."""
    computed = _computed(call)
    missing = re.findall(r"'(value|grad|value_fn)'", call.message)
    alone = missing == ["value"]
    if computed is not None and isinstance(call.node, ast.Call):
        keywords = ", ".join(f"{name}={computed[name]}" for name in missing)
        title = sentence("pass the loss" if alone else "pass the loss its gradient")
        yield call.fix(title, call.with_argument(call.node, keywords))
    else:
        yield sketch(
            sentence("pass the loss opt.update" if alone else "pass the loss and its gradient")
        )


def _computed(call: FailedCall) -> dict[str, str] | None:
    """The names of `value, grad = jax.value_and_grad(value_fn)(…)`."""
    for node in ast.walk(call.innermost().function or call.tree):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=loss), ast.Name(id=grad)])],
                value=ast.Call(func=ast.Call(func=maker, args=[function, *_])),
            ) if ast.unparse(maker).endswith(("value_and_grad", "value_and_grad_from_state")):
                return {"value": loss, "grad": grad, "value_fn": call.text(function)}
    return None


def class_numbers(call: FailedCall) -> Iterator[Fix]:
    """Class numbers passed to a loss that takes a distribution."""
    logits, labels = _two(call)
    if labels is None or logits is None:
        return
    if jnp.issubdtype(labels.dtype, jnp.integer) and labels.ndim == logits.ndim - 1:
        new = "softmax_cross_entropy_with_integer_labels"
        yield call.renamed(sentence("loss of class numbers", new=new), call.node.func, "optax", new)


def distributions(call: FailedCall) -> Iterator[Fix]:
    """A distribution, or floats, passed to a loss that takes class numbers."""
    logits, labels = _two(call)
    if labels is None or logits is None:
        return
    if labels.shape == logits.shape:
        new = "softmax_cross_entropy"
        yield call.renamed(sentence("loss of distributions", new=new), call.node.func, "optax", new)
    elif labels.ndim == logits.ndim - 1:
        node = call.node.args[1]
        yield call.fix("pass integers", (node, f"{call.operand(node)}.astype(int)"))


def without_axis(call: FailedCall) -> Iterator[Fix]:
    """Predictions that have an axis of size 1 more than the targets."""
    one, other = _two(call)
    if other is None:
        return
    for node, array, to in zip(call.node.args, (one, other), (other, one), strict=True):
        if array.shape == (*to.shape, 1):
            yield call.fix("leave out the axis", (node, f"{call.operand(node)}[..., 0]"))


def _two(call: FailedCall) -> tuple[Any, Any]:
    """The two arrays that a loss gets by position; None if they are unknown."""
    match call.node:
        case ast.Call(args=[one, other]):
            found = call.value(one), call.value(other)
            if all(map(is_array, found)):
                return found
    return None, None


def updates(call: FailedCall) -> Iterator[Fix]:
    """Trees that differ: a pair of the loss and the gradients, or of the updates and the state."""
    inside = call.innermost().function
    for node in (one for one in arguments(call.node) if isinstance(one, ast.Name)):
        pair = call.value(node)
        if not is_a(pair, tuple) or len(pair) != 2 or hasattr(pair, "_fields"):
            continue
        match (inside and call.assigned(node.id, inside)) or call.assigned(node.id):
            case [ast.Assign(targets=[target, *_], value=ast.Call(func=func, args=passed))]:
                if "value_and_grad" in ast.unparse(func):
                    yield call.fix("take the loss and the gradients", (target, f"value, {node.id}"))
                    return
                if ast.unparse(func).endswith(".update"):
                    state = call.text(passed[1]) if len(passed) > 1 else "state"
                    name = state if state.isidentifier() else "state"
                    yield call.fix("take the updates and the state", (target, f"{node.id}, {name}"))
                    return
    trees = [jax.tree.structure(call.value(node)) for node in getattr(call.node, "args", [])]
    of_state = len(trees) == 3 and trees[0] == trees[-1]
    yield sketch(sentence(_INIT if of_state else "pass gradients and updates"))


def model(call: FailedCall) -> Iterator[Fix]:
    """A model of Equinox passed to Optax: it contains functions, and Optax takes arrays."""
    match call.node:
        case ast.Call(args=[ast.Name() as tree, *_]) if _is_module(call, tree):
            if ast.unparse(call.node.func).endswith("apply_updates"):
                title = sentence("apply_updates of Equinox which leaves")
                yield call.renamed(title, call.node.func, "equinox", "apply_updates")
            else:
                arrays = call.spelled("equinox", "is_inexact_array")
                text = f"{call.spelled('equinox', 'filter')}({call.text(tree)}, {arrays})"
                yield call.fix("init with the arrays", (tree, text))


def _is_module(call: FailedCall, node: ast.expr) -> bool:
    return is_of(call.value(node), "equinox", "Module")


def other_leaves(call: FailedCall) -> Iterator[Fix]:
    """Parameters that are not arrays."""
    if isinstance(call.node, ast.Call) and call.node.args and _is_module(call, call.node.args[0]):
        yield from model(call)
    else:
        yield sketch("pass arrays alone keep")


@otherwise(_INIT)
def order(call: FailedCall) -> Iterator[Fix]:
    """The state and the parameters in the wrong order."""
    match call.node:
        case ast.Call(args=[_, state, params]):
            like, second, third = (_like(call.value(node)) for node in call.node.args)
            if like is not None and second == like != third:
                yield call.swapped("the state first then", state, params)


def chain(call: FailedCall) -> Iterator[Fix]:
    match call.node:
        case ast.Call(args=[(ast.List() | ast.Tuple()) as transforms]):
            change = (transforms, f"*{call.text(transforms)}")
            yield call.fix("pass the transformations one", change)


def labels(call: FailedCall) -> Iterator[Fix]:
    """A label without a transformation."""
    listed = [re.findall(r"'([^']*)'", text) for text in call.message.splitlines()]
    groups = [names for names in listed if names]
    missing = [name for name in groups[0] if name not in groups[1]] if len(groups) > 1 else []
    names = ", ".join(repr(name) for name in missing) or "each label"
    yield sketch(sentence("name a transformation for names", names=names))


_RAISED, _UPDATE = r"optax\.", "optax.*update_fn"
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
    Rule("trees", advice("let the mask have"), "ValueError", _UNLIKE, "optax.*mask"),
    Rule("trees", updates, "ValueError", _UNLIKE, _RAISED),
    Rule("trees", model, "TypeError", "custom_jvp|'function'", "optax.*apply_updates"),
    Rule("trees", updates, "TypeError", "'tuple'", "optax.*apply_updates"),
    Rule("shapes", advice(_INIT), "TypeError ValueError", "incompatible shapes", _UPDATE),
    Rule("library-call", advice(_INIT), "AttributeError", "has no attribute", _UPDATE),
    Rule("library-call", order, "ValueError", "number of updates and states"),
    Rule(
        "library-call", chain, "AttributeError", "'(?:list|tuple)' object has no attribute 'init'"
    ),
    Rule("library-call", labels, "ValueError", "no corresponding transformation"),
    Rule("argument", other_leaves, "TypeError", "", r"optax.*(?:zeros_like|init_fn)"),
)
