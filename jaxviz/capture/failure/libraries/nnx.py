"""Fixes of Flax NNX."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jaxviz.capture.failure.code import is_key, is_of, option
from jaxviz.capture.failure.failed_call import Change, FailedCall, Line, otherwise, sketch
from jaxviz.capture.failure.libraries import Rule, advice, made
from jaxviz.capture.failure.libraries._running import running_layer
from jaxviz.capture.failure.libraries.linen import heads
from jaxviz.schema import Fix
from jaxviz.sentences import sentence

_LOOPS = ("jax.lax.scan", "jax.lax.fori_loop", "jax.lax.while_loop", "lax.scan", "lax.fori_loop")


@otherwise("pass the module to the function as an argument")
def state(call: FailedCall) -> Iterator[Fix]:
    """A variable of a module changes within a transformation of JAX that does not carry it."""
    nodes = [line.node for line in call.lines() if isinstance(line.node, ast.Call)]
    texts = [ast.unparse(node.func) for node in nodes]
    changes = next(filter(None, (_passed(call, line) for line in call.lines())), [])
    if any(text in _LOOPS for text in texts):
        yield sketch("loop with nnx.scan which carries")
    elif any("jax.vmap(" in text for text in texts):
        yield sketch("call the module without")
    elif changes:
        yield call.fix("pass the module to the function under", *changes)


def _passed(call: FailedCall, line: Line) -> list[Change]:
    """The changes after which a jitted function takes, as arguments, the modules that it closes
    over: in the function and in all of its calls."""
    jit = call.spelled("flax.nnx", "jit")
    found = call.functions(line.function_name)
    if len(found) != 1 or len(found[0].decorator_list) != 1 or not jit:
        return []
    (function,), (decorator,) = found, found[0].decorator_list
    if ast.unparse(decorator) not in ("jax.jit", jit, "jit"):
        return []
    modules = [*dict.fromkeys(_modules(function, line))]
    uses = [n for n in call.all(ast.Name) if n.id == function.name]
    calls = [
        n for n in call.all(ast.Call) if isinstance(n.func, ast.Name) and n.func.id == function.name
    ]
    if not modules or len(uses) != len(calls) or not function.args.args:
        return []
    names = ", ".join(modules)
    inputs: list[Change] = [(function.args.args[0], f"{names}, {function.args.args[0].arg}")]
    arguments: list[Change] = [
        (one.args[0], f"{names}, {call.text(one.args[0])}") for one in calls if one.args
    ]
    jitted: list[Change] = [(decorator, jit)] if ast.unparse(decorator) != jit else []
    return [*jitted, *inputs, *arguments] if len(arguments) == len(calls) else []


def _modules(function: ast.FunctionDef, line: Line) -> Iterator[str]:
    """The names of modules that a function reads and that are no parameters."""
    parameters = {argument.arg for argument in function.args.args}
    for node in ast.walk(function):
        match node:
            case ast.Name(id=name) if name not in parameters:
                if is_of(line.variables.get(name), "flax.nnx", "Module"):
                    yield name


def gradient(call: FailedCall) -> Iterator[Fix]:
    """`jax.grad` of a module that contains more than parameters."""
    match call.node:
        case ast.Call(func=ast.Call(func=ast.Attribute(attr=name) as grad), args=[module, *_]) if (
            name in ("grad", "value_and_grad") and is_of(call.value(module), "flax.nnx", "Module")
        ):
            title = sentence("nnx.name which takes the parameters", name=name)
            yield call.renamed(title, grad, "flax.nnx", name)


def optimizer(call: FailedCall) -> Iterator[Fix]:
    """An optimizer without `wrt`."""
    param = call.spelled("flax.nnx", "Param") or "nnx.Param"
    if isinstance(call.node, ast.Call):
        change = call.with_argument(call.node, f"wrt={param}")
        yield call.fix("say what it optimizes", change)


@otherwise("pass the model first optimizer.update")
def update(call: FailedCall) -> Iterator[Fix]:
    """An update of an optimizer without the model."""
    models = [
        name
        for name, value in call.innermost().own.items()
        if is_of(value, "flax.nnx", "Module") and not is_of(value, "flax.nnx", "Optimizer")
    ]
    match call.node:
        case ast.Call(args=[grads]) if len(models) == 1:
            text = f"{models[0]}, {call.text(grads)}"
            yield call.fix("pass the model first", (grads, text))


@otherwise("let NNX hold the modules")
def listed(call: FailedCall) -> Iterator[Fix]:
    """Modules in a plain list or dict."""
    found = re.search(r"'<class '(list|dict|tuple)'>'", call.message)
    name = "Dict" if found and found[1] == "dict" else "List"
    new = call.spelled("flax.nnx", name)
    match call.nodes[:2]:
        case [_, ast.Assign(value=plain)] if new:
            change = (plain, f"{new}({call.text(plain)})")
            yield call.fix(sentence("a list of NNX", new=new), change)


@otherwise("make the layer with keys")
def streams(call: FailedCall) -> Iterator[Fix]:
    """A layer that was made without its keys."""
    layer = made(call, getattr(call.node, "func", None))
    if layer is not None and _names_rngs(call, layer):
        change = call.with_argument(layer, "rngs=rngs")
        yield call.fix("make the layer with keys rngs", change)


def _names_rngs(call: FailedCall, layer: ast.Call) -> bool:
    """True if the function that makes a layer has an argument `rngs`."""
    return any(
        argument.arg == "rngs"
        for function in call.all(ast.FunctionDef)
        if function.lineno <= layer.lineno <= (function.end_lineno or 0)
        for argument in function.args.args + function.args.kwonlyargs
    )


@otherwise("pass streams of keys")
def key(call: FailedCall) -> Iterator[Fix]:
    """A key in the place of `rngs`."""
    node = option(call.node, "rngs")
    rngs = call.spelled("flax.nnx", "Rngs")
    if node is not None and rngs and (is_key(call.value(node)) or isinstance(node, ast.Call)):
        change = (node, f"{rngs}({call.text(node)})")
        yield call.fix("make streams of keys", change, differs="The keys are made")


def stream(call: FailedCall) -> Iterator[Fix]:
    """A stream of keys that does not exist."""
    found = re.search(r"named '(\w+)'", call.message)
    yield sketch(sentence("make that stream too", value=found[1] if found else "noise"))


def merge(call: FailedCall) -> Iterator[Fix]:
    match call.node:
        case ast.Call(args=[state, graph]):
            yield call.swapped("the graph first then", state, graph)


def decode(call: FailedCall) -> Iterator[Fix]:
    if isinstance(call.node, ast.Call):
        change = call.with_argument(call.node, "decode=False")
        yield call.fix("say whether it decodes", change)


def resized(call: FailedCall) -> Iterator[Fix]:
    """The layer, made for the features that it gets; advice if its call is not in the cell."""
    layer = running_layer(call.error)
    if layer is None or layer.actual == layer.expected:
        return
    function, gets = getattr(call.node, "func", None), str(layer.actual)
    match made(call, function):
        case ast.Call(args=[ast.Constant(value=size) as first, *_]) if (
            size == layer.expected and call.value(function) is layer.layer
        ):
            title = sentence("make the layer for gets features", gets=gets)
            yield call.fix(title, (first, gets), differs="The layer has other")
        case _:
            expected = str(layer.expected)
            yield sketch(sentence("make the layer for gets", gets=gets, takes=expected))


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
        *("trees", advice("init with the state"), "ValueError"),
        r"(?:structure error|Custom node type mismatch)[\s\S]*flax\.nnx",
        "optax",
    ),
)
