"""Mends for the other kinds: elements that are assigned, dtypes that differ, statics that cannot be
hashed, gradients, keys, leaks."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxviz.capture.failure import plain_mends
from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.list_mends import index_text, lists
from jaxviz.capture.failure.placing import keeps_split
from jaxviz.capture.failure.same_call import calls_of_cells
from jaxviz.capture.failure.static_mends import making_static
from jaxviz.capture.failure.types import type_of
from jaxviz.capture.failure.written import own_parts
from jaxviz.capture.shown.objects import dtype_of, is_a, title_of
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend, Sentence
from jaxviz.schema.sentence import NOTHING
from jaxviz.sentences import in_a_row, sentence

_METHODS = {ast.Add: "add", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power"}


def in_place(call: FailedCall) -> Iterator[Mend]:
    """Elements of an array were assigned, here and on lines that follow."""
    made = [_new_array(call, node) for node in _assignments(call)]
    known = [one for one in made if one is not None]
    if made and made[0] is not None and not call.is_local(made[0].name):
        yield sketch(sentence("let the function return"))
    elif known and len(known) == len(made):
        differs = in_a_row([one.differs for one in known])
        changes = [(one.node, one.text) for one in known]
        yield edited(call, known[0].title, *changes, differs=differs)


class _NewArray(NamedTuple):
    """A new array in place of an assignment to elements."""

    node: ast.stmt
    name: str
    text: str
    title: Sentence
    differs: Sentence


_InPlace = ast.Assign | ast.AugAssign


def _assignments(call: FailedCall) -> list[_InPlace]:
    """The assignment that failed, and later ones in the same function to elements of arrays of
    JAX, up to where such a name is given another value."""
    node = call.node
    name = _array_of(node)
    if name is None:
        return []
    scope = call.failed.function() or ast.parse(call.failed.source)
    later = [part for part in own_parts(scope) if _line(part) > node.lineno]
    found = [part for part in later if isinstance(part, _InPlace) and _array_of(part)]
    stores = [part for part in later if isinstance(part, ast.Name)]
    again = {part.id: part.lineno for part in stores if isinstance(part.ctx, ast.Store)}
    kept = [
        part
        for part in found
        if _is_array(call, _array_of(part))
        and part.lineno < again.get(_array_of(part) or "", 1 << 30)
    ]
    return [node, *kept]


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)


def _is_array(call: FailedCall, name: str | None) -> bool:
    return is_a(call.held.get(name or ""), jax.Array)


def _array_of(node: ast.AST | None) -> str | None:
    """The name of the array whose elements a statement assigns."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
            return name
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name))):
            return name
    return None


