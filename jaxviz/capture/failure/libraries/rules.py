"""Chooses the fixes of an error that a library's call raised, and its help page.

The first rule that matches and has a fix applies. To add one: add a row to the `RULES` of the
library's file, and a case to `tests/truth/errors/library_*.txt`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from jaxviz.capture.failure.code import public_callees
from jaxviz.capture.failure.expression import entries, users_entry
from jaxviz.capture.failure.failed_call import FailedCall, sketch
from jaxviz.capture.failure.fixes.statics import making_static
from jaxviz.capture.failure.libraries import (
    Rule,
    diffrax,
    equinox,
    haiku,
    keras,
    linen,
    nnx,
    numpyro,
    optax,
)
from jaxviz.capture.failure.libraries._running import is_struct
from jaxviz.capture.shown.objects import bases_of, cause_of, inherits, is_a, title_of, traceback_of
from jaxviz.safety.guard import as_far
from jaxviz.schema import Fix
from jaxviz.sentences import sentence

_PARTITION = sentence("pass the arrays alone")
_NO_ARRAY = "not a valid JAX|as an abstract array|Error interpreting argument"
_STATIC = (("flax.linen", "Module"), ("optax", "GradientTransformation"))


def argument(call: FailedCall) -> Iterator[Fix]:
    """A module, an optimizer, or a dataclass with a text, passed to a jitted function."""
    classes = passed(call)
    static = _of(classes, *_STATIC) or _texts(call, classes)
    if _of(classes, ("keras", "Layer")):
        yield sketch(keras.STATELESS)
    elif _of(classes, ("equinox", "Module")) or _makes_model(call):
        yield _filtered(call)
    elif static:
        yield making_static(call, static, _function(call))
    elif any(map(is_struct, classes.values())):
        yield from linen.static_text(call)


def passed(call: FailedCall) -> dict[str, type]:
    """The classes of what the failing call passes, by the names of the parameters if the cell
    defines the function. An argument that makes an object counts, too."""
    nodes = call.node.args if isinstance(call.node, ast.Call) else []
    defined = call.functions(_function(call))
    names = [one.arg for one in defined[0].args.args] if len(defined) == 1 else []
    names = names if len(names) >= len(nodes) else [ast.unparse(node) for node in nodes]
    found = {name: _class(node, call) for name, node in zip(names, nodes, strict=False)}
    return {**found, **{name: type(value) for name, value in call.arguments.items()}}


def _function(call: FailedCall) -> str:
    match call.node:
        case ast.Call(func=ast.Name(id=name)):
            return name
    return ""


def _class(node: ast.expr, call: FailedCall) -> type:
    made = call.value(node.func) if isinstance(node, ast.Call) else None
    return made if is_a(made, type) else type(call.value(node))


def _of(types: dict[str, type], *classes: tuple[str, str]) -> list[str]:
    """The names of the objects of these library classes. A library that is not loaded has none."""
    loaded = (getattr(sys.modules.get(module), name, None) for module, name in classes)
    wanted = tuple(cls for cls in loaded if is_a(cls, type))
    return [name for name, cls in types.items() if inherits(cls, *wanted)]


def _texts(call: FailedCall, types: dict[str, type]) -> list[str]:
    """The parameters of a function under nnx.jit that get a string."""
    for function in call.functions(_function(call)):
        if [*map(ast.unparse, function.decorator_list)] == [call.spelled("flax.nnx", "jit")]:
            return [name for name, cls in types.items() if cls is str]
    return []


def gradient(call: FailedCall) -> Iterator[Fix]:
    """A gradient of an Equinox model that contains more than floats."""
    if _of(passed(call), ("equinox", "Module")):
        found = equinox.filtered(call, "grad") or equinox.filtered(call, "value_and_grad")
        yield from [found] if found else []


def _makes_model(call: FailedCall) -> bool:
    """True if a function of the cell returns an Equinox model, by JAX's message."""
    text = call.message
    returned = "returned a value of type" in text or "Output from batched function" in text
    return returned and "equinox" in sys.modules and "eqx" in call.source


