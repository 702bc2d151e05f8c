"""Finds what the user's code calls results, and arrays that the function closes over: JAX gives
them no names. Nothing of the user's runs: names come from closures, globals, and the text of return
statements."""

from __future__ import annotations

import ast
import dis
import linecache
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any

import jax
import numpy as np

from jaxviz.capture._jax import differentiated, transforms
from jaxviz.capture.shown.objects import Types, attribute, is_a, title_of
from jaxviz.capture.shown.shown_values import shown
from jaxviz.capture.shown.strings import NAME_LIMIT, looks_secret, name
from jaxviz.schema import Leaf

RESULT = "result"
_SAME_TREE = {"vmap", "checkpoint", "remat", "named_call"}
"""Transformations whose results are those of the function, in the same tree."""
_MOST_SEEN = 2_000
"""How many objects are looked at for the names of arrays."""
_CONTAINERS = Types(dict, list, tuple)
_WRAPPERS = ("PjitFunction", "custom_jvp", "custom_vjp")
"""Classes of JAX whose objects hold a function as `__wrapped__`."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_RETURNS = {dis.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST") if name in dis.opmap}
"""Opcodes. Every second byte of `co_code` is one, and `co_positions` has a place for each."""


def result_names(
    fun: Any, names: Sequence[str], inputs: Sequence[Leaf], results: Sequence[Leaf]
) -> list[str]:
    """For each result (`result[0]['w']`) what the user calls it (`params['w']`): by the names in
    the function's return statement, or `∂params['w']` for a derivative of `loss` and `loss` for the
    value beside it. A pytree without a name is `like params` if that argument alone has the same
    keys and types. Empty where nothing is sure.
    """
    around, inner = transforms(fun)
    kinds = [kind for kind in around if kind not in _SAME_TREE]
    if not kinds:
        known = returned_names(inner)
    elif len(kinds) == 1 and kinds[0] in ("grad", "value_and_grad"):
        known = _derivatives(fun, inner, names, kinds[0] == "grad")
    else:
        known = {}
    known = {**_like_arguments(inputs, results), **known}
    named = [_renamed(leaf.path, known) for leaf in results]
    times = Counter(named)
    return [one if times[one] == 1 else "" for one in named]


def _like_arguments(inputs: Sequence[Leaf], results: Sequence[Leaf]) -> dict[str, str]:
    """The pytrees among the results that one argument alone is like, by their path."""
    given = _trees(inputs, r"[^.\[]+")
    several = any(leaf.path.startswith(f"{RESULT}[0]") for leaf in results)
    made = _trees(results, rf"{RESULT}\[\d+\]" if several else RESULT)
    alike = Counter(given.values())
    return {
        path: f"like {argument}"
        for path, tree in made.items()
        for argument, other in given.items()
        if tree == other and len(tree) > 1 and alike[tree] == 1
    }


def _trees(leaves: Sequence[Leaf], root: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """By the beginning of their paths that `root` matches, the rests of the paths with types."""
    found: dict[str, list[tuple[str, str]]] = {}
    for leaf in leaves:
        begin = re.match(root, leaf.path)
        if begin is not None:
            rest = leaf.path[begin.end() :]
            found.setdefault(begin[0], []).append((rest, leaf.aval.text))
    return {path: tuple(tree) for path, tree in found.items()}


def _renamed(path: str, known: dict[str, str]) -> str:
    """The path with its longest known beginning replaced by the user's name."""
    for prefix in sorted(known, key=len, reverse=True):
        rest = path.removeprefix(prefix)
        if path.startswith(prefix) and rest[:1] in ("", "[", "."):
            return name(known[prefix] + rest)
    return ""


def _derivatives(fun: Any, inner: Any, names: Sequence[str], alone: bool) -> dict[str, str]:
    """The names of what `grad`, or `value_and_grad`, returns."""
    asked = differentiated(fun)
    if asked is None:
        return {}
    numbers, aux = asked
    at = RESULT if alone and not aux else f"{RESULT}[{0 if alone else 1}]"
    several = [*enumerate(numbers)] if is_a(numbers, tuple) else [("", numbers)]
    found = {
        f"{at}[{place}]" if place != "" else at: f"∂{names[number]}"
        for place, number in several
        if is_a(number, int) and 0 <= number < len(names)
    }
    value = "" if alone or aux else _value_name(inner)
    return found | ({f"{RESULT}[0]": value} if value else {})


def _value_name(fun: Any) -> str:
    """What the user calls a function's only result: by its return statement, else as the function
    itself is called. Empty for a lambda."""
    called = fun.__name__ if type(fun) is FunctionType else ""
    return returned_names(fun).get(RESULT, called if called.isidentifier() else "")