def _new_array(call: FailedCall, node: _InPlace) -> _NewArray | None:
    """The new array; None if the elements are chosen in a way that `.at` does not take."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=at)], value=value):
            new, change = call.text(value), f"set({call.text(value)})"
        case ast.AugAssign(
            target=ast.Subscript(value=ast.Name(id=name) as array, slice=at) as target,
            op=op,
            value=value,
        ):
            method = _METHODS.get(type(op))
            new = ast.unparse(ast.BinOp(array, op, value))
            whole = ast.unparse(ast.BinOp(target, op, value))
            change = f"set({whole})" if method is None else f"{method}({call.text(value)})"
        case _:
            return None
    if not _is_mask(call, at):
        change = f"{change[:-1]}{keeps_split(call, name)})"
        text, title = (
            f"{name} = {name}.at[{index_text(call, at)}].{change}",
            sentence("a new array at"),
        )
    elif isinstance(value, ast.Constant):
        text = f"{name} = {call.jnp}.where({call.text(at)}, {new}, {name})"
        title = sentence("choose by element")
    else:
        return None
    return _NewArray(node, name, text, title, _differs(call, node, name, at))


def _differs(call: FailedCall, node: _InPlace, name: str, at: ast.expr) -> Sentence:
    """How a new array under this name differs from the old one with new elements."""
    if _is_lost(call, name):
        return sentence("array of the caller")
    own = call.held.maps[0].values() if call.failed.function() else ()
    if sum(value is call.held[name] for value in own) > 1:
        return sentence("other names of the array")
    parts = at.elts if isinstance(at, ast.Tuple) else [at]
    if not all(_is_one_place(call, part) for part in parts) and not _is_mask(call, at):
        if isinstance(node, ast.AugAssign):
            return sentence("index there twice")
        if not isinstance(node.value, ast.Constant):
            return sentence("index there twice, undefined")
    return NOTHING


def _is_lost(call: FailedCall, name: str) -> bool:
    """Whether a name is an argument that the function does not return."""
    function = call.failed.function()
    parts = [*ast.walk(function)] if function else []
    arguments = [part.arg for part in parts if isinstance(part, ast.arg)]
    returned = [part for part in parts if isinstance(part, ast.Return)]
    return name in arguments and not any(name in call.names(part) for part in returned)


def _is_one_place(call: FailedCall, index: ast.expr) -> bool:
    """Whether an index surely names no place twice: a slice, or one number."""
    if isinstance(index, ast.Slice | ast.Constant):
        return True
    found = type_of(index, call.held)
    return found is not None and found.shape == ()


def _is_mask(call: FailedCall, index: ast.expr) -> bool:
    """Whether an index is an array of truth values, which `.at` takes outside of jit alone."""
    match index:
        case ast.Name(id=name):
            return dtype_of(call.held.get(name)) == "bool"
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr()) | ast.UnaryOp(op=ast.Invert()):
            return True
        case ast.Call(func=ast.Attribute(attr=called)):
            return called.startswith(("is", "logical_"))
    return isinstance(index, ast.Compare)


def predicate(call: FailedCall) -> Iterator[Mend]:
    """`lax.cond` with a condition of several elements, and branches that are expressions."""
    match call.node:
        case ast.Call(args=[test, ast.Lambda() as one, ast.Lambda() as other, *given]):
            sides = [_applied(call, branch, given) for branch in (one, other)]
            if all(sides):
                text = f"{call.jnp}.where({call.text(test)}, {', '.join(sides)})"
                differs = sentence("Each element is chosen")
                yield edited(
                    call, sentence("choose by element"), (call.node, text), differs=differs
                )


def _applied(call: FailedCall, branch: ast.Lambda, given: list[ast.expr]) -> str:
    """A branch's expression, if its parameters are called as what they are given."""
    names = [parameter.arg for parameter in branch.args.args]
    return call.text(branch.body) if names == [call.text(value) for value in given] else ""


def static(call: FailedCall) -> Iterator[Mend]:
    """A list where a static argument is: a tuple can be hashed."""
    lists = [part for part in _arguments(call.node) if isinstance(part, ast.List)]
    if lists:
        changes = [(part, _tuple(call, part)) for part in lists]
        yield edited(call, sentence("a tuple in place"), *changes)


def _arguments(node: ast.AST | None) -> list[ast.expr]:
    if not isinstance(node, ast.Call):
        return []
    return [*node.args, *(keyword.value for keyword in node.keywords)]


def _tuple(call: FailedCall, node: ast.List) -> str:
    inside = call.text(node)[1:-1]
    return f"({inside},)" if len(node.elts) == 1 else f"({inside})"


def argument(call: FailedCall) -> Iterator[Mend]:
    """A list where JAX takes arrays, or a text: an argument that should be static."""
    texts = [part for part in _arguments(call.node) if isinstance(part, ast.Constant)]
    names = [name for name, value in call.arguments.items() if is_a(value, str)]
    if names and any(is_a(part.value, str) for part in texts):
        yield making_static(call, names)
    yield from lists(call)


