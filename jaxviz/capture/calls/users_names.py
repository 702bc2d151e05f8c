"""Finds the user's names for what has none in JAX: results, arrays that a function closes over,
labelled variables, and rules of custom derivatives. No user code runs: names come from closures,
globals, labels and the text of return statements."""

from __future__ import annotations

import ast
import dis
import linecache
from collections import Counter
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any

import jax
import numpy as np
from jax.extend.core import Jaxpr
from jax.tree_util import tree_flatten_with_path, tree_leaves
from msgspec.structs import replace

from jaxviz.capture._jax import RULE_FIELDS, differentiated, transforms
from jaxviz.capture.calls.replaced import RESULT, replaced_arguments
from jaxviz.capture.shown.callables import unwrapped
from jaxviz.capture.shown.objects import Types, attribute, is_a, title_of
from jaxviz.capture.shown.shown_values import path_text, shown
from jaxviz.capture.shown.source import Sources, file_kind
from jaxviz.capture.shown.strings import NAME_LIMIT, looks_secret, name
from jaxviz.schema import Leaf
from jaxviz.schema.program import NEW

_SAME_TREE = {"vmap", "checkpoint", "remat", "named_call"}
"""Transformations whose results are those of the function, in the same tree."""
_MOST_SEEN = 2_000
"""The limit of objects that are searched for arrays."""
_CONTAINERS = Types(dict, list, tuple)
_WRAPPERS = ("PjitFunction", "custom_jvp", "custom_vjp")
"""Classes of JAX whose objects have a function as `__wrapped__`."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_RETURNS = {dis.opmap[op] for op in ("RETURN_VALUE", "RETURN_CONST") if op in dis.opmap}
"""The opcodes of `return`. Every second byte of `co_code` is an opcode, with a place in
`co_positions`."""


def result_names(
    fun: Any,
    names: Sequence[str],
    inputs: Sequence[Leaf],
    results: Sequence[Leaf],
    jaxpr: Jaxpr,
) -> list[str]:
    """The user's name of each result: `params['w']` for `result[0]['w']`; empty if none is sure.

    The names come from the function's return statement. A derivative of `loss` is `∂params['w']`,
    and the value beside it is `loss`. A result that replaces an argument is `params['w'] (new)`.
    """
    outer, inner = transforms(fun)
    kinds = [kind for kind in outer if kind not in _SAME_TREE]
    if not kinds:
        by_path = returned_names(inner)
    elif len(kinds) == 1 and kinds[0] in ("grad", "value_and_grad"):
        by_path = _derivatives(fun, inner, names, kinds[0] == "grad")
    else:
        by_path = {}
    replaced = replaced_arguments(inputs, results, by_path, jaxpr) if len(kinds) == 0 else {}
    named = [
        f"{new}{NEW}" if (new := _renamed(leaf.path, replaced)) else _renamed(leaf.path, by_path)
        for leaf in results
    ]
    named = [one or path for one, path in zip(named, _changed(inputs, results, jaxpr), strict=True)]
    times = Counter(named)
    return [one if times[one] == 1 else "" for one in named]


def _changed(inputs: Sequence[Leaf], results: Sequence[Leaf], jaxpr: Jaxpr) -> list[str]:
    """The name of each result that is an argument's leaf, changed in place, as by `nnx.jit`; else
    empty."""
    pairs = zip(inputs, jaxpr.invars, strict=True)
    given = {leaf.path: (leaf.aval.text, var) for leaf, var in pairs}
    found: list[str] = []
    for leaf, var in zip(results, jaxpr.outvars, strict=True):
        text, before = given.get(leaf.path, ("", None))
        is_changed = before is not None and var is not before and text == leaf.aval.text
        found.append(f"{leaf.path}{NEW}" if is_changed else "")
    return found


def _renamed(path: str, names: dict[str, str]) -> str:
    """The path with its longest beginning in `names` replaced by the user's name."""
    for prefix in sorted(names, key=len, reverse=True):
        rest = path.removeprefix(prefix)
        if path.startswith(prefix) and rest[:1] in ("", "[", "."):
            return name(names[prefix] + rest)
    return ""


