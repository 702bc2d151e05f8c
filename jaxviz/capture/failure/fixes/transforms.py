"""Fixes for transformations of functions: the axes of `jax.vmap`, rules of custom derivatives,
policies of `jax.checkpoint`, Pallas kernels, and programs compiled or exported for other shapes."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

import jax
import numpy as np

from jaxviz.capture.failure.code import called, is_array, option, own_parts, strings
from jaxviz.capture.failure.failed_call import Change, FailedCall, otherwise, sketch
from jaxviz.capture.failure.fixes.placed import mesh_axes, on_mesh
from jaxviz.capture.failure.types import Shape, cast, converted, shape_of, types_in
from jaxviz.capture.shown.objects import is_a
from jaxviz.schema import Fix, Sentence
from jaxviz.schema.record import NOTHING
from jaxviz.sentences import sentence


def batch(call: FailedCall) -> Iterator[Fix]:
    """`jax.vmap` maps over arguments that have no axis of the same size."""
    match call.node:
        case ast.Call(func=ast.Call() as mapped, args=args, keywords=[]) if call.value(
            mapped.func
        ) is jax.vmap and not any(isinstance(one, ast.Starred) for one in args):
            in_axes = option(mapped, "in_axes")
            if in_axes is None and len(mapped.args) == 1:
                yield from _in_axes(call, mapped, args)
            elif isinstance(in_axes, ast.Tuple) and len(in_axes.elts) < len(args):
                yield from _longer(call, in_axes, args)


def _in_axes(call: FailedCall, mapped: ast.Call, args: list[ast.expr]) -> Iterator[Fix]:
    """The call with `in_axes`, if the arguments leave one choice; else advice on the choices."""
    shapes = [_shapes(call, node) for node in args]
    whole = _shared(shapes)
    names = [call.line(node) for node in args]
    if whole:
        axes = ", ".join("None" if n in whole else "0" for n in range(len(args)))
        scalars = all(shapes[n] == [()] for n in whole)
        listed = " and ".join(names[n] for n in sorted(whole))
        change = call.with_argument(mapped, f"in_axes=({axes})")
        title = sentence("map only over the others", axes=axes)
        differs = NOTHING if scalars else sentence("each call gets all", names=listed)
        yield call.fix(title, change, differs=differs)
    elif len(args) == 2:
        one, other = names
        yield sketch(sentence("if all calls share", one=one, other=other))


def _shapes(call: FailedCall, node: ast.expr) -> list[Shape] | None:
    """The shapes of an argument's leaves; None if they are not known."""
    if isinstance(node, ast.Name) and node.id in call.variables:
        leaves = jax.tree.leaves(call.variables[node.id])
        return [np.shape(leaf) for leaf in leaves if not is_a(leaf, str)]
    shape = shape_of(call, node)
    found = _shape_of_literal(node) if shape is None else shape
    return None if found is None else [found]


def _shape_of_literal(node: ast.expr) -> Shape | None:
    """The shape of `jnp.ones((5, 3))` and its like, of literal sizes."""
    match node:
        case ast.Call(args=[ast.Constant(value=int() as size), *_]) if called(node) in _MAKERS:
            return (size,)
        case ast.Call(args=[ast.Constant(value=float() as size)]) if called(node) == "arange":
            return (int(size),)
        case ast.Call(args=[ast.Tuple(elts=sizes), *_]) if called(node) in _MAKERS:
            values = [part.value for part in sizes if isinstance(part, ast.Constant)]
            whole = tuple(size for size in values if is_a(size, int))
            return whole if len(whole) == len(sizes) else None
    return None


_MAKERS = ("ones", "zeros", "empty", "arange", "full")


