"""Fixes of Flax linen, of its TrainState and of flax.struct."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import jax.numpy as jnp

from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.libraries.reading import (
    Line,
    calling,
    is_array,
    is_key,
    is_of,
    key_of,
    lines,
    spelled,
    swapped,
    tuples,
    value,
    whole,
    with_argument,
    with_line,
    word,
)
from jaxviz.capture.failure.libraries.rule import Rule, advice
from jaxviz.capture.shown.objects import attribute, has_attribute
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend
from jaxviz.sentences import sentence

_APPLY = ("apply", "apply_fn", "init", "init_with_output")
_MAKE = sentence("make its variables with init")


def mutable(call: FailedCall) -> Iterator[Mend]:
    """`apply` has to change a collection of variables."""
    found = re.search(r'collection "(\w+)"', message_of(call.error))
    option = f'mutable=["{found[1] if found else "batch_stats"}"]'
    line = calling(call, "apply", "apply_fn")
    if line is None or word(line.node, "mutable"):
        yield sketch(sentence("let apply change it and take", option=option))
        return
    differs = sentence("apply returns updates", names=found[1] if found else "variables")
    title = sentence("let apply change it option", option=option)
    node, text = with_argument(call, line.node, option)
    match line.statement():
        case ast.Assign(targets=[ast.Name() as target], value=assigned) if assigned is line.node:
            changes = (target, f"{target.id}, updates"), (node, text)
            yield edited(call, title, *changes, differs=differs)
        case _:
            yield edited(call, title, (node, f"{text}[0]"), differs=differs)


def rngs(call: FailedCall) -> Iterator[Mend]:
    """A layer asked for a key of a stream that `apply` did not get."""
    found = re.search(r'needs PRNG for "(\w+)"', message_of(call.error))
    stream = found[1] if found else "dropout"
    line = calling(call, *_APPLY)
    if line is None or word(line.node, "rngs") or stream == "params":
        yield sketch(sentence("pass a key apply variables", stream=stream))
        return
    key, differs = key_of(line)
    title = sentence("pass a key for stream", stream=stream)
    change = with_argument(call, line.node, f'rngs={{"{stream}": {key}}}')
    yield edited(call, title, change, differs=differs)


def first_is_key(call: FailedCall) -> Iterator[Mend]:
    """`init` got something else in the place of its key."""
    match call.node:
        case ast.Call(args=[ast.Constant(value=int()) as seed, *_]):
            title = sentence("a key made of the number")
            text = f"jax.random.key({call.text(seed)})"
            yield edited(call, title, (seed, text), differs=sentence("It gets a key"))
        case ast.Call(args=[one, other]) if _makes_key(call, other):
            yield swapped(call, sentence("the key first then"), one, other)
        case _:
            yield sketch(sentence("pass a key first model.init"))


def _makes_key(call: FailedCall, node: ast.expr) -> bool:
    made_here = isinstance(node, ast.Call) and ast.unparse(node.func).startswith("jax.random.")
    return made_here or is_key(value(node, call))


def bound(call: FailedCall) -> Iterator[Mend]:
    """A module was called as a function."""
    names = _variables(call)
    match call.node:
        case ast.Call(func=(ast.Name() | ast.Attribute()) as model, args=args) if len(
            names
        ) == 1 and is_of(value(model, call), "flax.linen", "Module"):
            inside = ", ".join([*names, *map(call.text, args)])
            given = [f"{word.arg}={call.text(word.value)}" for word in call.node.keywords]
            text = f"{call.text(model)}.apply({', '.join([inside, *given])})"
            yield edited(call, sentence("call it with its variables"), (call.node, text))
        case _:
            yield sketch(_MAKE)


def _variables(call: FailedCall) -> list[str]:
    """The names of the line's own variables that hold what `init` returns."""
    own = lines(call)[0].own if lines(call) else {}
    return [
        name
        for name, held in own.items()
        if not name.startswith("_") and "params" in (held if _is_mapping(held) else ())
    ]


def _is_mapping(held: object) -> bool:
    return has_attribute(held, "keys") and has_attribute(held, "__getitem__") and not is_array(held)