def _derivatives(fun: Any, inner: Any, names: Sequence[str], alone: bool) -> dict[str, str]:
    """The names of the results of `grad` or `value_and_grad`."""
    options = differentiated(fun)
    if options is None:
        return {}
    numbers, aux = options
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
    """The user's name for a function's only result: from its return statement, else the name of the
    function. Empty for a lambda."""
    called = fun.__name__ if type(fun) is FunctionType else ""
    return returned_names(fun).get(RESULT, called if called.isidentifier() else "")


def returned_names(fun: Any) -> dict[str, str]:
    """The names in the return statement of a function, by the path of the result: `{'result[0]':
    'params'}`. With several statements, the names on which all agree."""
    if type(fun) is not FunctionType or fun.__code__.co_flags & 0x2A0:  # generators, coroutines
        return {}
    found: dict[str, str] | None = None
    for statement in _returns(fun.__code__):
        names = dict(_names_in(statement, RESULT))
        found = names if found is None else dict(found.items() & names.items())
    return found or {}


def _returns(code: CodeType) -> Iterator[ast.expr | None]:
    """The expression of each return statement; None if it cannot be read."""
    for opcode, positions in zip(code.co_code[::2], code.co_positions(), strict=False):
        if opcode in _RETURNS:
            yield _returned(code, *positions)


def _returned(
    code: CodeType, line: int | None, last: int | None, start: int | None, stop: int | None
) -> ast.expr | None:
    if line is None or None in (last, start, stop):
        return None
    lines = linecache.getlines(code.co_filename)[line - 1 : last]
    parts = [text.encode() for text in lines]
    if not parts:
        return None
    parts[-1] = parts[-1][:stop]
    parts[0] = parts[0][start:]
    text = b"".join(parts).decode(errors="replace")
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


def captured_names(fun: Any, arrays: Sequence[Any]) -> list[str]:
    """The name of each array in the function or in one that it reaches; empty if none was found."""
    wanted = {id(array) for array in arrays}
    found: dict[int, str] = {}
    for called, value in reached(fun) if wanted else ():
        if id(value) in wanted:
            found[id(value)] = called
            if len(found) == len(wanted):
                break
    return [name(found.get(id(array), "")) for array in arrays]


def reached(fun: Any) -> Iterator[tuple[str, Any]]:
    """The functions and arrays that a function reaches by closures, globals and containers, each
    with its name; first the function itself."""
    waiting: list[tuple[str, Any]] = [("", fun)]
    seen = {id(fun)}
    for called, value in waiting:
        if len(seen) > _MOST_SEEN:
            return
        yield called, value
        for path, part in _parts(called, value):
            if id(part) not in seen and _is_searched(part):
                seen.add(id(part))
                waiting.append((path, part))


def _is_searched(value: Any) -> bool:
    is_array_or_function = is_a(value, jax.Array, np.ndarray, FunctionType)
    return is_array_or_function or type(value) in _CONTAINERS or title_of(type(value)) in _WRAPPERS


