"""Fixes of Diffrax."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.libraries.reading import (
    is_array,
    is_of,
    made,
    spelled,
    value,
    whole,
    with_argument,
    word,
)
from jaxviz.capture.failure.libraries.rule import Rule, advice
from jaxviz.capture.shown.objects import is_a
from jaxviz.schema import Mend
from jaxviz.sentences import sentence

MOST_STEPS = 4096
"""What Diffrax takes by default."""


def term(call: FailedCall) -> Iterator[Mend]:
    """A function in the place of a term, or terms that the solver does not take."""
    new = spelled(call, "diffrax", "ODETerm")
    match call.node:
        case ast.Call(args=[given, *_]) if new and _is_function(call, given):
            yield edited(
                call, sentence("make a term of the function"), (given, f"{new}({call.text(given)})")
            )
        case _:
            yield sketch(sentence("pass terms that the solver"))


def _is_function(call: FailedCall, node: ast.expr) -> bool:
    found = value(node, call)
    is_term = is_of(found, "diffrax", "AbstractTerm")
    return isinstance(node, ast.Lambda) or (callable(found) and not is_term)


def step_size(call: FailedCall) -> Iterator[Mend]:
    """No first step, with steps of a constant size."""
    new = spelled(call, "diffrax", "PIDController")
    if isinstance(call.node, ast.Call) and new and word(call.node, "stepsize_controller") is None:
        option = f"stepsize_controller={new}(rtol=1e-5, atol=1e-5)"
        yield edited(
            call, sentence("let it choose its steps"), with_argument(call, call.node, option)
        )
    else:
        yield sketch(sentence("pass a step size"))


def field(call: FailedCall) -> Iterator[Mend]:
    """A vector field that returns a list of numbers for an array."""
    function = _field(call)
    returned = [n for n in ast.walk(function) if isinstance(n, ast.Return)] if function else []
    match returned:
        case [ast.Return(value=(ast.List() | ast.Tuple()) as parts)]:
            text = f"{call.jnp}.stack({_bracketed(call, parts)})"
            yield edited(call, sentence("return one array stack"), (parts, text))
        case _:
            yield sketch(sentence("let the vector field return"))


def _bracketed(call: FailedCall, parts: ast.List | ast.Tuple) -> str:
    text = call.text(parts)
    return text if text.startswith(("[", "(")) else f"[{text}]"


def _field(call: FailedCall) -> ast.FunctionDef | None:
    """The only function of the cell that a term is made of."""
    names = [
        node.args[0].id
        for node in ast.walk(whole(call))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("ODETerm")
        and node.args
        and isinstance(node.args[0], ast.Name)
    ]
    found = [
        node
        for node in ast.walk(whole(call))
        if isinstance(node, ast.FunctionDef) and node.name in names
    ]
    return found[0] if len(found) == 1 else None


def three_arguments(call: FailedCall) -> Iterator[Mend]:
    """A vector field without `args`."""
    function = _field(call)
    if function is not None and len(function.args.args) == 2:
        last = function.args.args[-1]
        title = sentence("let the vector field")
        yield edited(call, title, (last, f"{call.text(last)}, args"))
    else:
        yield sketch(sentence("let the vector field take"))


def more_steps(call: FailedCall) -> Iterator[Mend]:
    """A bound on the number of steps that is too low, or none where a gradient needs one."""
    solves = [
        node
        for node in ast.walk(whole(call))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("diffeqsolve")
    ]
    bound = word(solves[0], "max_steps") if len(solves) == 1 else None
    steps = bound.value if isinstance(bound, ast.Constant) else MOST_STEPS
    if bound is not None and (steps is None or (is_a(steps, int) and steps < MOST_STEPS)):
        yield edited(
            call,
            sentence("allow most_steps steps", most_steps=str(MOST_STEPS)),
            (bound, str(MOST_STEPS)),
        )
    else:
        yield sketch(sentence("allow more steps max_steps"))


def backwards(call: FailedCall) -> Iterator[Mend]:
    """A step that leads away from the end."""
    match word(call.node, "dt0") if isinstance(call.node, ast.Call) else None:
        case ast.UnaryOp(op=ast.USub(), operand=size) as step:
            yield edited(call, sentence("a step towards the end"), (step, call.text(size)))
        case ast.Constant() | ast.Name() as step:
            yield edited(call, sentence("a step towards the end"), (step, f"-{call.text(step)}"))
        case _:
            yield sketch(sentence("let dt0 lead from t0"))


def solver(call: FailedCall) -> Iterator[Mend]:
    """A solver's class, passed where Diffrax needs an instance."""
    match call.node:
        case ast.Call(args=[_, given, *_]) if is_a(value(given, call), type):
            yield edited(call, sentence("make the solver"), (given, f"{call.text(given)}()"))


def estimate(call: FailedCall) -> Iterator[Mend]:
    """Adaptive steps of a solver that gives no estimate of its error."""
    new = spelled(call, "diffrax", "Tsit5")
    match call.node:
        case ast.Call(args=[_, ast.Call() as given, *_]) if new:
            differs = sentence("Another solver gives slightly")
            yield edited(
                call, sentence("a solver that estimates"), (given, f"{new}()"), differs=differs
            )
        case _:
            yield sketch(sentence("take a solver that estimates"))


def times(call: FailedCall) -> Iterator[Mend]:
    """An array of times in the place of SaveAt."""
    given = word(call.node, "saveat") if isinstance(call.node, ast.Call) else None
    new = spelled(call, "diffrax", "SaveAt")
    if given is not None and new and (is_array(value(given, call)) or made(call, given)):
        text = f"{new}(ts={call.text(given)})"
        yield edited(call, sentence("say where to save"), (given, text))
    else:
        yield sketch(sentence("say where to save saveat"))


_OUTSIDE = sentence("save between t0 and t1")
_DIAGONAL = sentence("let the field of ControlTerm")
_STRUCTURE = "must return a pytree with the same structure"
RULES = (
    Rule("library-call", term, "TermAndSolverIncompatible"),
    Rule("library-call", term, "ValueError", "Terms are not compatible with solver"),
    Rule("library-call", step_size, "ValueError", "cannot select step size automatically"),
    Rule("trees", field, "ValueError", _STRUCTURE, "diffrax"),
    Rule("library-call", three_arguments, "TypeError", "2 positional .* but 3", "diffrax"),
    Rule(
        "library-call", more_steps, "EquinoxRuntimeError RuntimeError", "number of solver steps was"
    ),
    Rule(
        "library-call",
        advice(_OUTSIDE),
        "EquinoxRuntimeError RuntimeError",
        r"must lie between `?t0|saveat\.ts",
    ),
    Rule(
        "library-call", backwards, "EquinoxTracetimeError RuntimeError", r"\(t1 - t0\) \* dt0 >= 0"
    ),
    Rule(
        "reverse-mode", more_steps, "RuntimeError", "Cannot reverse-mode autodiff.*max_steps=None"
    ),
    Rule("library-call", solver, "TypeError", "must be a mapping, not property", "diffrax"),
    Rule("library-call", estimate, "RuntimeError", "Cannot use adaptive step sizes"),
    Rule("library-call", times, "AttributeError", "has no attribute '?subs", "diffrax"),
    Rule("shapes", advice(_DIAGONAL), "ValueError", "`ControlTerm` returned arrays whose"),
)