def gradient(call: FailedCall) -> Iterator[Mend]:
    """A gradient of what is no scalar, or with respect to what is no float."""
    text = message_of(call.error)
    match call.node:
        case ast.Call(func=ast.Call() as grad, args=[ast.Constant(value=int() as value), *_]) if (
            "real- or complex-valued inputs" in text
        ):
            number = call.node.args[0]
            differs = sentence("The function gets a float")
            yield edited(call, sentence("pass a float"), (number, f"{value}.0"), differs=differs)
        case ast.Call(func=ast.Call(keywords=[]) as grad) if "Output was (" in text:
            has = f"{call.text(grad)[:-1]}, has_aux=True)"
            differs = sentence("It returns the gradient")
            yield edited(call, sentence("say what is beside"), (grad, has), differs=differs)


def key(call: FailedCall) -> Iterator[Mend]:
    """A number where a key is needed, or a key that was used before."""
    match call.node:
        case (
            ast.Call(args=[ast.Constant(value=int()) as seed, *_])
            | ast.Call(args=[ast.Name() as seed, *_])
        ) if "KeyReuse" not in title_of(type(call.error)) and _is_seed(call, seed):
            text = f"jax.random.key({call.text(seed)})"
            yield edited(
                call, sentence("a key made of the number"), (seed, text), differs=SAME_SEED
            )
        case _ if "key<" in message_of(call.error):
            yield from plain_mends.folded(call)


SAME_SEED = sentence("The same number gives")


def _is_seed(call: FailedCall, node: ast.expr) -> bool:
    found = type_of(node, call.held)
    return found is not None and found.shape == () and jnp.issubdtype(found.dtype, jnp.integer)


def nan(call: FailedCall) -> Iterator[Mend]:
    """A NaN was computed in what a cell calls: the call, as what finds where it was born."""
    for frame, called, statement in calls_of_cells(call.error):
        if _is_source(call, frame.f_code.co_filename) and isinstance(statement, ast.Expr):
            text = f"%jaxviz {call.text(called)} --find-nan"
            if "\n" not in text:
                title = sentence("run it once more")
                yield edited(call, title, (statement, text), differs=FINDS)


def _is_source(call: FailedCall, file: str) -> bool:
    return "".join(linecache.getlines(file)) == call.failed.source


FINDS = sentence("The cell then says")


def general(call: FailedCall) -> Iterator[Mend]:
    """An f-string that formats a traced value."""
    match call.failed.known.nodes[:2]:
        case [
            ast.JoinedStr() as text,
            ast.Call(func=ast.Name(id="print"), args=[_], keywords=[]) as printed,
        ]:
            values = [part for part in text.values if isinstance(part, ast.FormattedValue)]
            if all(_is_printed(call, part) for part in values):
                title = sentence("jax.debug.print which prints when")
                new = f"jax.debug.print({_printed(call, text, values)})"
                yield edited(call, title, (printed, new))


def _is_printed(call: FailedCall, part: ast.FormattedValue) -> bool:
    """Whether `jax.debug.print` surely takes a value and its format."""
    spec = getattr(part.format_spec, "values", [])
    plain = part.conversion == -1 and all(isinstance(text, ast.Constant) for text in spec)
    return plain and type_of(part.value, call.held) is not None


def _printed(call: FailedCall, text: ast.JoinedStr, values: list[ast.FormattedValue]) -> str:
    """A text and its values: by their names where they have some, else by position."""
    names = dict.fromkeys(call.text(part.value) for part in values)
    written = call.line(text)
    if all(map(str.isidentifier, names)) and "=" not in written:
        return ", ".join([written.removeprefix("f"), *(f"{one}={one}" for one in names)])
    template = "".join(map(_place, text.values))
    return ", ".join([ast.unparse(ast.Constant(template)), *(call.line(v.value) for v in values)])


def _place(part: ast.expr) -> str:
    """A part of an f-string as `str.format` has it, without the value."""
    if isinstance(part, ast.FormattedValue):
        spec = getattr(part.format_spec, "values", [])
        return "{" + "".join([":", *(text.value for text in spec)]) * bool(spec) + "}"
    text = str(getattr(part, "value", ""))
    return text.replace("{", "{{").replace("}", "}}")
