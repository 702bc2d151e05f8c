"""Fixes of Equinox."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import jax

from jaxviz.capture.failure.code import is_array, is_of, option
from jaxviz.capture.failure.failed_call import FailedCall, Line, otherwise, sketch
from jaxviz.capture.failure.fixes.calls import key_of_number
from jaxviz.capture.failure.libraries import Rule, advice, key_of
from jaxviz.capture.failure.libraries._running import RunningBatch, running_batch
from jaxviz.capture.failure.libraries.nnx import resized
from jaxviz.capture.shown.objects import dataclass_fields, has_class_attribute, is_a
from jaxviz.schema import Fix
from jaxviz.sentences import sentence


def layer(call: FailedCall) -> Iterator[Fix]:
    """A layer whose input is a batch, or has its channels last or other features."""
    found = running_batch(call.error)
    if found is None:
        return
    if found.batched:
        yield from batch(call, found)
    elif found.channels_last and isinstance(call.node, ast.Call) and len(call.node.args) == 1:
        image = call.node.args[0]
        change = (image, f"{call.jnp}.moveaxis({call.text(image)}, -1, 0)")
        yield call.fix("put the channels first", change)
    elif found.state:
        yield sketch(sentence("start with a state", state=str(found.state)))
    else:
        yield from resized(call)


@otherwise("call it on each")
def batch(call: FailedCall, found: RunningBatch) -> Iterator[Fix]:
    """`jax.vmap` of the layer or the model that the user calls on a batch."""
    for line in call.lines():
        if not found.of_one and _is_parameter(line):
            continue  # the batch came from the caller of the model
        mapped = _mapped(call, line, found)
        yield from [mapped] if mapped else []
        return


def _is_parameter(line: Line) -> bool:
    """True if a method of a module passes on its own arguments."""
    function = line.function
    parameters = [argument.arg for argument in function.args.args] if function else []
    owner = line.variables.get(parameters[0]) if parameters else None
    reads = {name for node in getattr(line.node, "args", []) for name in line.names(node)}
    is_method = has_class_attribute(type(owner), line.function_name)
    return is_method and is_of(owner, "equinox", "Module") and bool(reads & set(parameters[1:]))


def _mapped(call: FailedCall, line: Line, found: RunningBatch) -> Fix | None:
    match line.node:
        case ast.Call(func=func, args=[_, *_] as args, keywords=[]):
            values = [line.value(argument) for argument in args]
            sizes = {one.shape[:1] for one in values if is_array(one)}
            others = [one for one in values if one is not None and not is_array(one)]
            if len(sizes) < 2 and not others:
                mapped = (func, f"jax.vmap({call.text(func)})")
                if not found.channels_last:
                    return call.fix("call it on each example", mapped)
                if len(args) == 1:
                    first = (args[0], f"{call.jnp}.moveaxis({call.text(args[0])}, -1, 1)")
                    return call.fix("put the channels first and call", mapped, first)
    return None


@otherwise("pass a key dropout")
def dropout(call: FailedCall) -> Iterator[Fix]:
    line = call.innermost()
    if isinstance(line.node, ast.Call) and line.node.args:
        key, differs = key_of(line)
        change = call.with_argument(line.node, f"key={key}")
        yield call.fix("pass a key", change, differs=differs)


@otherwise("pass a key jax.random.key")
def seed(call: FailedCall) -> Iterator[Fix]:
    """A number as the key of a layer."""
    key = option(call.node, "key")
    if isinstance(key, ast.Constant) and is_a(key.value, int):
        yield key_of_number(call, key, "It gets a key")


def axis_name(call: FailedCall) -> Iterator[Fix]:
    """BatchNorm, whose axis has no name."""
    found = re.search(r"axis name:? '?(\w+)", call.message)
    added = f'axis_name="{found[1] if found else "batch"}"'
    for line in call.lines():
        match line.node:
            case ast.Call(func=ast.Call(func=ast.Attribute(attr="vmap")) as mapped):
                change = call.with_argument(mapped, added)
                yield call.fix("name the axis of the batch", change)
                return
    yield sketch(sentence("call it within jax.vmap", option=added))


@otherwise("make a changed copy")
def frozen(call: FailedCall) -> Iterator[Fix]:
    """A field of a module that is assigned."""
    tree_at = call.spelled("equinox", "tree_at")
    match call.nodes[:2]:
        case [ast.Attribute(value=ast.Name() as owner, attr=name), ast.Assign(value=new) as whole]:
            method = call.function
            if method is not None and method.args.args and method.args.args[0].arg == owner.id:
                yield _declared(call, owner.id, name)
            elif tree_at and call.is_local(owner.id):
                copy = f"{tree_at}(lambda tree: tree.{name}, {owner.id}, {call.text(new)})"
                change = (whole, f"{owner.id} = {copy}")
                yield call.fix("make a changed copy tree_at", change)


def _declared(call: FailedCall, owner: str, name: str) -> Fix:
    """The declaration of a field that `__init__` sets; advice for a method that changes one."""
    function = call.function
    fields = {field.name for field in dataclass_fields(type(call.variables.get(owner)))}
    cls = next((n for n in call.nodes if isinstance(n, ast.ClassDef)), None)
    sets = isinstance(function, ast.FunctionDef) and function.name == "__init__"
    if sets and cls is not None and name not in fields:
        kind = f"{call.module(jax, '')}.Array" if call.module(jax, "") else "object"
        title = sentence("declare the field in the class")
        return call.with_line(title, cls.body[0].lineno, f"{name}: {kind}")
    return sketch("return the new value")


def unset(call: FailedCall) -> Iterator[Fix]:
    found = re.search(r"'(\w+)'", call.message)
    yield sketch(sentence("set self.value in __init__", value=found[1] if found else "field"))


@otherwise("make layers of the functions")
def in_sequential(call: FailedCall) -> Iterator[Fix]:
    """Functions among the layers of a Sequential."""
    wrapper = call.spelled("equinox.nn", "Lambda") or "eqx.nn.Lambda"
    plain = [
        element
        for node in call.all(ast.Call)
        if ast.unparse(node.func).endswith("nn.Sequential")
        for layers in node.args
        if isinstance(layers, ast.List | ast.Tuple)
        for element in layers.elts
        if isinstance(element, ast.Name | ast.Attribute | ast.Lambda)
        and not is_of(call.value(element), "equinox", "Module")
    ]
    if plain:
        changes = [(node, f"{wrapper}({call.text(node)})") for node in plain]
        yield call.fix("make layers of the functions Lambda", *changes)


def filtered(call: FailedCall, name: str) -> Fix | None:
    """Equinox's transformation, which ignores all that is not an array, in place of JAX's on the
    line or on the function that the line calls."""
    new = call.spelled("equinox", f"filter_{name}")
    title = sentence("eqx.filter_name which leaves out", name=name)
    match call.node:
        case ast.Call(
            func=ast.Call(func=ast.Attribute(value=ast.Name(id="jax"), attr=used) as old)
        ):
            return call.fix(title, (old, new)) if new and used == name else None
        case ast.Call(func=ast.Name(id=called)):
            for decorator in (one for f in call.functions(called) for one in f.decorator_list):
                if ast.unparse(decorator) == f"jax.{name}" and new:
                    return call.fix(title, (decorator, new))
    return None


_NN = r"equinox\.nn\._"
RULES = (
    Rule("module-key", dropout, "RuntimeError", "requires a key when running"),
    Rule("library-call", axis_name, "NameError", "unbound axis name", "equinox"),
    Rule("library-call", advice("let where return nodes"), "TypeError", "_LeafWrapper"),
    Rule("trees", advice("give as many replacements"), "ValueError", "same length as `replace`"),
    Rule("library-call", advice("pass the new value"), "ValueError", "Precisely one of `replace`"),
    Rule(
        "library-call", unset, "TypeError ValueError", "Field .* not initiali[sz]ed|not initialised"
    ),
    Rule("library-call", frozen, "FrozenInstanceError", "", "equinox"),
    Rule(
        "library-call", in_sequential, "TypeError", "keyword argument 'key'", "equinox.*Sequential"
    ),
    Rule("key", seed, "TypeError", "PRNG key", "equinox"),
)
LAYERS = Rule("module-batch", layer, "TypeError ValueError", "", _NN)
SHAPES = LAYERS._replace(page="shapes")


def rule_of_layer(call_error: BaseException) -> Rule:
    """The rule of an error in a layer: its page says whether the layer got a batch."""
    found = running_batch(call_error)
    return LAYERS if found is not None and found.batched else SHAPES
