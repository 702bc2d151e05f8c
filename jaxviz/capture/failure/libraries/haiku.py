"""Fixes of Haiku."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jaxviz.capture.failure.failed_call import Change, FailedCall, otherwise, sketch
from jaxviz.capture.failure.libraries import SAME_NUMBERS, Rule, key_of
from jaxviz.schema import Fix
from jaxviz.sentences import sentence


@otherwise("use it in a function")
def transformed(call: FailedCall) -> Iterator[Fix]:
    """Haiku outside of `hk.transform`: the function is transformed, and its calls use apply."""
    function = call.function
    transform = call.spelled("haiku", "transform")
    if isinstance(function, ast.FunctionDef) and transform:
        changes = _applied(call, function, transform)
        if changes:
            yield call.fix("transform the function and call", *changes)


def _applied(call: FailedCall, function: ast.FunctionDef, transform: str) -> list[Change]:
    uses = [n for n in call.all(ast.Name) if n.id == function.name]
    calls = [
        n
        for n in call.all(ast.Call)
        if isinstance(n.func, ast.Name) and n.func.id == function.name and n.args and not n.keywords
    ]
    jits = [ast.unparse(part) for part in function.decorator_list]
    if jits not in (["jax.jit"], ["jit"]) or len(uses) != len(calls):
        return []
    changes: list[Change] = [(function.decorator_list[0], transform)]
    for node in calls:
        arguments = ", ".join(map(call.text, node.args))
        start = f"{function.name}.init(jax.random.key(0), {arguments})"
        changes.append((node, f"{function.name}.apply({start}, None, {arguments})"))
    return changes


@otherwise("carry the state hk.transform_with_state")
def stateful(call: FailedCall) -> Iterator[Fix]:
    """A state, which `hk.transform` does not carry."""
    match call.node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=model))):
            changes = _with_state(call, model)
            if changes:
                differs = sentence("init returns a state")
                yield call.fix("carry the state transform_with_state", *changes, differs=differs)


def _with_state(call: FailedCall, model: str) -> list[Change]:
    """The changes of the transformation, of init and of apply; none if a use is of another form."""
    changes: list[Change] = []
    count = 0
    new = call.spelled("haiku", "transform_with_state")
    for node in ast.walk(call.tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func, args=[_])) if (
                name == model and ast.unparse(func).endswith("transform")
            ):
                changes.append((func, new))
            case ast.Assign(
                targets=[ast.Name() as params],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="init")),
            ) if name == model:
                changes.append((params, f"{params.id}, state"))
                count += 1
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="apply"), args=[first, *rest]
            ) if name == model:
                inside = ", ".join([call.text(first), "state", *map(call.text, rest)])
                changes.append((node, f"{call.text(node.func)}({inside})[0]"))
                count += 1
            case ast.Name(id=name, ctx=ast.Load()) if name == model:
                count -= 1
    return changes if count == 0 and new and len(changes) > 1 else []


@otherwise("pass a key or None")
def rng(call: FailedCall) -> Iterator[Fix]:
    """`apply` without its rng, or `init` without its key."""
    match call.node:
        case ast.Call(func=ast.Attribute(attr="apply"), args=[params, *_]):
            text = f"{call.text(params)}, None"
            yield call.fix("pass None for the key", (params, text))
        case ast.Call(func=ast.Attribute(attr="init"), args=[first, *_]):
            text = f"jax.random.key(0), {call.text(first)}"
            yield call.fix("pass a key first", (first, text), differs=SAME_NUMBERS)


@otherwise("pass a key apply")
def missing(call: FailedCall) -> Iterator[Fix]:
    """A function that draws numbers, whose apply got None as its key."""
    line = call.calling("apply")
    match line.node if line else None:
        case ast.Call(args=[_, ast.Constant(value=None) as none, *_]) if line is not None:
            key, differs = key_of(line)
            yield call.fix("pass a key", (none, key), differs=differs)


def parameter(call: FailedCall) -> Iterator[Fix]:
    found = re.search(r"parameter '(\S+)' for module '(\S+)'", call.message)
    what = f"{found[1]!r} of {found[2]!r}" if found else "this name"
    yield sketch(sentence("rename a parameter to what or make", what=what))


@otherwise("call super __init__ first")
def constructor(call: FailedCall) -> Iterator[Fix]:
    """A class whose constructor does not call that of its base."""
    name = re.search(r"super\((\w+), self\)|layer '(\w+)'", call.message)
    cls = (name[1] or name[2]) if name else ""
    for node in call.all(ast.ClassDef):
        for method in call.functions("__init__") if node.name == cls else ():
            if node.lineno <= method.lineno <= (node.end_lineno or 0):
                title = sentence("call the constructor of the base")
                yield call.with_line(title, method.body[0].lineno, "super().__init__()")
                return


@otherwise("take the parameters and the state")
def pair(call: FailedCall) -> Iterator[Fix]:
    """The result of `init` of transform_with_state, used as if it were the parameters alone."""
    match call.node:
        case ast.Call(args=[ast.Name(id=name), ast.Constant(value=None) as state, *_]):
            made = [node for node in call.assigned(name) if ".init(" in ast.unparse(node.value)]
            if len(made) == 1:
                changes = (made[0].targets[0], f"{name}, state"), (state, "state")
                yield call.fix("unpack the parameters and the state", *changes)


RULES = (
    Rule("module-call", transformed, "ValueError", "(?:inside|part of) an `hk.transform`"),
    Rule("module-state", stateful, "NonEmptyStateError"),
    Rule("library-call", rng, "ValueError", "Apply must be called with an RNG"),
    Rule("module-key", rng, "ValueError", "Init must be called with an RNG"),
    Rule("module-key", missing, "MissingRNGError"),
    Rule("library-call", parameter, "ValueError", "Unable to retrieve parameter"),
    Rule("library-call", constructor, "ValueError", "without calling the super constructor"),
    Rule(
        "library-call", pair, "TypeError", "argument does not appear valid. It should be a mapping"
    ),
)
