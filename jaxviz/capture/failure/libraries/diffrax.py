"""Fixes of Diffrax."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jaxviz.capture.failure.code import is_array, is_of, option
from jaxviz.capture.failure.failed_call import FailedCall, otherwise
from jaxviz.capture.failure.libraries import Rule, advice, made
from jaxviz.capture.shown.objects import is_a
from jaxviz.schema import Fix
from jaxviz.sentences import sentence

MOST_STEPS = 4096
"""The default of Diffrax."""


@otherwise("pass terms that the solver")
def term(call: FailedCall) -> Iterator[Fix]:
    """A function in the place of a term, or terms that the solver does not take."""
    new = call.spelled("diffrax", "ODETerm")
    match call.node:
        case ast.Call(args=[function, *_]) if new and _is_function(call, function):
            change = (function, f"{new}({call.text(function)})")
            yield call.fix("make a term of the function", change)


def _is_function(call: FailedCall, node: ast.expr) -> bool:
    found = call.value(node)
    is_term = is_of(found, "diffrax", "AbstractTerm")
    return isinstance(node, ast.Lambda) or (callable(found) and not is_term)


@otherwise("pass a step size")
def step_size(call: FailedCall) -> Iterator[Fix]:
    """No size of the first step (`dt0`), although all steps have one size."""
    new = call.spelled("diffrax", "PIDController")
    if isinstance(call.node, ast.Call) and new and option(call.node, "stepsize_controller") is None:
        controller = f"stepsize_controller={new}(rtol=1e-5, atol=1e-5)"
        change = call.with_argument(call.node, controller)
        yield call.fix("let it choose its steps", change)


@otherwise("let the vector field return")
def field(call: FailedCall) -> Iterator[Fix]:
    """A vector field that returns a list of numbers for an array."""
    function = _field(call)
    returned = [n for n in ast.walk(function) if isinstance(n, ast.Return)] if function else []
    match returned:
        case [ast.Return(value=(ast.List() | ast.Tuple()) as parts)]:
            text = call.text(parts)
            listed = text if text.startswith(("[", "(")) else f"[{text}]"
            yield call.fix("return one array stack", (parts, f"{call.jnp}.stack({listed})"))


def _field(call: FailedCall) -> ast.FunctionDef | None:
    """The only function of the cell that a term is made of."""
    names = [
        node.args[0].id
        for node in call.all(ast.Call)
        if ast.unparse(node.func).endswith("ODETerm")
        and node.args
        and isinstance(node.args[0], ast.Name)
    ]
    found = [node for node in call.all(ast.FunctionDef) if node.name in names]
    return found[0] if len(found) == 1 else None


@otherwise("let the vector field take")
def three_arguments(call: FailedCall) -> Iterator[Fix]:
    """A vector field without `args`."""
    function = _field(call)
    if function is not None and len(function.args.args) == 2:
        last = function.args.args[-1]
        yield call.fix("let the vector field", (last, f"{call.text(last)}, args"))


@otherwise("allow more steps max_steps")
def more_steps(call: FailedCall) -> Iterator[Fix]:
    """A limit of steps that is too low, or missing for a gradient."""
    solves = [node for node in call.all(ast.Call) if ast.unparse(node.func).endswith("diffeqsolve")]
    bound = option(solves[0], "max_steps") if len(solves) == 1 else None
    steps = bound.value if isinstance(bound, ast.Constant) else MOST_STEPS
    if bound is not None and (steps is None or (is_a(steps, int) and steps < MOST_STEPS)):
        title = sentence("allow most_steps steps", most_steps=str(MOST_STEPS))
        yield call.fix(title, (bound, str(MOST_STEPS)))


@otherwise("let dt0 lead from t0")
def backwards(call: FailedCall) -> Iterator[Fix]:
    """A step that leads away from the end."""
    match option(call.node, "dt0"):
        case ast.UnaryOp(op=ast.USub(), operand=size) as step:
            yield call.fix("a step towards the end", (step, call.text(size)))
        case ast.Constant() | ast.Name() as step:
            yield call.fix("a step towards the end", (step, f"-{call.text(step)}"))


def solver(call: FailedCall) -> Iterator[Fix]:
    """A solver's class, passed where Diffrax needs an instance."""
    match call.node:
        case ast.Call(args=[_, cls, *_]) if is_a(call.value(cls), type):
            yield call.fix("make the solver", (cls, f"{call.text(cls)}()"))


@otherwise("take a solver that estimates")
def estimate(call: FailedCall) -> Iterator[Fix]:
    """Adaptive steps of a solver that gives no estimate of its error."""
    new = call.spelled("diffrax", "Tsit5")
    match call.node:
        case ast.Call(args=[_, ast.Call() as old, *_]) if new:
            title = sentence("a solver that estimates")
            yield call.fix(title, (old, f"{new}()"), differs="Another solver gives slightly")


@otherwise("say where to save saveat")
def times(call: FailedCall) -> Iterator[Fix]:
    """An array of times in the place of SaveAt."""
    saveat = option(call.node, "saveat")
    new = call.spelled("diffrax", "SaveAt")
    if saveat is not None and new and (is_array(call.value(saveat)) or made(call, saveat)):
        text = f"{new}(ts={call.text(saveat)})"
        yield call.fix("say where to save", (saveat, text))


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
        advice("save between t0 and t1"),
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
    Rule(
        "shapes",
        advice("let the field of ControlTerm"),
        "ValueError",
        "`ControlTerm` returned arrays whose",
    ),
)