def _shared(shapes: list[list[Shape] | None]) -> set[int]:
    """The arguments that all calls share: numbers, trees whose leaves have no common size, and one
    array with a size of its own; empty if that is not certain."""
    if any(not one for one in shapes):
        return set()
    whole = {n for n, leaves in enumerate(shapes) if _size(leaves or []) is None}
    sizes = {n: _size(leaves or []) for n, leaves in enumerate(shapes) if n not in whole}
    counts = sorted((list(sizes.values()).count(size), size) for size in {*sizes.values()})
    if len(counts) == 1:
        return whole
    if len(counts) == 2:
        (few, odd), (many, _) = counts
        rest = {n for n, size in sizes.items() if size == odd}
        if few < many:
            return whole | rest
        ranks = [(len((shapes[n] or [()])[0]), n) for n in sizes]
        if len(ranks) == 2 and ranks[0][0] != ranks[1][0]:
            return whole | {min(ranks)[1]}
    return set()


def _size(leaves: list[Shape]) -> int | None:
    """The size of the first axis of all leaves; None if they have none in common."""
    sizes = {shape[0] if shape else None for shape in leaves}
    return sizes.pop() if len(sizes) == 1 else None


def _longer(call: FailedCall, in_axes: ast.Tuple, args: list[ast.expr]) -> Iterator[Fix]:
    """`in_axes` with an entry for each argument, if those without one are numbers."""
    missing = [_shapes(call, node) for node in args[len(in_axes.elts) :]]
    if all(one == [()] for one in missing):
        entries = [*map(call.text, in_axes.elts), *("None" for _ in missing)]
        yield call.fix("an entry for each", (in_axes, f"({', '.join(entries)})"))


_UNBOUND = re.compile(r"unbound axis name: (\S+?)\.?(?:\s|$)")


def axis_name(call: FailedCall) -> Iterator[Fix]:
    """A collective names an axis that no map around it has."""
    found = _UNBOUND.search(call.message)
    vmaps = [node for node in call.calls(jax.vmap) if _maps(call, node)]
    wanted = found[1] if found else ""
    unnamed = [node for node in vmaps if option(node, "axis_name") is None]
    names = [part for node in vmaps for part in strings(option(node, "axis_name"))]
    written = [part for part in strings(call.node) if part.value == wanted]
    if len(unnamed) == len(vmaps) == 1 and wanted.isidentifier():
        change = call.with_argument(vmaps[0], f'axis_name="{wanted}"')
        yield call.fix(sentence("name the axis axis_name", wanted=wanted), change)
    elif len(names) == len(vmaps) == len(written) == len(strings(call.node)) == 1:
        change = call.quoted(written[0], str(names[0].value))
        yield call.fix("the axis name of the vmap", change)
    elif "shard_map" in call.source and wanted not in mesh_axes(call):
        yield from on_mesh(call, strings(call.node))
    else:
        yield sketch(sentence("call it within jax.vmap f", wanted=wanted))


def _maps(call: FailedCall, node: ast.Call) -> bool:
    """True if a vmap maps the function that failed."""
    mapped, own = call.function_of(node.args[0] if node.args else None), call.function
    return mapped is not None and own is not None and mapped.lineno == own.lineno


_PLACE = re.compile(r"at output\[(\d+)\]")
_OF_RULES = {
    "nondiff_argnums": "leave it out of nondiff_argnums",
    "No [JV][JV]P defined": "give it its rule",
    "to a custom_vjp function": "use reverse mode such as jax.grad",
    r"(?s)^(?=.*fwd rule).*pair": "return a pair the result",
    r"(?s)^(?=.*JVP).*pair": "return a pair the result and its tangent",
    "JVP": "return a tangent of the same",
}
"""Advice by a pattern of the message; the first one that matches."""


def custom_rule(call: FailedCall) -> Iterator[Fix]:
    """The result of the rule, in the shape of the argument that it differentiates."""
    advice = [title for pattern, title in _OF_RULES.items() if re.search(pattern, call.message)]
    if advice:
        yield sketch(advice[0])
    elif "container (pytree) structure" in call.message:
        yield from _as_many(call, call.node)
    elif _PLACE.search(call.message):
        yield from _of_shape(call, call.node)


