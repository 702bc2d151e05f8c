"""Fixes of Flax linen, of its TrainState and of flax.struct."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import jax.numpy as jnp

from jaxviz.capture.failure.code import is_array, is_key, is_of, option
from jaxviz.capture.failure.failed_call import FailedCall, Line, otherwise, sketch
from jaxviz.capture.failure.fixes.calls import key_of_number
from jaxviz.capture.failure.libraries import Rule, advice, key_of
from jaxviz.capture.failure.types import tuples_in
from jaxviz.capture.shown.objects import attribute, has_attribute
from jaxviz.schema import Fix
from jaxviz.sentences import sentence

_APPLY = ("apply", "apply_fn", "init", "init_with_output")


def mutable(call: FailedCall) -> Iterator[Fix]:
    """`apply` has to change a collection of variables."""
    found = re.search(r'collection "(\w+)"', call.message)
    added = f'mutable=["{found[1] if found else "batch_stats"}"]'
    line = call.calling("apply", "apply_fn")
    if line is None or option(line.node, "mutable"):
        yield sketch(sentence("let apply change it and take", option=added))
        return
    differs = sentence("apply returns updates", names=found[1] if found else "variables")
    title = sentence("let apply change it option", option=added)
    node, text = call.with_argument(line.node, added)
    match line.statement:
        case ast.Assign(targets=[ast.Name() as target], value=assigned) if assigned is line.node:
            changes = (target, f"{target.id}, updates"), (node, text)
            yield call.fix(title, *changes, differs=differs)
        case _:
            yield call.fix(title, (node, f"{text}[0]"), differs=differs)


def rngs(call: FailedCall) -> Iterator[Fix]:
    """A layer asked for a key of a stream that `apply` did not get."""
    found = re.search(r'needs PRNG for "(\w+)"', call.message)
    stream = found[1] if found else "dropout"
    line = call.calling(*_APPLY)
    if line is None or option(line.node, "rngs") or stream == "params":
        yield sketch(sentence("pass a key apply variables", stream=stream))
        return
    key, differs = key_of(line)
    title = sentence("pass a key for stream", stream=stream)
    change = call.with_argument(line.node, f'rngs={{"{stream}": {key}}}')
    yield call.fix(title, change, differs=differs)


@otherwise("pass a key first model.init")
def first_is_key(call: FailedCall) -> Iterator[Fix]:
    """`init` got something else in the place of its key."""
    match call.node:
        case ast.Call(args=[ast.Constant(value=int()) as seed, *_]):
            yield key_of_number(call, seed, "It gets a key")
        case ast.Call(args=[one, other]) if _makes_key(call, other):
            yield call.swapped("the key first then", one, other)


def _makes_key(call: FailedCall, node: ast.expr) -> bool:
    made_here = isinstance(node, ast.Call) and ast.unparse(node.func).startswith("jax.random.")
    return made_here or is_key(call.value(node))


@otherwise("make its variables with init")
def bound(call: FailedCall) -> Iterator[Fix]:
    """A module was called as a function."""
    names = _variables(call)
    match call.node:
        case ast.Call(func=(ast.Name() | ast.Attribute()) as model, args=args) if len(
            names
        ) == 1 and is_of(call.value(model), "flax.linen", "Module"):
            inside = ", ".join([*names, *map(call.text, args)])
            keywords = [f"{word.arg}={call.text(word.value)}" for word in call.node.keywords]
            text = f"{call.text(model)}.apply({', '.join([inside, *keywords])})"
            yield call.fix("call it with its variables", (call.node, text))


def _variables(call: FailedCall) -> list[str]:
    """The names of the line's variables that contain results of `init`."""
    return [
        name
        for name, value in call.innermost().own.items()
        if not name.startswith("_") and "params" in (value if _is_mapping(value) else ())
    ]


def _is_mapping(value: object) -> bool:
    return (
        has_attribute(value, "keys") and has_attribute(value, "__getitem__") and not is_array(value)
    )


@otherwise("bind the module to its variables first")
def missing_attribute(call: FailedCall) -> Iterator[Fix]:
    """A layer of `setup`, read from outside."""
    names = _variables(call)
    match call.node:
        case ast.Attribute(value=model) if len(names) == 1:
            text = f"{call.text(model)}.bind({names[0]})"
            yield call.fix("bind the module to its variables", (model, text))


@otherwise("make it in setup")
def compact(call: FailedCall) -> Iterator[Fix]:
    """A layer or a parameter in a method that is not compact."""
    function = call.function
    name = call.spelled("flax.linen", "compact")
    if isinstance(function, ast.FunctionDef) and name and function.name != "setup":
        first = min(part.lineno for part in (function, *function.decorator_list))
        yield call.with_line("let the method make", first, f"@{name}")


@otherwise("store it with self.sow")
def sown(call: FailedCall) -> Iterator[Fix]:
    """An attribute that a method sets."""
    match call.nodes[:2]:
        case [ast.Attribute(value=ast.Name() as me, attr=name), ast.Assign(value=new) as whole]:
            text = f'{me.id}.sow("intermediates", "{name}", {call.text(new)})'
            yield call.fix("store it among the intermediates", (whole, text))


@otherwise("pass the variables as init")
def unwrapped(call: FailedCall) -> Iterator[Fix]:
    """Variables within another dict."""
    match call.node:
        case ast.Call(
            args=[ast.Dict(keys=[ast.Constant(value="params")], values=[inner]) as d, *_]
        ):
            yield call.fix("pass the variables unchanged", (d, call.text(inner)))


