"""Fixes of Flax NNX."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jaxviz.capture.failure.edits import Change, edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.libraries.features import resized
from jaxviz.capture.failure.libraries.linen import heads
from jaxviz.capture.failure.libraries.reading import (
    Line,
    functions,
    is_key,
    is_of,
    lines,
    made,
    renamed,
    spelled,
    swapped,
    value,
    whole,
    with_argument,
    word,
)
from jaxviz.capture.failure.libraries.rule import Rule, advice
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend
from jaxviz.sentences import sentence

_PASS = sentence("pass the module to the function as an argument")
_LOOP = sentence("loop with nnx.scan which carries")
_BATCH = sentence("call the module without")
_LOOPS = ("jax.lax.scan", "jax.lax.fori_loop", "jax.lax.while_loop", "lax.scan", "lax.fori_loop")


def state(call: FailedCall) -> Iterator[Mend]:
    """A variable of a module changes within a transformation of JAX that does not carry it."""
    texts = [ast.unparse(line.node.func) for line in lines(call) if isinstance(line.node, ast.Call)]
    if any(text in _LOOPS for text in texts):
        yield sketch(_LOOP)
    elif any("jax.vmap(" in text for text in texts):
        yield sketch(_BATCH)
    else:
        changes = next(filter(None, (_passed(call, line) for line in lines(call))), [])
        title = sentence("pass the module to the function under")
        yield edited(call, title, *changes) if changes else sketch(_PASS)


def _passed(call: FailedCall, line: Line) -> list[Change]:
    """The changes that pass the modules which a jitted function closes over, in it and in all of
    its calls."""
    jit = spelled(call, "flax.nnx", "jit")
    found = functions(call, line.function)
    if len(found) != 1 or len(found[0].decorator_list) != 1 or not jit:
        return []
    (function,), (decorator,) = found, found[0].decorator_list
    if ast.unparse(decorator) not in ("jax.jit", jit, "jit"):
        return []
    modules = [*dict.fromkeys(_modules(function, line))]
    uses = [n for n in ast.walk(whole(call)) if isinstance(n, ast.Name) and n.id == function.name]
    calls = [
        n
        for n in ast.walk(whole(call))
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == function.name
    ]
    if not modules or len(uses) != len(calls) or not function.args.args:
        return []
    names = ", ".join(modules)
    inputs: list[Change] = [(function.args.args[0], f"{names}, {function.args.args[0].arg}")]
    given: list[Change] = [
        (one.args[0], f"{names}, {call.text(one.args[0])}") for one in calls if one.args
    ]
    jitted: list[Change] = [(decorator, jit)] if ast.unparse(decorator) != jit else []
    return [*jitted, *inputs, *given] if len(given) == len(calls) else []


def _modules(function: ast.FunctionDef, line: Line) -> Iterator[str]:
    """The names of modules that a function reads and is not given."""
    given = {argument.arg for argument in function.args.args}
    for node in ast.walk(function):
        match node:
            case ast.Name(id=name) if name not in given:
                if is_of(line.held.get(name), "flax.nnx", "Module"):
                    yield name


def gradient(call: FailedCall) -> Iterator[Mend]:
    """`jax.grad` of a module that holds more than parameters."""
    match call.node:
        case ast.Call(func=ast.Call(func=ast.Attribute(attr=name) as grad), args=[module, *_]) if (
            name in ("grad", "value_and_grad") and is_of(value(module, call), "flax.nnx", "Module")
        ):
            title = sentence("nnx.name which takes the parameters", name=name)
            yield from renamed(call, title, grad, "flax.nnx", name)


def optimizer(call: FailedCall) -> Iterator[Mend]:
    """An optimizer without `wrt`."""
    param = spelled(call, "flax.nnx", "Param") or "nnx.Param"
    if isinstance(call.node, ast.Call):
        change = with_argument(call, call.node, f"wrt={param}")
        yield edited(call, sentence("say what it optimizes"), change)


def update(call: FailedCall) -> Iterator[Mend]:
    """An update of an optimizer without the model."""
    own = lines(call)[0].own if lines(call) else {}
    models = [
        name
        for name, held in own.items()
        if is_of(held, "flax.nnx", "Module") and not is_of(held, "flax.nnx", "Optimizer")
    ]
    match call.node:
        case ast.Call(args=[grads]) if len(models) == 1:
            text = f"{models[0]}, {call.text(grads)}"
            yield edited(call, sentence("pass the model first"), (grads, text))
        case _:
            yield sketch(sentence("pass the model first optimizer.update"))


def listed(call: FailedCall) -> Iterator[Mend]:
    """Modules in a plain list or dict."""
    found = re.search(r"'<class '(list|dict|tuple)'>'", message_of(call.error))
    name = "Dict" if found and found[1] == "dict" else "List"
    new = spelled(call, "flax.nnx", name)
    match call.failed.known.nodes[:2]:
        case [_, ast.Assign(value=plain)] if new:
            yield edited(
                call, sentence("a list of NNX", new=new), (plain, f"{new}({call.text(plain)})")
            )
        case _:
            yield sketch(sentence("let NNX hold the modules"))


def streams(call: FailedCall) -> Iterator[Mend]:
    """A layer that was made without its keys."""
    layer = made(call, call.node.func if isinstance(call.node, ast.Call) else None)
    if layer is not None and _names_rngs(call, layer):
        change = with_argument(call, layer, "rngs=rngs")
        yield edited(call, sentence("make the layer with keys rngs"), change)
    else:
        yield sketch(sentence("make the layer with keys"))


def _names_rngs(call: FailedCall, layer: ast.Call) -> bool:
    """Whether the function that makes a layer has an argument `rngs`."""
    return any(
        argument.arg == "rngs"
        for function in ast.walk(whole(call))
        if isinstance(function, ast.FunctionDef) and _holds(function, layer)
        for argument in function.args.args + function.args.kwonlyargs
    )


def _holds(function: ast.FunctionDef, node: ast.Call) -> bool:
    return function.lineno <= node.lineno <= (function.end_lineno or 0)


def key(call: FailedCall) -> Iterator[Mend]:
    """A key in the place of `rngs`."""
    given = word(call.node, "rngs") if isinstance(call.node, ast.Call) else None
    rngs = spelled(call, "flax.nnx", "Rngs")
    if given is not None and rngs and (is_key(value(given, call)) or isinstance(given, ast.Call)):
        differs = sentence("The keys are made")
        change = (given, f"{rngs}({call.text(given)})")
        yield edited(call, sentence("make streams of keys"), change, differs=differs)
    else:
        yield sketch(sentence("pass streams of keys"))


def stream(call: FailedCall) -> Iterator[Mend]:
    """A stream of keys that is not there."""
    found = re.search(r"named '(\w+)'", message_of(call.error))
    yield sketch(sentence("make that stream too", value=found[1] if found else "noise"))


def merge(call: FailedCall) -> Iterator[Mend]:
    match call.node:
        case ast.Call(args=[state, graph]):
            yield swapped(call, sentence("the graph first then"), state, graph)


def decode(call: FailedCall) -> Iterator[Mend]:
    if isinstance(call.node, ast.Call):
        change = with_argument(call, call.node, "decode=False")
        yield edited(call, sentence("say whether it decodes"), change)


NNX_STATE = sentence("init with the state")
RULES = (
    Rule("module-state", state, "TraceContextError"),
    Rule("gradient", gradient, "TypeError", "grad requires real- or complex-valued inputs"),
    Rule("library-call", optimizer, "TypeError", "Missing required argument `wrt`"),
    Rule("library-call", update, "TypeError", "Missing required argument `grads`"),
    Rule("library-call", listed, "ValueError", "static attribute .* of Pytree type"),
    Rule("module-key", streams, "ValueError", "no `rngs` argument was provided"),
    Rule("module-key", key, "AttributeError", "has no attribute '(?:params|default)'", "flax.nnx"),
    Rule("module-key", stream, "AttributeError", "No RngStream named|No RNG named"),
    Rule("library-call", merge, "TypeError", "Expected a GraphDef"),
    Rule("library-call", decode, "ValueError", "No `decode` argument"),
    Rule("shapes", heads, "ValueError", "must be divisible by 'num_heads'"),
    Rule("shapes", resized, "TypeError ValueError", "", r"flax\.nnx\.nn\.linear"),
    Rule(
        *("trees", advice(NNX_STATE), "ValueError"),
        r"(?:structure error|Custom node type mismatch)[\s\S]*flax\.nnx",
        "optax",
    ),
)
