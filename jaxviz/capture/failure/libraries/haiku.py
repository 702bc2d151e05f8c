"""Fixes of Haiku."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jaxviz.capture.failure.edits import Change, edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.libraries.reading import (
    SAME_NUMBERS,
    calling,
    functions,
    key_of,
    spelled,
    whole,
    with_line,
)
from jaxviz.capture.failure.libraries.rule import Rule
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend
from jaxviz.sentences import sentence

_TRANSFORM = sentence("use it in a function")


def transformed(call: FailedCall) -> Iterator[Mend]:
    """Haiku outside of `hk.transform`: the function is transformed, and its calls use apply."""
    function = call.failed.function()
    transform = spelled(call, "haiku", "transform")
    if isinstance(function, ast.FunctionDef) and transform:
        changes = _applied(call, function, transform)
        if changes:
            title = sentence("transform the function and call")
            yield edited(call, title, *changes)
            return
    yield sketch(_TRANSFORM)


def _applied(call: FailedCall, function: ast.FunctionDef, transform: str) -> list[Change]:
    uses = [n for n in ast.walk(whole(call)) if isinstance(n, ast.Name) and n.id == function.name]
    calls = [
        n
        for n in ast.walk(whole(call))
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Name)
        and n.func.id == function.name
        and n.args
        and not n.keywords
    ]
    jits = [ast.unparse(part) for part in function.decorator_list]
    if jits not in (["jax.jit"], ["jit"]) or len(uses) != len(calls):
        return []
    changes: list[Change] = [(function.decorator_list[0], transform)]
    for node in calls:
        given = ", ".join(map(call.text, node.args))
        start = f"{function.name}.init(jax.random.key(0), {given})"
        changes.append((node, f"{function.name}.apply({start}, None, {given})"))
    return changes


def stateful(call: FailedCall) -> Iterator[Mend]:
    """A state, which `hk.transform` does not carry."""
    match call.node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=model))):
            changes = _with_state(call, model)
            if changes:
                title = sentence("carry the state transform_with_state")
                differs = sentence("init returns a state")
                yield edited(call, title, *changes, differs=differs)
                return
    yield sketch(sentence("carry the state hk.transform_with_state"))


def _with_state(call: FailedCall, model: str) -> list[Change]:
    """The changes of the transformation, of init and of apply; none if a use is of another form."""
    changes: list[Change] = []
    count = 0
    new = spelled(call, "haiku", "transform_with_state")
    for node in ast.walk(whole(call)):
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


def rng(call: FailedCall) -> Iterator[Mend]:
    """`apply` without its rng, or `init` without its key."""
    match call.node:
        case ast.Call(func=ast.Attribute(attr="apply"), args=[params, *_]):
            text = f"{call.text(params)}, None"
            yield edited(call, sentence("pass None for the key"), (params, text))
        case ast.Call(func=ast.Attribute(attr="init"), args=[first, *_]):
            text = f"jax.random.key(0), {call.text(first)}"
            yield edited(call, sentence("pass a key first"), (first, text), differs=SAME_NUMBERS)
        case _:
            yield sketch(sentence("pass a key or None"))


def missing(call: FailedCall) -> Iterator[Mend]:
    """A function that draws numbers, whose apply got None as its key."""
    line = calling(call, "apply")
    match line.node if line else None:
        case ast.Call(args=[_, ast.Constant(value=None) as none, *_]) if line is not None:
            key, differs = key_of(line)
            yield edited(call, sentence("pass a key"), (none, key), differs=differs)
        case _:
            yield sketch(sentence("pass a key apply"))


def parameter(call: FailedCall) -> Iterator[Mend]:
    found = re.search(r"parameter '(\S+)' for module '(\S+)'", message_of(call.error))
    what = f"{found[1]!r} of {found[2]!r}" if found else "this name"
    yield sketch(sentence("rename a parameter to what or make", what=what))


def constructor(call: FailedCall) -> Iterator[Mend]:
    """A class whose constructor does not call that of its base."""
    name = re.search(r"super\((\w+), self\)|layer '(\w+)'", message_of(call.error))
    cls = (name[1] or name[2]) if name else ""
    for node in ast.walk(whole(call)):
        if isinstance(node, ast.ClassDef) and node.name == cls:
            for method in functions(call, "__init__"):
                if node.lineno <= method.lineno <= (node.end_lineno or 0):
                    title = sentence("call the constructor of the base")
                    yield with_line(call, title, method.body[0].lineno, "super().__init__()")
                    return
    yield sketch(sentence("call super __init__ first"))


def pair(call: FailedCall) -> Iterator[Mend]:
    """What `init` of transform_with_state returns, as if it were the parameters alone."""
    match call.node:
        case ast.Call(args=[ast.Name(id=name) as params, ast.Constant(value=None) as state, *_]):
            inits = [
                node.targets[0]
                for node in ast.walk(whole(call))
                if isinstance(node, ast.Assign)
                and ast.unparse(node.targets[0]) == name
                and ast.unparse(node.value).find(".init(") > 0
            ]
            if len(inits) == 1:
                changes = (inits[0], f"{name}, state"), (state, "state")
                yield edited(call, sentence("take the parameters and the state apart"), *changes)
                return
            del params
    yield sketch(sentence("take the parameters and the state"))


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