@otherwise("name the collection of the parameters apply")
def wrapped(call: FailedCall) -> Iterator[Fix]:
    """Parameters without the name of their collection."""
    line = call.calling(*_APPLY[:2])
    if line is not None and line.node.args and _is_bare(line.node.args[0], line):
        variables = line.node.args[0]
        title = sentence("name the collection of the parameters")
        yield call.fix(title, (variables, f'{{"params": {call.text(variables)}}}'))


def _is_bare(node: ast.expr, line: Line) -> bool:
    value = line.value(node)
    is_bare = _is_mapping(value) and "params" not in value
    return is_bare and not isinstance(node, ast.Dict)


@otherwise("pass an input of the same")
def other_shape(call: FailedCall) -> Iterator[Fix]:
    """A parameter that was made for an input of another shape."""
    found = re.search(r'parameter "(\w+)"', call.message)
    shapes = [*map(str, tuples_in(call.message))]
    what = found[1] if found else "parameter"
    if len(shapes) == 2:
        parts = {"what": what, "shapes": shapes[0], "shapes2": shapes[1]}
        yield sketch(sentence("what needs the shape", **parts))


def heads(call: FailedCall) -> Iterator[Fix]:
    """A number of heads that does not divide the features."""
    found = re.search(r"\((\d+)\)", call.message)
    size = int(found[1]) if found else 0
    fits = [str(n) for n in range(1, size + 1) if size % n == 0]
    yield sketch(
        sentence("heads", size=str(size), listed=f"{', '.join(fits[:-1])} or {fits[-1]}")
        if len(fits) > 1
        else sentence("heads, a divisor", size=str(size))
    )


def attention_mask(call: FailedCall) -> Iterator[Fix]:
    """A mask of (batch, length): attention needs a mask of each pair."""
    node = option(call.node, "mask")
    make = call.spelled("flax.linen", "make_attention_mask")
    if node is not None and attribute(call.value(node), "ndim", 0) == 2 and make:
        mask = call.text(node)
        yield call.fix("a mask of each", (node, f"{make}({mask}, {mask})"))


@otherwise("pass integers x.astype int")
def integers(call: FailedCall) -> Iterator[Fix]:
    """Floats passed to an embedding, which takes integers."""
    operands = [(node, call.value(node)) for node in getattr(call.node, "args", [])]
    arrays = [(node, value.dtype) for node, value in operands if is_array(value)]
    floats = [node for node, dtype in arrays if jnp.issubdtype(dtype, jnp.floating)]
    if len(floats) == 1:
        text = f"{call.operand(floats[0])}.astype(int)"
        yield call.fix("pass integers", (floats[0], text))


@otherwise("leave jit out here and jit")
def without_jit(call: FailedCall) -> Iterator[Fix]:
    """A layer under `jax.jit` within a module."""
    match call.node:
        case ast.Call(func=ast.Call(args=[layer, *_]) as jitted):
            yield call.fix("leave jit out here", (jitted, call.text(layer)))


@otherwise("make a changed copy and return")
def replaced(call: FailedCall) -> Iterator[Fix]:
    """A field of a frozen dataclass that is assigned."""
    match call.nodes[:2]:
        case [
            ast.Attribute(value=ast.Name() as owner, attr=name),
            ast.Assign(targets=[_], value=new) as whole,
        ] if call.is_local(owner.id) and has_attribute(call.variables.get(owner.id), "replace"):
            text = f"{owner.id} = {owner.id}.replace({name}={call.text(new)})"
            yield call.fix("make a changed copy replace", (whole, text))


@otherwise("leave the field out of the tree")
def static_text(call: FailedCall) -> Iterator[Fix]:
    """A string in a field of a flax.struct dataclass passed to `jax.jit`."""
    found = re.search(r"at path \w+\.(\w+)", call.message)
    field = call.spelled("flax.struct", "field")
    fields = [
        node
        for node in call.all(ast.AnnAssign)
        if node.value is None and found is not None and ast.unparse(node.target) == found[1]
    ]
    if len(fields) == 1 and field:
        text = f"{call.text(fields[0])} = {field}(pytree_node=False)"
        yield call.fix("leave the field out", (fields[0], text))


RULES = (
    Rule("module-state", mutable, "ModifyScopeVariableError"),
    Rule("module-key", rngs, "InvalidRngError", "needs PRNG for"),
    Rule("key", first_is_key, "InvalidRngError"),
    Rule("module-call", bound, "CallCompactUnboundModuleError"),
    Rule("library-call", compact, "AssignSubModuleError"),
    Rule("library-call", compact, "ValueError", r"must be initialized in `setup\(\)` or in a"),
    Rule("library-call", sown, "SetAttributeFrozenModuleError SetAttributeInModuleSetupError"),
    Rule("module-call", missing_attribute, "AttributeError", r"is defined in '\.setup\(\)'"),
    Rule("library-call", advice("give each layer a name"), "NameInUseError"),
    Rule("library-call", unwrapped, "ApplyScopeInvalidVariablesStructureError"),
    Rule("library-call", wrapped, "ScopeCollectionNotFound ApplyScopeInvalidVariablesTypeError"),
    Rule(
        "library-call",
        advice("rename the parameters to the names"),
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
    Rule("library-call", replaced, "FrozenInstanceError", "", r"flax\."),
)
