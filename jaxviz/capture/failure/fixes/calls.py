"""Fixes for arguments of a call: keys, numbers that are too large, bounds of a loop, lists, texts;
and for calls that JAX needs in another form, such as checks without `checkify`."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

from jaxviz.capture.calls.called_function import is_jitted
from jaxviz.capture.failure.attempt import calls_of_cells
from jaxviz.capture.failure.code import arguments, called, is_key
from jaxviz.capture.failure.failed_call import FailedCall, Title, otherwise, sketch
from jaxviz.capture.failure.fixes.arrays import lists
from jaxviz.capture.failure.fixes.statics import making_static
from jaxviz.capture.failure.types import cast_number, is_scalar, type_of
from jaxviz.capture.shown.objects import is_a, title_of
from jaxviz.schema import Fix, Sentence
from jaxviz.schema.record import NOTHING
from jaxviz.sentences import sentence


@otherwise("draw numbers with the key")
def folded(call: FailedCall) -> Iterator[Fix]:
    """`jax.random.fold_in(key, 1)` for `key + 1`."""
    match call.node:
        case ast.BinOp(left=one, right=other) | ast.AugAssign(target=one, value=other):
            keys = [node for node in (one, other) if _is_key(call, node)]
            numbers = [node for node in (one, other) if is_scalar(call, node, jnp.integer)]
            if len(keys) == len(numbers) == 1:
                made = f"{call.jax}.random.fold_in"
                text = f"{made}({call.text(keys[0])}, {call.text(numbers[0])})"
                before = f"{call.text(one)} = " if isinstance(call.node, ast.AugAssign) else ""
                yield call.fix(sentence("a new key made", made=made), (call.node, before + text))
                return


def _is_key(call: FailedCall, node: ast.expr) -> bool:
    value = call.value(node)
    if isinstance(node, ast.Call):
        return call.value(node.func) in (jax.random.key, jax.random.fold_in)
    return is_key(value) and value.shape == ()


_TOO_LARGE = re.compile(r"Python int\w* -?\d+ (?:too large to convert to|out of bounds for) (\w+)")
_WIDE = "jax_enable_x64"


def overflow(call: FailedCall) -> Iterator[Fix]:
    """A Python number that is too large for a JAX integer."""
    found, node = _TOO_LARGE.search(call.message), call.node
    match node:
        case ast.BinOp(left=one, right=other):
            for array, number in ((one, other), (other, one)):
                own_type = type_of(array, call.variables)
                if own_type is not None and jnp.issubdtype(own_type.dtype, jnp.floating):
                    change = (number, f"float({call.text(number)})")
                    yield call.fix("a float as the array", change)
                    return
        case ast.Call(args=[seed]) if "C long" in call.message:
            left = call.text(seed) if isinstance(seed, ast.Constant) else call.operand(seed)
            text = f"{left} % 2**32"
            yield call.fix("a seed of 32", (seed, text), differs="The seed is another")
            return
    dtype = found[1] if found else ""
    if dtype in call.text(node) and hasattr(np, dtype):
        limits = np.iinfo(dtype)
        yield sketch(
            sentence("dtype has the numbers", dtype=dtype, min=str(limits.min), max=str(limits.max))
        )
    elif abs(_number(call)) < 2**63 and not _is_narrow(call):
        yield _with_64_bits(call)
    else:
        yield sketch(sentence("pass a float or turn on 64", wide=_WIDE))


def _number(call: FailedCall) -> int:
    """The number that is too large; a larger one if it is not known."""
    found = re.search(r"Python int\w* (-?\d+)|with value (-?\d+)", call.message)
    if found:
        return int(found[1] or found[2])
    written = [part.value for part in ast.walk(call.node) if isinstance(part, ast.Constant)]
    return max((one for one in written if is_a(one, int)), default=2**64)


def _is_narrow(call: FailedCall) -> bool:
    """True if 64 bits change nothing: an array has its dtype from an earlier cell, or by name."""
    arrays = [n for n in call.names(call.node) if is_a(call.variables.get(n), jax.Array)]
    stores = {part.id for part in call.all(ast.Name) if isinstance(part.ctx, ast.Store)}
    return "int32" in call.source or any(name not in stores for name in arrays)


def _with_64_bits(call: FailedCall) -> Fix:
    """The option, above the first line of the cell that is no import."""
    body = call.tree.body
    first = next(part for part in body if not isinstance(part, ast.Import | ast.ImportFrom))
    at = min([first.lineno, *(one.lineno for one in getattr(first, "decorator_list", []))])
    text = f'{call.jax}.config.update("{_WIDE}", True)'
    differs = sentence("All numbers may have")
    return call.with_line(sentence("integers of 64 bits", wide=_WIDE), at, text, differs)


_BOUNDS = re.compile(r"must have equal types, got (\w+) and (\w+)")


def bounds(call: FailedCall) -> Iterator[Fix]:
    """The bounds of `fori_loop` as integers of one dtype."""
    found = _BOUNDS.search(call.message)
    match call.node:
        case ast.Call(args=[lower, upper, *_]) if found is not None:
            kinds = [*zip((lower, upper), map(jnp.dtype, found.groups()), strict=True)]
            floats = [node for node, kind in kinds if not jnp.issubdtype(kind, jnp.integer)]
            if floats:
                made = [_whole(call, node) for node in floats]
                differs = next((one for _, _, one in made if one), NOTHING)
                changes = [(node, text) for node, text, _ in made]
                yield call.fix("whole numbers as bounds", *changes, differs=differs)
                return
            both = jnp.promote_types(*(kind for _, kind in kinds))
            whole = both if both in found.groups() else jnp.dtype("int32")
            changes = [
                (node, cast_number(call, node, whole.name)) for node, kind in kinds if kind != whole
            ]
            yield call.fix(sentence("bounds of one dtype", name=whole.name), *changes)


def _whole(call: FailedCall, node: ast.expr) -> tuple[ast.expr, str, Sentence]:
    """A float bound as an integer, and the difference that this may make."""
    match node:
        case ast.Constant(value=float() as value) if value.is_integer():
            return node, str(int(value)), NOTHING
        case ast.BinOp(left=one, op=ast.Div(), right=other) if all(
            is_scalar(call, part, jnp.integer) for part in (one, other)
        ):
            return node, f"{call.text(one)} // {call.text(other)}", NOTHING
    cut = sentence("A number that is not")
    if is_a(call.value(node), jax.Array):
        return node, f"{call.operand(node)}.astype(int)", cut
    return node, f"{call.jnp}.asarray({call.text(node)}, int)", cut


def checked(call: FailedCall) -> Iterator[Fix]:
    """The call within `checkify.checkify`, and a line that raises the error that it returns."""
    statement = call.statement
    name = call.spelled("jax.experimental.checkify", "checkify")
    name = name or f"{call.jax}.experimental.checkify.checkify"
    match statement:
        case ast.Expr(value=value) if value is call.node:
            target, last = "result", ["result"]
        case ast.Return(value=value) if value is call.node:
            target, last = "result", ["return result"]
        case ast.Assign(targets=[to], value=value) if value is call.node:
            target = f"({call.text(to)})" if isinstance(to, ast.Tuple) else call.text(to)
            last = []
        case _:
            yield sketch("collect what the checks find")
            return
    made = _collected(call, name)
    lines = [f"error, {target} = {made}", "error.throw()", *last]
    text = f"\n{' ' * statement.col_offset}".join(lines)
    yield call.fix("collect what the checks", (statement, text))


def _collected(call: FailedCall, name: str) -> str:
    """The failing call within `checkify`; a jitted function is passed directly."""
    node, static = call.node, "static_arg" in call.source
    jitted = is_jitted(call.value(node.func)) or (
        isinstance(node.func, ast.Call) and called(node.func) == "jit"
    )
    if jitted and not static:
        function = call.text(node.func)
        return f"{name}({function}){call.text(node)[len(function) :]}"
    return f"{name}(lambda: {call.text(node)})()"


def predicate(call: FailedCall) -> Iterator[Fix]:
    """`lax.cond` with a condition of several elements, and branches that are expressions."""
    match call.node:
        case ast.Call(args=[test, ast.Lambda() as one, ast.Lambda() as other, *operands]):
            sides = [_applied(call, branch, operands) for branch in (one, other)]
            if all(sides):
                text = f"{call.jnp}.where({call.text(test)}, {', '.join(sides)})"
                differs = sentence("Each element is chosen")
                yield call.fix("choose by element", (call.node, text), differs=differs)


def _applied(call: FailedCall, branch: ast.Lambda, operands: list[ast.expr]) -> str:
    """A branch's expression, if its parameters have the names of the operands."""
    names = [parameter.arg for parameter in branch.args.args]
    return call.text(branch.body) if names == [call.text(value) for value in operands] else ""