def returned_names(fun: Any) -> dict[str, str]:
    """The names in the return statement of a function, by the path of the result that has it:
    `{'result[0]': 'params'}`. Of several statements what all agree on."""
    if type(fun) is not FunctionType or fun.__code__.co_flags & 0x2A0:  # generators, coroutines
        return {}
    found: dict[str, str] | None = None
    for statement in _returns(fun.__code__):
        names = dict(_names_in(statement, RESULT))
        found = names if found is None else dict(found.items() & names.items())
    return found or {}


def _returns(code: CodeType) -> Iterator[ast.expr | None]:
    """What each return statement returns; None where that cannot be read."""
    for opcode, positions in zip(code.co_code[::2], code.co_positions(), strict=False):
        if opcode in _RETURNS:
            yield _returned(code, *positions)


def _returned(
    code: CodeType, line: int | None, last: int | None, start: int | None, stop: int | None
) -> ast.expr | None:
    if line is None or None in (last, start, stop):
        return None
    lines = linecache.getlines(code.co_filename)[line - 1 : last]
    held = [text.encode() for text in lines]
    if not held:
        return None
    held[-1] = held[-1][:stop]
    held[0] = held[0][start:]
    text = b"".join(held).decode(errors="replace")
    try:
        read = ast.parse(f"def f():\n {text}").body[0]
    except (SyntaxError, ValueError):
        return None
    statement = read.body[0] if isinstance(read, _FUNCTIONS) else None
    return statement.value if isinstance(statement, ast.Return) else None


def _names_in(value: ast.expr | None, path: str) -> Iterator[tuple[str, str]]:
    match value:
        case ast.Name() | ast.Attribute():
            written = ast.unparse(value)
            if all(part.isidentifier() for part in written.split(".")):
                yield path, written
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for at, part in enumerate(parts):
                if isinstance(part, ast.Starred):
                    return
                yield from _names_in(part, f"{path}[{at}]")
        case ast.Dict(keys=keys):
            for key in keys:
                if isinstance(key, ast.Constant) and is_a(key.value, str):
                    yield f"{path}[{key.value!r}]", key.value
        case _:
            pass


def closed_over_names(fun: Any, arrays: Sequence[Any]) -> list[str]:
    """What the function, or one that it reaches, calls each of these arrays; empty where that was
    not found."""
    wanted = {id(array) for array in arrays}
    found: dict[int, str] = {}
    waiting: list[tuple[str, Any]] = [("", fun)]
    seen = {id(fun)}
    for called, value in waiting:
        if len(found) == len(wanted) or len(seen) > _MOST_SEEN:
            break
        if id(value) in wanted:
            found.setdefault(id(value), called)
            continue
        for part, held in _parts(called, value):
            if id(held) not in seen and _may_hold(held):
                seen.add(id(held))
                waiting.append((part, held))
    return [name(found.get(id(array), "")) for array in arrays]


def _may_hold(value: Any) -> bool:
    known = is_a(value, jax.Array, np.ndarray, FunctionType)
    return known or type(value) in _CONTAINERS or title_of(type(value)) in _WRAPPERS


def _parts(called: str, value: Any) -> Iterator[tuple[str, Any]]:
    """What a value holds, by the names that lead to it. A function's own begin anew."""
    if type(value) is FunctionType:
        yield from _reached(value)
    elif type(value) is dict:
        for key, held in value.items():
            if type(key) is int or (type(key) is str and _may_be_shown(key)):
                yield f"{called}[{shown(key) if type(key) is int else repr(key)}]", held
    elif type(value) is list or type(value) is tuple:
        yield from ((f"{called}[{at}]", held) for at, held in enumerate(value))
    else:
        yield "", attribute(value, "__wrapped__")


def _may_be_shown(key: str) -> bool:
    return len(key) <= NAME_LIMIT and not looks_secret(key)


def _reached(fun: FunctionType) -> Iterator[tuple[str, Any]]:
    """The variables of a function that it does not make itself: its closure and its globals."""
    code = fun.__code__
    for variable, cell in zip(code.co_freevars, fun.__closure__ or (), strict=True):
        try:
            yield variable, cell.cell_contents
        except ValueError:  # not set yet
            continue
    codes = [code]
    for one in codes:
        for variable in one.co_names:
            if variable in fun.__globals__:
                yield variable, fun.__globals__[variable]
        codes += [inner for inner in one.co_consts if is_a(inner, CodeType)]