def _filtered(call: FailedCall) -> Fix:
    for name in ("jit", "grad", "value_and_grad", "vmap"):
        found = equinox.filtered(call, name)
        if found is not None:
            return found
    return sketch(_PARTITION)


def traced_module(call: FailedCall) -> Iterator[Fix]:
    """A module that `jax.jit` traced as if it were an array."""
    types = {name: type(value) for name, value in call.arguments.items()}
    if _of(types, ("keras", "Layer")):
        yield sketch(keras.STATELESS)
    elif _of(types, *_STATIC):
        yield making_static(call, _of(types, *_STATIC))


_ADVICE = {
    r"[\\/]flax[\\/](?:linen|core)": sentence("layers with nn.scan"),
    r"[\\/]haiku[\\/]|Haiku transform": sentence("hk.cond"),
    r"[\\/]keras[\\/]": keras.STATELESS,
}
"""Advice by the library whose file made the value, from JAX's message."""


def leak(call: FailedCall) -> Iterator[Fix]:
    for pattern, title in _ADVICE.items():
        if re.search(pattern, _text(call.error)):
            yield sketch(title)
            return


def _text(error: BaseException) -> str:
    """The message of the exception and of its cause."""
    return f"{error}\n{cause_of(error) or ''}"


_TRACED = "Tracer'? (?:object )?(?:has no|is not c)"
OF_ARGUMENTS = (
    Rule("leak", leak, "UnexpectedTracerError"),
    Rule("gradient", gradient, "TypeError", "grad requires real- or complex-valued inputs"),
    Rule("argument", argument, "TypeError ValueError", _NO_ARRAY),
    Rule("argument", traced_module, "AttributeError TypeError", _TRACED),
)


LIBRARIES = ("flax", "optax", "equinox", "haiku", "keras", "numpyro", "diffrax")
RULES = (
    *linen.RULES,
    *nnx.RULES,
    *optax.RULES,
    *equinox.RULES,
    *haiku.RULES,
    *keras.RULES,
    *numpyro.RULES,
    *diffrax.RULES,
    *OF_ARGUMENTS,
)


def library_fixes(call: FailedCall) -> tuple[str, list[Fix]]:
    """The help page and the fixes of an error that a library's call raised; an empty page if there
    are none."""
    names = [*_running(call)]
    if not call.is_own:
        return "", []
    for rule in (*RULES, equinox.rule_of_layer(call.error)):
        if _fits(rule, call, names):
            found = as_far(_made, rule, call)
            if found:
                return rule.page, found
    return "", []


def _made(rule: Rule, call: FailedCall) -> Iterator[Fix]:
    yield from rule.fixes(call)


def is_library_call(call: FailedCall) -> bool:
    """True if the user's line called a function or method of a library."""
    return _any(public_callees(call.node, call.variables)) or _any(_below(call))


def _any(names: list[str] | tuple[str, ...]) -> bool:
    return any(name.partition(".")[0] in LIBRARIES for name in names)


def _fits(rule: Rule, call: FailedCall, names: list[str]) -> bool:
    classes = {title_of(cls) for cls in bases_of(type(call.error))}
    return (
        (not rule.classes or bool(classes.intersection(rule.classes.split())))
        and re.search(rule.message, call.message) is not None
        and (not rule.within or any(re.search(rule.within, name) for name in names))
    )


def _running(call: FailedCall) -> Iterator[str]:
    """The functions of the traceback, as `module.function`, and those that the line calls."""
    yield from public_callees(call.node, call.variables)
    error: BaseException | None = call.error
    while error is not None:
        for entry in entries(traceback_of(error)):
            frame = entry.tb_frame
            yield f"{frame.f_globals.get('__name__', '')}.{frame.f_code.co_qualname}"
        error = cause_of(error)


def _below(call: FailedCall) -> list[str]:
    """The first function that the user's line called."""
    at = users_entry(call.error)
    below = at.tb_next if at else None
    return [str(below.tb_frame.f_globals.get("__name__", ""))] if below else []