def _parts(called: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The parts of a value with their paths. The variables of a function begin a new path."""
    if type(value) is FunctionType:
        yield from variables_of(value)
    elif type(value) is dict:
        for key, part in value.items():
            if type(key) is int:
                yield f"{called}[{shown(key)}]", part
            elif type(key) is str and len(key) <= NAME_LIMIT and not looks_secret(key):
                yield f"{called}[{key!r}]", part
    elif type(value) is list or type(value) is tuple:
        yield from ((f"{called}[{at}]", part) for at, part in enumerate(value))
    else:
        yield "", attribute(value, "__wrapped__")


def variables_of(fun: FunctionType) -> Iterator[tuple[str, Any]]:
    """The variables in a function's closure and the globals that it names."""
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


def name_rules(sources: Sources, fun: Any) -> None:
    """Sets `Frame.rules` of the lines that call a function with custom rules, in place. `fun` is
    the traced function.

    JAX records the eqns of both rules of a `custom_vjp` at the line that calls the function, and no
    name of the backward rule. So the function is found by its name on that line, in the closures
    and globals that `fun` reaches. No rule is called.
    """
    if not sources.custom:
        return
    functions = {
        code: value
        for _, value in reached(unwrapped(fun))
        if type(value) is FunctionType
        for code in codes_in(value.__code__)
    }
    for at, frame in enumerate(sources.records):
        call = sources.custom.get(replace(frame, parent=None))
        function = functions.get(call[0]) if call else None
        if call and function:
            sources.records[at] = replace(frame, rules=" ".join(rules_at(*call, function)))


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and the codes of the functions within it."""
    todo = [code]
    for one in todo:
        yield one
        todo += [part for part in one.co_consts if is_a(part, CodeType)]


def rules_at(code: CodeType, instruction: int, function: FunctionType) -> list[str]:
    """The names of the rules of the one function with custom rules that an expression names; empty
    if it names none of the user, or several."""
    values = dict(variables_of(function))
    found = {
        id(value): value
        for node in ast.walk(called_expression(code, instruction))
        if is_a(value := value_of(node, values), *RULE_FIELDS)
    }
    if len(found) != 1:
        return []
    (custom,) = found.values()
    fields = next(fields for kind, fields in RULE_FIELDS.items() if is_a(custom, kind))
    rules = [unwrapped(attribute(custom, field)) for field in fields]
    if not all(type(rule) is FunctionType for rule in rules):
        return []
    if any(file_kind(rule.__code__.co_filename) == "library" for rule in rules):
        return []
    return [name(rule.__name__) for rule in rules]


def called_expression(code: CodeType, instruction: int) -> ast.AST:
    """The function that an expression calls, as it is written: `flash` of `flash(q, k, v)`."""
    positions = [*code.co_positions()][instruction // 2]
    first, last, start, stop = positions
    if first is None or last is None or start is None or stop is None:
        return ast.Pass()
    parts = [line.encode() for line in linecache.getlines(code.co_filename)[first - 1 : last]]
    if not parts:
        return ast.Pass()
    parts[-1] = parts[-1][:stop]
    parts[0] = parts[0][start:]
    try:
        node = ast.parse(b"".join(parts).decode(), mode="eval").body
    except (SyntaxError, ValueError):
        return ast.Pass()
    return node.func if isinstance(node, ast.Call) else node


def value_of(node: ast.AST, values: dict[str, Any]) -> Any:
    """The value of a name, or of a name in a module; None if it is another expression."""
    if isinstance(node, ast.Name):
        return values.get(node.id)
    if isinstance(node, ast.Attribute):
        module = value_of(node.value, values)
        return vars(module).get(node.attr) if type(module) is ModuleType else None
    return None


def by_label(paths: list[str], tree: Any) -> list[str]:
    """The paths of a tree's leaves, with labels in place of positions in lists and tuples. The
    variables of a Penzai model have labels: `params['mlp/Affine_0/Linear.weights']`."""
    if not any(map(_is_labelled, tree_leaves(tree, is_leaf=_is_labelled))):
        return paths
    left = iter(paths)
    found: list[str] = []
    for part in tree_leaves(tree, is_leaf=_is_labelled):
        for keys, _ in tree_flatten_with_path(part)[0]:
            path, below = next(left), path_text(keys)
            place, bracket, position = path.removesuffix(below).rpartition("[")
            in_list = bracket and position.rstrip("]").isdigit()
            labelled = in_list and _is_labelled(part)
            found.append(name(f"{place}[{part.label!r}]{below}") if labelled else path)
    return found


def _is_labelled(value: Any) -> bool:
    """True if a value has a label. No code of its class runs."""
    try:
        fields = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return False
    return is_a(fields, dict) and type(fields.get("label")) is str