@otherwise("return a tuple with one")
def _as_many(call: FailedCall, node: ast.expr) -> Iterator[Fix]:
    """A cotangent for each argument: None for the missing ones."""
    cotangents = node.elts if isinstance(node, ast.Tuple) else [node]
    missing = _count_of_arguments(call) - len(cotangents)
    if missing > 0 and isinstance(node, ast.expr) and not isinstance(node, ast.Name):
        parts = ", ".join([*map(call.text, cotangents), *["None"] * missing])
        returned = any(isinstance(one, ast.Return) for one in call.nodes[1:2])
        text = f"({parts})" if call.text(node).startswith("(") or not returned else parts
        yield call.fix(sentence("None for arguments", count=missing), (node, text))


def _count_of_arguments(call: FailedCall) -> int:
    """The number of the function's arguments in JAX's message; 0 if it is missing."""
    counted = re.search(r"(?:the primal function has|with) (\d+) ", call.message)
    tree = re.search(r"primal input structure PyTreeDef\(\((.*)\)\)", call.message)
    if tree:
        inner = tree[1]
        while (flat := re.sub(r"\([^()]*\)|\{[^{}]*\}|\[[^\[\]]*\]", "*", inner)) != inner:
            inner = flat
        return len([one for one in inner.split(",") if one.strip()])
    return int(counted[1]) if counted else 0


def _of_shape(call: FailedCall, node: ast.expr) -> Iterator[Fix]:
    """The sum over the axes along which the argument was broadcast, or a reshape."""
    place, types = _PLACE.search(call.message), types_in(call.message)
    if place is None or len(types) < 2:
        return
    own, wanted = types[:2]
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    at = int(place[1])
    part = parts[at] if at < len(parts) else None
    if part is None or isinstance(part, ast.Starred):
        return
    if own.sizes == wanted.sizes:
        changes = converted(call, part, own, wanted, cast)
        if changes:
            yield call.fix("give it the type", *changes)
        return
    change = _reshaped(call.operand(part), own.shape or (), wanted.shape or ())
    if change is not None:
        title, text = change
        yield call.fix(title, (part, text))


def _reshaped(text: str, own: Shape, wanted: Shape) -> tuple[Sentence, str] | None:
    broadcast = sentence("sum over axes")
    if not wanted and own:
        return broadcast, f"{text}.sum()"
    extra = len(own) - len(wanted)
    if extra > 0 and own[extra:] == wanted:
        axes = "0" if extra == 1 else str(tuple(range(extra)))
        return broadcast, f"{text}.sum(axis={axes})"
    unlike = [n for n, (a, b) in enumerate(zip(own, wanted, strict=False)) if a != b]
    if extra == 0 and all(wanted[n] == 1 for n in unlike):
        axes = str(unlike[0]) if len(unlike) == 1 else str(tuple(unlike))
        return broadcast, f"{text}.sum(axis={axes}, keepdims=True)"
    if len(own) == 2 and own[::-1] == wanted:
        return sentence("exchange its axes"), f"{text}.T"
    if math.prod(own) == math.prod(wanted):
        return sentence("shape of the argument"), f"{text}.reshape({wanted})"
    return None


@otherwise("pass a policy of jax.checkpoint_policies")
def policy(call: FailedCall) -> Iterator[Fix]:
    """A policy of `jax.checkpoint` that is a text."""
    for node in call.calls():
        match option(node, "policy"):
            case ast.Constant(value=str() as name) as text if hasattr(
                jax.checkpoint_policies, name
            ):
                new = f"{call.jax}.checkpoint_policies.{name}"
                yield call.fix(sentence("the policy itself new", new=new), (text, new))


@otherwise("pass the arrays that the kernel")
def pallas(call: FailedCall) -> Iterator[Fix]:
    """The arrays that the kernel captures, as its inputs."""
    match call.node:
        case ast.Call(func=ast.Call(args=[kernel, *_]) as made, args=args) if (
            called(made) == "pallas_call"
        ):
            function = call.function_of(kernel)
            if isinstance(function, ast.FunctionDef):
                names = _captured(call, function)
                if names and option(made, "in_specs") is None and option(made, "grid") is None:
                    yield _as_inputs(call, function, args, names)
                for name in names[:1]:
                    yield sketch(sentence("pass name as an input", name=name))