def missing_attribute(call: FailedCall) -> Iterator[Mend]:
    """A layer of `setup`, read from outside."""
    names = _variables(call)
    match call.node:
        case ast.Attribute(value=model) if len(names) == 1:
            text = f"{call.text(model)}.bind({names[0]})"
            yield edited(call, sentence("bind the module to its variables"), (model, text))
        case _:
            yield sketch(sentence("bind the module to its variables first"))


def compact(call: FailedCall) -> Iterator[Mend]:
    """A layer or a parameter in a method that is not compact."""
    function = call.failed.function()
    name = spelled(call, "flax.linen", "compact")
    if isinstance(function, ast.FunctionDef) and name and function.name != "setup":
        first = min(part.lineno for part in (function, *function.decorator_list))
        yield with_line(call, sentence("let the method make"), first, f"@{name}")
    else:
        yield sketch(sentence("make it in setup"))


def sown(call: FailedCall) -> Iterator[Mend]:
    """An attribute that a method sets."""
    match call.failed.known.nodes[:2]:
        case [ast.Attribute(value=ast.Name() as me, attr=name), ast.Assign(value=new) as whole]:
            text = f'{me.id}.sow("intermediates", "{name}", {call.text(new)})'
            yield edited(call, sentence("store it among the intermediates"), (whole, text))
        case _:
            yield sketch(sentence("store it with self.sow"))


def unwrapped(call: FailedCall) -> Iterator[Mend]:
    """Variables within another dict."""
    match call.node:
        case ast.Call(
            args=[ast.Dict(keys=[ast.Constant(value="params")], values=[inner]) as d, *_]
        ):
            yield edited(call, sentence("pass the variables as they are"), (d, call.text(inner)))
        case _:
            yield sketch(sentence("pass the variables as init"))


def wrapped(call: FailedCall) -> Iterator[Mend]:
    """Parameters without the name of their collection."""
    line = calling(call, *_APPLY[:2])
    if line is not None and line.node.args and _is_bare(line.node.args[0], line):
        given = line.node.args[0]
        title = sentence("name the collection of the parameters")
        yield edited(call, title, (given, f'{{"params": {call.text(given)}}}'))
    else:
        yield sketch(sentence("name the collection of the parameters apply"))


def _is_bare(node: ast.expr, line: Line) -> bool:
    held = value(node, line)
    known = _is_mapping(held) and "params" not in held
    return known and not isinstance(node, ast.Dict)


def other_shape(call: FailedCall) -> Iterator[Mend]:
    """A parameter that was made for an input of another shape."""
    found = re.search(r'parameter "(\w+)"', message_of(call.error))
    shapes = tuples(message_of(call.error))
    what = found[1] if found else "parameter"
    if len(shapes) == 2:
        yield sketch(
            sentence(
                "what needs the shape", what=what, shapes=str(shapes[0]), shapes2=str(shapes[1])
            )
        )
    else:
        yield sketch(sentence("pass an input of the same"))


def heads(call: FailedCall) -> Iterator[Mend]:
    """A number of heads that does not divide the features."""
    found = re.search(r"\((\d+)\)", message_of(call.error))
    size = int(found[1]) if found else 0
    fits = [str(n) for n in range(1, size + 1) if size % n == 0]
    yield sketch(
        sentence("heads", size=str(size), listed=f"{', '.join(fits[:-1])} or {fits[-1]}")
        if len(fits) > 1
        else sentence("heads, a divisor", size=str(size))
    )


def attention_mask(call: FailedCall) -> Iterator[Mend]:
    """A mask of (batch, length): attention needs a mask of each pair."""
    given = word(call.node, "mask") if isinstance(call.node, ast.Call) else None
    make = spelled(call, "flax.linen", "make_attention_mask")
    if given is not None and attribute(value(given, call), "ndim", 0) == 2 and make:
        mask = call.text(given)
        title = sentence("a mask of each")
        yield edited(call, title, (given, f"{make}({mask}, {mask})"))


def integers(call: FailedCall) -> Iterator[Mend]:
    """Floats passed to an embedding, which takes integers."""
    match call.node:
        case ast.Call(args=args):
            names = [node for node in args if _is_float(value(node, call))]
            if len(names) == 1:
                text = f"{call.operand(names[0])}.astype(int)"
                yield edited(call, sentence("pass integers"), (names[0], text))
                return
    yield sketch(sentence("pass integers x.astype int"))