def static(call: FailedCall) -> Iterator[Fix]:
    """A list as a static argument: a tuple can be hashed."""
    lists = [part for part in arguments(call.node) if isinstance(part, ast.List)]
    if lists:
        commas = ["," * (len(part.elts) == 1) for part in lists]
        texts = [f"({call.text(part)[1:-1]}{end})" for part, end in zip(lists, commas, strict=True)]
        yield call.fix("a tuple in place", *zip(lists, texts, strict=True))


def argument(call: FailedCall) -> Iterator[Fix]:
    """A list in the place of an array, or a string, which should be static."""
    texts = [part for part in arguments(call.node) if isinstance(part, ast.Constant)]
    names = [name for name, value in call.arguments.items() if is_a(value, str)]
    if names and any(is_a(part.value, str) for part in texts):
        yield making_static(call, names)
    yield from lists(call)


def gradient(call: FailedCall) -> Iterator[Fix]:
    """A gradient of a function without a scalar result, or with respect to an integer."""
    match call.node:
        case ast.Call(func=ast.Call(), args=[ast.Constant(value=int() as value) as number, *_]) if (
            "real- or complex-valued inputs" in call.message
        ):
            differs = sentence("The function gets a float")
            yield call.fix("pass a float", (number, f"{value}.0"), differs=differs)
        case ast.Call(func=ast.Call(keywords=[]) as grad) if "Output was (" in call.message:
            change = call.with_argument(grad, "has_aux=True")
            yield call.fix("say what is beside", change, differs="It returns the gradient")


