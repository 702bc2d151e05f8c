"""Fixes of models and settings that a transformation of JAX is given, which takes arrays alone."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import Any

from jaxviz.capture.failure.edits import sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.libraries import equinox, keras, linen
from jaxviz.capture.failure.libraries._running import is_struct
from jaxviz.capture.failure.libraries.reading import functions, is_of, spelled, value
from jaxviz.capture.failure.libraries.rule import Rule
from jaxviz.capture.failure.static_mends import making_static
from jaxviz.schema import Mend

_PARTITION = (
    "pass the arrays alone and put the model together inside: "
    "eqx.partition(layers, eqx.is_array) and eqx.combine"
)
_NO_ARRAY = "not a valid JAX|as an abstract array|Error interpreting argument"


def argument(call: FailedCall) -> Iterator[Mend]:
    """A module, an optimizer, or a dataclass with a text."""
    held = passed(call)
    if any(is_of(one, "keras", "Layer") for one in held.values()):
        yield sketch(keras.STATELESS)
    elif _holds_model(call) or _makes_model(call):
        yield _filtered(call)
    elif _static(call):
        yield making_static(call, _static(call))
    elif _texts(call):
        yield making_static(call, _texts(call), call.node.func.id)
    elif any(map(is_struct, held.values())):
        yield from linen.static_text(call)


def passed(call: FailedCall) -> dict[str, Any]:
    """What the failing call passes, by name."""
    nodes = call.node.args if isinstance(call.node, ast.Call) else []
    given = {ast.unparse(node): value(node, call) for node in nodes}
    return {**given, **call.arguments}


def _static(call: FailedCall) -> list[str]:
    """The names of arguments that can be static: modules of linen, and optimizers."""
    return [
        name
        for name, held in call.arguments.items()
        if is_of(held, "flax.linen", "Module") or is_of(held, "optax", "GradientTransformation")
    ]


def _texts(call: FailedCall) -> list[str]:
    """The parameters of a function under nnx.jit that are given a text."""
    match call.node:
        case ast.Call(func=ast.Name(id=name), args=args):
            for function in functions(call, name):
                jits = [ast.unparse(part) for part in function.decorator_list]
                if jits == [spelled(call, "flax.nnx", "jit")]:
                    parameters = [parameter.arg for parameter in function.args.args]
                    return [
                        parameter
                        for parameter, given in zip(parameters, args, strict=False)
                        if isinstance(value(given, call), str)
                    ]
    return []


def _holds_model(call: FailedCall) -> bool:
    """Whether the call passes a model of Equinox, or makes one among its arguments."""
    nodes = call.node.args if isinstance(call.node, ast.Call) else []
    made = [value(node.func, call) for node in nodes if isinstance(node, ast.Call)]
    base: Any = getattr(sys.modules.get("equinox"), "Module", None)
    if base is None:
        return False
    classes = [one for one in made if isinstance(one, type)]
    return any(isinstance(one, base) for one in passed(call).values()) or any(
        issubclass(one, base) for one in classes
    )


def gradient(call: FailedCall) -> Iterator[Mend]:
    """A gradient of a model of Equinox that holds more than floats."""
    if _holds_model(call):
        found = equinox.filtered(call, "grad") or equinox.filtered(call, "value_and_grad")
        yield from [found] if found else []


def _makes_model(call: FailedCall) -> bool:
    """Whether a function of the cell returns a model of Equinox, as JAX says it."""
    text = str(call.error)
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
    names = _static(call)
    if any(is_of(one, "keras", "Layer") for one in call.arguments.values()):
        yield sketch(keras.STATELESS)
    elif names:
        yield making_static(call, names)


RULES = (
    Rule("gradient", gradient, "TypeError", "grad requires real- or complex-valued inputs"),
    Rule("argument", argument, "TypeError ValueError", _NO_ARRAY),
    Rule(
        "argument",
        traced_module,
        "AttributeError TypeError",
        "Tracer'? (?:object )?(?:has no|is not c)",
    ),
)