def _is_float(held: Any) -> bool:
    return is_array(held) and jnp.issubdtype(held.dtype, jnp.floating)


def without_jit(call: FailedCall) -> Iterator[Mend]:
    """A layer under `jax.jit` within a module."""
    match call.node:
        case ast.Call(func=ast.Call(args=[layer, *_]) as jitted):
            title = sentence("leave jit out here")
            yield edited(call, title, (jitted, call.text(layer)))
        case _:
            yield sketch(sentence("leave jit out here and jit"))


def replaced(call: FailedCall) -> Iterator[Mend]:
    """A field of a frozen dataclass that is assigned."""
    match call.failed.known.nodes[:2]:
        case [
            ast.Attribute(value=ast.Name() as owner, attr=name),
            ast.Assign(targets=[_], value=new) as whole,
        ] if call.is_local(owner.id) and has_attribute(call.held.get(owner.id), "replace"):
            text = f"{owner.id} = {owner.id}.replace({name}={call.text(new)})"
            yield edited(call, sentence("make a changed copy replace"), (whole, text))
        case _:
            yield sketch(sentence("make a changed copy and return"))


def static_array(call: FailedCall) -> Iterator[Mend]:
    """An array in a field that is no part of the tree."""
    static = [
        node
        for node in ast.walk(whole(call))
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.value, ast.Call)
        and re.search(r"[aA]rray", ast.unparse(node.annotation))
        and re.search("pytree_node=False|static=True", ast.unparse(node.value))
    ]
    if len(static) == 1:
        text = f"{call.text(static[0].target)}: {call.text(static[0].annotation)}"
        yield edited(call, sentence("let the array be a part"), (static[0], text))


def static_text(call: FailedCall) -> Iterator[Mend]:
    """A string in a field of a flax.struct dataclass passed to `jax.jit`."""
    found = re.search(r"at path \w+\.(\w+)", message_of(call.error))
    field = spelled(call, "flax.struct", "field")
    fields = [
        node
        for node in ast.walk(whole(call))
        if isinstance(node, ast.AnnAssign)
        and node.value is None
        and found is not None
        and ast.unparse(node.target) == found[1]
    ]
    if len(fields) == 1 and field:
        text = f"{call.text(fields[0])} = {field}(pytree_node=False)"
        title = sentence("leave the field out")
        yield edited(call, title, (fields[0], text))
    else:
        yield sketch(sentence("leave the field out of the tree"))


NAMES = sentence("give each layer a name")
RULES = (
    Rule("module-state", mutable, "ModifyScopeVariableError"),
    Rule("module-key", rngs, "InvalidRngError", "needs PRNG for"),
    Rule("key", first_is_key, "InvalidRngError"),
    Rule("module-call", bound, "CallCompactUnboundModuleError"),
    Rule("library-call", compact, "AssignSubModuleError"),
    Rule("library-call", compact, "ValueError", r"must be initialized in `setup\(\)` or in a"),
    Rule("library-call", sown, "SetAttributeFrozenModuleError SetAttributeInModuleSetupError"),
    Rule("module-call", missing_attribute, "AttributeError", r"is defined in '\.setup\(\)'"),
    Rule("library-call", advice(NAMES), "NameInUseError"),
    Rule("library-call", unwrapped, "ApplyScopeInvalidVariablesStructureError"),
    Rule("library-call", wrapped, "ScopeCollectionNotFound ApplyScopeInvalidVariablesTypeError"),
    Rule(
        "library-call",
        advice(sentence("rename the parameters to the names")),
        "ScopeParamNotFoundError ScopeNameNotFoundError",
    ),
    Rule("shapes", other_shape, "ScopeParamShapeError"),
    Rule("shapes", heads, "AssertionError ValueError", "must be divisible by .*heads", "flax"),
    Rule(
        "shapes",
        attention_mask,
        "ValueError",
        "[Ii]ncompatible shapes for broadcasting",
        r"flax\.\w+\.(?:nn\.)?attention|MultiHead",
    ),
    Rule("dtypes", integers, "ValueError", "Input type must be an integer", "flax"),
    Rule("library-call", without_jit, "TypeError", "__hash__ on modules that hold variables"),
    Rule("static-array", static_array, "ValueError", "metadata fields of pytree"),
    Rule("library-call", replaced, "FrozenInstanceError", "", r"flax\."),
)