def key_of_number(call: FailedCall, seed: ast.expr, differs: Title) -> Fix:
    """A key made from the number in its place."""
    text = f"jax.random.key({call.text(seed)})"
    return call.fix("a key made of the number", (seed, text), differs=differs)


def key(call: FailedCall) -> Iterator[Fix]:
    """A number where a key is needed, or a key that was used before."""
    match call.node:
        case (
            ast.Call(args=[ast.Constant(value=int()) as seed, *_])
            | ast.Call(args=[ast.Name() as seed, *_])
        ) if "KeyReuse" not in title_of(type(call.error)) and is_scalar(call, seed, jnp.integer):
            yield key_of_number(call, seed, "The same number gives")
        case _ if "key<" in call.message:
            yield from folded(call)


def nan(call: FailedCall) -> Iterator[Fix]:
    """The call of a cell that computed a NaN, as a magic that finds the NaN's origin."""
    for frame, node, statement in calls_of_cells(call.error):
        is_here = "".join(linecache.getlines(frame.f_code.co_filename)) == call.source
        text = f"%jaxviz {call.text(node)} --find-nan"
        if is_here and isinstance(statement, ast.Expr) and "\n" not in text:
            yield call.fix("run it once more", (statement, text), differs="The cell then says")


def general(call: FailedCall) -> Iterator[Fix]:
    """An f-string that formats a traced value."""
    match call.nodes[:2]:
        case [
            ast.JoinedStr() as text,
            ast.Call(func=ast.Name(id="print"), args=[_], keywords=[]) as printed,
        ]:
            values = [part for part in text.values if isinstance(part, ast.FormattedValue)]
            if all(_is_printed(call, part) for part in values):
                new = f"jax.debug.print({_printed(call, text, values)})"
                yield call.fix("jax.debug.print which prints when", (printed, new))


def _is_printed(call: FailedCall, part: ast.FormattedValue) -> bool:
    """True if `jax.debug.print` surely takes a value and its format."""
    spec = getattr(part.format_spec, "values", [])
    plain = part.conversion == -1 and all(isinstance(text, ast.Constant) for text in spec)
    return plain and type_of(part.value, call.variables) is not None


def _printed(call: FailedCall, text: ast.JoinedStr, values: list[ast.FormattedValue]) -> str:
    """A text and its values: by name if all are names, else by position."""
    names = dict.fromkeys(call.text(part.value) for part in values)
    written = call.line(text)
    if all(map(str.isidentifier, names)) and "=" not in written:
        return ", ".join([written.removeprefix("f"), *(f"{one}={one}" for one in names)])
    template = "".join(map(_place, text.values))
    return ", ".join([ast.unparse(ast.Constant(template)), *(call.line(v.value) for v in values)])


def _place(part: ast.expr) -> str:
    """A part of an f-string as a part of a `str.format` template."""
    if isinstance(part, ast.FormattedValue):
        spec = getattr(part.format_spec, "values", [])
        return "{" + "".join([":", *(text.value for text in spec)]) * bool(spec) + "}"
    text = str(getattr(part, "value", ""))
    return text.replace("{", "{{").replace("}", "}}")
