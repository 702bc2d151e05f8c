"""Fixes of Equinox."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import jax

from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.libraries._running import RunningBatch, running_batch
from jaxviz.capture.failure.libraries.features import resized
from jaxviz.capture.failure.libraries.linen import static_array
from jaxviz.capture.failure.libraries.reading import (
    Line,
    is_array,
    is_of,
    key_of,
    lines,
    spelled,
    value,
    whole,
    with_argument,
    with_line,
    word,
)
from jaxviz.capture.failure.libraries.rule import Rule, advice
from jaxviz.capture.shown.objects import (
    dataclass_fields,
    has_class_attribute,
    is_a,
)
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend
from jaxviz.sentences import sentence

_VMAP = sentence("call it on each")
_WHERE = sentence("let where return nodes")
_AS_MANY = sentence("give as many replacements")


def layer(call: FailedCall) -> Iterator[Mend]:
    """A layer that got a batch, channels at the end, or other features."""
    found = running_batch(call.error)
    if found is None:
        return
    if found.batched:
        yield from batch(call, found)
    elif found.channels_last and isinstance(call.node, ast.Call) and len(call.node.args) == 1:
        image = call.node.args[0]
        text = f"{call.jnp}.moveaxis({call.text(image)}, -1, 0)"
        yield edited(call, sentence("put the channels first"), (image, text))
    elif found.state:
        yield sketch(sentence("start with a state", state=str(found.state)))
    else:
        yield from resized(call)


def batch(call: FailedCall, found: RunningBatch) -> Iterator[Mend]:
    """`jax.vmap` of what the reader calls on a batch: the layer, or the model that it is in."""
    for line in lines(call):
        if not found.of_one and _is_parameter(line):
            continue  # the batch came from the caller of the model
        yield _mapped(call, line, found) or sketch(_VMAP)
        return
    yield sketch(_VMAP)


def _is_parameter(line: Line) -> bool:
    """Whether a method of a module passes on what it was given."""
    function = line.failed.function()
    given = [argument.arg for argument in function.args.args] if function else []
    owner = line.held.get(given[0]) if given else None
    reads = {
        part.id
        for argument in getattr(line.node, "args", [])
        for part in ast.walk(argument)
        if isinstance(part, ast.Name)
    }
    method = is_of(owner, "equinox", "Module") and has_class_attribute(type(owner), line.function)
    return method and bool(reads & set(given[1:]))


def _mapped(call: FailedCall, line: Line, found: RunningBatch) -> Mend | None:
    match line.node:
        case ast.Call(func=func, args=[_, *_] as args, keywords=[]):
            held = [value(argument, line) for argument in args]
            sizes = {one.shape[:1] for one in held if is_array(one)}
            others = [one for one in held if one is not None and not is_array(one)]
            if len(sizes) < 2 and not others:
                mapped = (func, f"jax.vmap({call.text(func)})")
                if not found.channels_last:
                    return edited(call, sentence("call it on each example"), mapped)
                if len(args) == 1:
                    first = (args[0], f"{call.jnp}.moveaxis({call.text(args[0])}, -1, 1)")
                    title = sentence("put the channels first and call")
                    return edited(call, title, mapped, first)
    return None


def dropout(call: FailedCall) -> Iterator[Mend]:
    line = lines(call)[0] if lines(call) else None
    if line is None or not isinstance(line.node, ast.Call) or not line.node.args:
        yield sketch(sentence("pass a key dropout"))
        return
    key, differs = key_of(line)
    change = with_argument(call, line.node, f"key={key}")
    yield edited(call, sentence("pass a key"), change, differs=differs)


def seed(call: FailedCall) -> Iterator[Mend]:
    """A number as the key of a layer."""
    given = word(call.node, "key") if isinstance(call.node, ast.Call) else None
    if isinstance(given, ast.Constant) and is_a(given.value, int):
        text = f"jax.random.key({call.text(given)})"
        differs = sentence("It gets a key")
        yield edited(call, sentence("a key made of the number"), (given, text), differs=differs)
    else:
        yield sketch(sentence("pass a key jax.random.key"))


def axis_name(call: FailedCall) -> Iterator[Mend]:
    """BatchNorm, whose axis has no name."""
    found = re.search(r"axis name:? '?(\w+)", message_of(call.error))
    option = f'axis_name="{found[1] if found else "batch"}"'
    for line in lines(call):
        match line.node:
            case ast.Call(func=ast.Call(func=ast.Attribute(attr="vmap")) as mapped):
                change = with_argument(call, mapped, option)
                yield edited(call, sentence("name the axis of the batch"), change)
                return
    yield sketch(sentence("call it within jax.vmap", option=option))


def computed(call: FailedCall) -> Iterator[Mend]:
    yield sketch(_WHERE)


def frozen(call: FailedCall) -> Iterator[Mend]:
    """A field of a module that is assigned."""
    tree_at = spelled(call, "equinox", "tree_at")
    match call.failed.known.nodes[:2]:
        case [ast.Attribute(value=ast.Name() as owner, attr=name), ast.Assign(value=new) as whole]:
            method = call.failed.function()
            if method is not None and method.args.args and method.args.args[0].arg == owner.id:
                yield _declared(call, owner.id, name)
            elif tree_at and call.is_local(owner.id):
                copy = f"{tree_at}(lambda tree: tree.{name}, {owner.id}, {call.text(new)})"
                text = f"{owner.id} = {copy}"
                yield edited(call, sentence("make a changed copy tree_at"), (whole, text))
            else:
                yield sketch(sentence("make a changed copy"))
        case _:
            yield sketch(sentence("make a changed copy"))


def _declared(call: FailedCall, owner: str, name: str) -> Mend:
    """The declaration of a field that `__init__` sets; advice for a method that changes one."""
    function = call.failed.function()
    fields = {field.name for field in dataclass_fields(type(call.held.get(owner)))}
    cls = next((n for n in call.failed.known.nodes if isinstance(n, ast.ClassDef)), None)
    sets = isinstance(function, ast.FunctionDef) and function.name == "__init__"
    if sets and cls is not None and name not in fields:
        kind = f"{call.module(jax, '')}.Array" if call.module(jax, "") else "object"
        title = sentence("declare the field in the class")
        return with_line(call, title, cls.body[0].lineno, f"{name}: {kind}")
    return sketch(sentence("return the new value"))


def unset(call: FailedCall) -> Iterator[Mend]:
    found = re.search(r"'(\w+)'", message_of(call.error))
    yield sketch(sentence("set self.value in __init__", value=found[1] if found else "field"))


def in_sequential(call: FailedCall) -> Iterator[Mend]:
    """Functions among the layers of a Sequential."""
    wrapper = spelled(call, "equinox.nn", "Lambda") or "eqx.nn.Lambda"
    plain = [
        element
        for node in ast.walk(whole(call))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("nn.Sequential")
        for given in node.args
        if isinstance(given, ast.List | ast.Tuple)
        for element in given.elts
        if isinstance(element, ast.Name | ast.Attribute | ast.Lambda)
        and not is_of(value(element, call), "equinox", "Module")
    ]
    if plain:
        changes = [(node, f"{wrapper}({call.text(node)})") for node in plain]
        yield edited(call, sentence("make layers of the functions Lambda"), *changes)
    else:
        yield sketch(sentence("make layers of the functions"))


def filtered(call: FailedCall, name: str) -> Mend | None:
    """The transformation of JAX on the line, or on the function that it calls, as that of Equinox,
    which leaves out what is no array."""
    new = spelled(call, "equinox", f"filter_{name}")
    title = sentence("eqx.filter_name which leaves out", name=name)
    match call.node:
        case ast.Call(
            func=ast.Call(func=ast.Attribute(value=ast.Name(id="jax"), attr=used) as old)
        ):
            return edited(call, title, (old, new)) if new and used == name else None
        case ast.Call(func=ast.Name(id=called)):
            for node in ast.walk(whole(call)):
                if isinstance(node, ast.FunctionDef) and node.name == called:
                    for decorator in node.decorator_list:
                        if ast.unparse(decorator) == f"jax.{name}" and new:
                            return edited(call, title, (decorator, new))
    return None


_NN = r"equinox\.nn\._"
RULES = (
    Rule("module-key", dropout, "RuntimeError", "requires a key when running"),
    Rule("library-call", axis_name, "NameError", "unbound axis name", "equinox"),
    Rule("library-call", computed, "TypeError", "_LeafWrapper"),
    Rule("trees", advice(_AS_MANY), "ValueError", "same length as `replace`"),
    Rule(
        "library-call",
        advice(sentence("pass the new value")),
        "ValueError",
        "Precisely one of `replace`",
    ),
    Rule(
        "library-call", unset, "TypeError ValueError", "Field .* not initiali[sz]ed|not initialised"
    ),
    Rule("library-call", frozen, "FrozenInstanceError", "", "equinox"),
    Rule(
        "library-call", in_sequential, "TypeError", "keyword argument 'key'", "equinox.*Sequential"
    ),
    Rule("key", seed, "TypeError", "PRNG key", "equinox"),
    Rule("static-array", static_array, "ValueError", "metadata fields of pytree", "equinox"),
)
LAYERS = Rule("module-batch", layer, "TypeError ValueError", "", _NN)
SHAPES = LAYERS._replace(page="shapes")


def rule_of_layer(call_error: BaseException) -> Rule:
    """The rule of an error in a layer: its page says whether the layer got a batch."""
    found = running_batch(call_error)
    return LAYERS if found is not None and found.batched else SHAPES