def _captured(call: FailedCall, function: ast.FunctionDef) -> list[str]:
    """The names of arrays that a kernel reads and that are no parameters of it."""
    parameters = {one.arg for one in function.args.args}
    parts = [part for part in own_parts(function) if isinstance(part, ast.Name)]
    stored = {part.id for part in parts if isinstance(part.ctx, ast.Store)}
    read = dict.fromkeys(part.id for part in parts if part.id not in parameters | stored)
    return [name for name in read if is_array(call.variables.get(name))]


def _as_inputs(
    call: FailedCall, function: ast.FunctionDef, args: list[ast.expr], names: list[str]
) -> Fix:
    """Parameters of the kernel after its other inputs, read by `[...]`, and passed to the call."""
    changes: list[Change] = [
        (part, f"{part.id}_ref[...]")
        for part in own_parts(function)
        if isinstance(part, ast.Name) and part.id in names
    ]
    before = function.args.args[len(args) - 1]
    changes.append((before, ", ".join([call.text(before), *(f"{name}_ref" for name in names)])))
    changes.append((args[-1], ", ".join([call.text(args[-1]), *names])))
    return call.fix(sentence("pass names to the kernel", names=" and ".join(names)), *changes)


@otherwise("pass the types that it was")
def compiled(call: FailedCall) -> Iterator[Fix]:
    """The jitted function in place of what was compiled for one type."""
    node = call.node
    if isinstance(node, ast.Call):
        function = _jitted(node.func)
        if function is None and isinstance(node.func, ast.Name):
            made = [one.value for one in call.assigned(node.func.id)]
            function = _jitted(made[0]) if len(made) == 1 else None
        if function is not None:
            change = (node.func, call.text(function))
            yield call.fix("call the jitted function", change, differs="It is compiled again")


def _jitted(node: ast.AST) -> ast.expr | None:
    """`f` of `f.lower(x).compile()`."""
    match node:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(func=ast.Attribute(value=function, attr="lower")), attr="compile"
            )
        ):
            return function
    return None


_COMPARED = re.compile(r"comparison '(\w+)' (>=|>|<=|<) '(\d+)'")
_DIVIDED = re.compile(r"mod\((\w+), -? ?(\d+)\) should be 0")
_NOT_MORE = {">": "{} <= {}", ">=": "{} <= {}", "<": "{} >= {}", "<=": "{} >= {}"}


@otherwise("say what is known")
def symbolic(call: FailedCall) -> Iterator[Fix]:
    """A constraint that decides the comparison, or a size that is divisible."""
    text = call.message
    compared, divided = _COMPARED.search(text), _DIVIDED.search(text)
    made = [node for node in call.calls() if called(node) == "symbolic_shape"]
    for node in made if len(made) == 1 else ():
        if compared and option(node, "constraints") is None:
            rule = _constraint(*compared.groups())
            change = call.with_argument(node, f'constraints=("{rule}",)')
            title = sentence("say which sizes there are rule", rule=rule)
            differs = sentence("The program then accepts", rule=rule)
            yield call.fix(title, change, differs=differs)
        match node.args[:1]:
            case [ast.Constant(value=str() as sizes) as written] if divided:
                name, by = divided.groups()
                new = re.sub(rf"(?<![\w*]){name}(?!\w)", f"{by}*{name}", sizes)
                title = sentence("a size that by divides", by=by, name=name)
                differs = sentence("The program then accepts only", by=by)
                yield call.fix(title, call.quoted(written, new), differs=differs)


def _constraint(name: str, sign: str, number: str) -> str:
    """The constraint to sizes for which a comparison is false."""
    limit = int(number) + {">=": -1, "<=": 1}.get(sign, 0)
    return _NOT_MORE[sign].format(name, limit)
