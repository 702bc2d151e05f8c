"""Fixes for models and settings passed to a transformation of JAX, which accepts only arrays."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from jaxviz.capture.failure.edits import sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.libraries import equinox, keras, linen
from jaxviz.capture.failure.libraries._running import is_struct
from jaxviz.capture.failure.libraries.reading import functions, spelled, value
from jaxviz.capture.failure.libraries.rule import Rule
from jaxviz.capture.failure.static_mends import making_static
from jaxviz.capture.shown.objects import inherits, is_a
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend
from jaxviz.sentences import sentence

_PARTITION = sentence("pass the arrays alone")
_NO_ARRAY = "not a valid JAX|as an abstract array|Error interpreting argument"
_STATIC = (("flax.linen", "Module"), ("optax", "GradientTransformation"))


def argument(call: FailedCall) -> Iterator[Mend]:
    """A module, an optimizer, or a dataclass with a text."""
    given = passed(call)
    static = _of(given, *_STATIC) or _texts(call, given)
    if _of(given, ("keras", "Layer")):
        yield sketch(keras.STATELESS)
    elif _of(given, ("equinox", "Module")) or _makes_model(call):
        yield _filtered(call)
    elif static:
        yield making_static(call, static, _function(call))
    elif any(map(is_struct, given.values())):
        yield from linen.static_text(call)


def passed(call: FailedCall) -> dict[str, type]:
    """The classes of what the failing call passes, by the names of the parameters if the cell
    defines the function. An argument that makes an object counts, too."""
    nodes = call.node.args if isinstance(call.node, ast.Call) else []
    defined = functions(call, _function(call))
    names = [one.arg for one in defined[0].args.args] if len(defined) == 1 else []
    names = names if len(names) >= len(nodes) else [ast.unparse(node) for node in nodes]
    given = {name: _class(node, call) for name, node in zip(names, nodes, strict=False)}
    return {**given, **{name: type(held) for name, held in call.arguments.items()}}


def _function(call: FailedCall) -> str:
    match call.node:
        case ast.Call(func=ast.Name(id=name)):
            return name
    return ""


def _class(node: ast.expr, call: FailedCall) -> type:
    made = value(node.func, call) if isinstance(node, ast.Call) else None
    return made if is_a(made, type) else type(value(node, call))


def _of(given: dict[str, type], *classes: tuple[str, str]) -> list[str]:
    """The names of what is of these classes of libraries, as far as they are loaded."""
    loaded = (getattr(sys.modules.get(module), name, None) for module, name in classes)
    known = tuple(cls for cls in loaded if is_a(cls, type))
    return [name for name, cls in given.items() if inherits(cls, *known)]


def _texts(call: FailedCall, given: dict[str, type]) -> list[str]:
    """The parameters of a function under nnx.jit that get a string."""
    for function in functions(call, _function(call)):
        if [*map(ast.unparse, function.decorator_list)] == [spelled(call, "flax.nnx", "jit")]:
            return [name for name, cls in given.items() if cls is str]
    return []


def gradient(call: FailedCall) -> Iterator[Mend]:
    """A gradient of a model of Equinox that holds more than floats."""
    if _of(passed(call), ("equinox", "Module")):
        found = equinox.filtered(call, "grad") or equinox.filtered(call, "value_and_grad")
        yield from [found] if found else []


def _makes_model(call: FailedCall) -> bool:
    """Whether a function of the cell returns a model of Equinox, as JAX says it."""
    text = message_of(call.error)
    returned = "returned a value of type" in text or "Output from batched function" in text
    return returned and "equinox" in sys.modules and "eqx" in call.failed.source


def _filtered(call: FailedCall) -> Mend:
    for name in ("jit", "grad", "value_and_grad", "vmap"):
        found = equinox.filtered(call, name)
        if found is not None:
            return found
    return sketch(_PARTITION)


def traced_module(call: FailedCall) -> Iterator[Mend]:
    """A module that `jax.jit` traced as if it were an array."""
    given = {name: type(held) for name, held in call.arguments.items()}
    if _of(given, ("keras", "Layer")):
        yield sketch(keras.STATELESS)
    elif _of(given, *_STATIC):
        yield making_static(call, _of(given, *_STATIC))


_TRACED = "Tracer'? (?:object )?(?:has no|is not c)"
RULES = (
    Rule("gradient", gradient, "TypeError", "grad requires real- or complex-valued inputs"),
    Rule("argument", argument, "TypeError ValueError", _NO_ARRAY),
    Rule("argument", traced_module, "AttributeError TypeError", _TRACED),
)
