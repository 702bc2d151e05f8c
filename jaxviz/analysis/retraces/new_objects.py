"""Finds where the user's code creates a new object for each call: in the argument's expression on
the retraced line, or in code that this expression calls.

Only the source is read. Uncertain places are not reported.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from jaxviz.schema.signature import Class, Place, Signature, Static

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
Scope: TypeAlias = "Function | ast.Module"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_STEP = re.compile(r"\.(\w+)|\[([^\]]*)\]")
_DEEPEST = 12
"""The longest chain of expressions that is followed."""
JITS = ("jit", "filter_jit", "pmap")


class Creation(NamedTuple):
    """The place where an object is created."""

    name: str
    """Its creator, such as `adam` in `optax.adam(1e-3)`; for a function, its own name."""
    file: str
    """`cell 2`, or the name of a file."""
    line: int
    kind: str
    """`call`, or `function` for a lambda or a definition."""
    in_class: bool = False
    """True if a class creates one for each of its objects."""
    of: str = ""
    """The function that is jitted: `lambda` or a name."""


class _Code(NamedTuple):
    """An expression or statement, and its file."""

    node: ast.AST
    scope: Scope
    place: Place


def creation_of(
    signature: Signature, path: str, called: Place | None, functions: Mapping[str, Place]
) -> Creation | None:
    """Returns where the object at a path of the arguments is created, in a call on the line
    `called`; None if the source does not show it. `functions` has the user's functions by name."""
    tree = None if called is None else _tree(called.file)
    if called is None or tree is None:
        return None
    argument, steps = _steps(path)
    static = signature.statics.get(path)
    search = _Search(signature.classes, functions, static)
    calls = [*_calls(tree, called.line)]
    exact = [(call, scope) for call, scope in calls if _span(call) == called.span]
    found = {
        made
        for call, scope in exact or calls
        if (passed := _argument_of_call(call, argument, signature.style)) is not None
        for made in [search.follow(_Code(passed, scope, called), steps, 0)]
        if made is not None
    }
    return found.pop() if len(found) == 1 else None


def jit_creation(called: Place | None) -> Creation | None:
    """Returns the jit of Flax or Equinox that the line `called` makes for one call:
    `nnx.jit(f)(model)`.

    JAX has no program for it although the function is the same, since each jit wraps it in a new
    object.
    """
    tree = None if called is None else _tree(called.file)
    if called is None or tree is None:
        return None
    for call, scope in _calls(tree, called.line):
        jit = _called_expression(call.func, scope)
        if _span(call) != called.span or not isinstance(jit, ast.Call):
            continue
        root = _root(jit.func)
        if _title(jit.func) in JITS and {root, _package_of(root, called)} & _WRAPPER_PACKAGES:
            line = jit.lineno + called.offset
            return Creation(ast.unparse(jit.func), called.shown, line, "call")
    return None


_WRAPPER_PACKAGES = frozenset(("nnx", "flax", "eqx", "equinox"))


def _called_expression(fun: ast.expr, scope: Scope) -> ast.AST:
    """The called expression. If it is a name that is only called, and bound again for each call,
    the value bound to it."""
    value = _bound_value(fun, scope) if isinstance(fun, ast.Name) else None
    if not isinstance(fun, ast.Name) or value is None:
        return fun
    nodes = [*ast.walk(scope)]
    called = {id(one.func) for one in nodes if isinstance(one, ast.Call)}
    names = [one for one in nodes if isinstance(one, ast.Name) and one.id == fun.id]
    is_only_called = all(id(one) in called or isinstance(one.ctx, ast.Store) for one in names)
    loops = [one for one in nodes if isinstance(one, ast.For | ast.While) and _contains(one, fun)]
    is_per_iteration = all(_contains(one, value) for one in loops)
    is_local = loops or not isinstance(scope, ast.Module)
    return value if is_only_called and is_per_iteration and is_local else fun


def _contains(outer: ast.stmt, node: ast.AST) -> bool:
    return outer.lineno <= getattr(node, "lineno", 0) <= (outer.end_lineno or 0)


@lru_cache(maxsize=64)
def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _tree(file: str) -> ast.Module | None:
    lines = linecache.getlines(file)
    return _parsed("".join(lines)) if lines else None


def _steps(path: str) -> tuple[str, list[str]]:
    """`optimizer` and `["tx"]` for `optimizer.tx`."""
    start = _STEP.search(path)
    if start is None:
        return path, []
    found = _STEP.findall(path[start.start() :])
    return path[: start.start()], [attribute or key.strip("'\"") for attribute, key in found]


def _calls(tree: ast.Module, line: int) -> Iterator[tuple[ast.Call, Scope]]:
    """The calls that extend over a line, each with the function around it."""
    waiting: list[tuple[ast.AST, Scope]] = [(tree, tree)]
    for node, scope in waiting:
        for child in ast.iter_child_nodes(node):
            first, last = getattr(child, "lineno", None), getattr(child, "end_lineno", None)
            if first is not None and last is not None and not first <= line <= last:
                continue
            if isinstance(child, ast.Call):
                yield child, scope
            waiting.append((child, child if isinstance(child, _FUNCTIONS) else scope))


def _span(call: ast.Call) -> tuple[int, int | None, int, int | None]:
    return call.lineno, call.end_lineno, call.col_offset, call.end_col_offset


def _argument_of_call(call: ast.Call, argument: str, style: Mapping[str, str]) -> ast.expr | None:
    """The expression of an argument in a call with as many arguments as the traced one."""
    if any(isinstance(one, ast.Starred) for one in call.args) or None in [
        keyword.arg for keyword in call.keywords
    ]:
        return None
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    positions = [name for name, how in style.items() if how == "position"]
    arguments: list[ast.expr] = [*call.args]
    if len(arguments) == len(positions) - 1 and isinstance(call.func, ast.Attribute):
        arguments.insert(0, call.func.value)
    if len(arguments) != len(positions) or {*keywords} != {*style} - {*positions}:
        return None
    return {**dict(zip(positions, arguments, strict=True)), **keywords}.get(argument)


class _Search:
    """Follows an expression to where its value is created."""

    def __init__(
        self, classes: Mapping[str, Class], functions: Mapping[str, Place], static: Static | None
    ) -> None:
        self._functions = functions
        self._classes = {one.name: one for one in classes.values()}
        self._package = "" if static is None else static.package
        self._is_function = static is not None and static.type in ("function", "method")

    def follow(self, code: _Code, steps: Sequence[str], depth: int) -> Creation | None:
        """Returns where the part of a value that `steps` lead to is created."""
        node = code.node
        if depth > _DEEPEST:
            return None
        if isinstance(node, _FUNCTIONS):
            return self._creation(node.name, code, "function")
        if isinstance(node, ast.Lambda):
            return self._creation("lambda", code, "function")
        if isinstance(node, ast.Name):
            value = _bound_value(node, code.scope)
            return value and self._follow_binding(value, code, steps, depth)
        if isinstance(node, ast.Attribute):
            return self.follow(code._replace(node=node.value), [], depth + 1)
        if isinstance(node, ast.Call):
            return self._follow_call(node, code, steps, depth)
        part = _part(node, steps)
        return part and self.follow(code._replace(node=part), steps[1:], depth + 1)

    def _follow_binding(
        self, value: ast.AST, code: _Code, steps: Sequence[str], depth: int
    ) -> Creation | None:
        """Follows the value bound to a name. A lambda has that name."""
        made = self.follow(code._replace(node=value), steps, depth + 1)
        is_lambda = isinstance(value, ast.Lambda)
        return made._replace(name=_title(code.node)) if made and is_lambda else made

    def _follow_call(
        self, call: ast.Call, code: _Code, steps: Sequence[str], depth: int
    ) -> Creation | None:
        of = _title(call.args[0]) if call.args else ""
        whole = self._creation(_title(call.func), code, "call", of=of)
        if not steps:
            return whole
        field = steps[0]
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        if field in named:
            return self.follow(code._replace(node=named[field]), steps[1:], depth + 1)
        if isinstance(call.func, ast.Name) and call.func.id in self._functions:
            return self._follow_return(self._functions[call.func.id], steps, depth)
        own = self._classes.get(_title(call.func))
        found = self._follow_class(own, call, code, steps, depth) if own else None
        if found is None and self._is_of_package(call, code):
            return whole
        return found or self._follow_arguments(call, code, depth)

    def _follow_return(self, place: Place, steps: Sequence[str], depth: int) -> Creation | None:
        """Follows the value that a function of the user returns."""
        tree = _tree(place.file)
        nodes = ast.walk(tree or ast.Module([], []))
        functions = (node for node in nodes if isinstance(node, _FUNCTIONS))
        firsts = ((one, [one.lineno, *(d.lineno for d in one.decorator_list)]) for one in functions)
        definition = next((one for one, lines in firsts if min(lines) == place.line), None)
        nodes = [] if definition is None else ast.walk(definition)
        values = [node.value for node in nodes if isinstance(node, ast.Return)]
        if definition is None or len(values) != 1 or values[0] is None:
            return None
        return self.follow(_Code(values[0], definition, place), steps, depth + 1)

    def _follow_arguments(self, call: ast.Call, code: _Code, depth: int) -> Creation | None:
        """Follows the only argument of a call that may have created the object: a function, or a
        call of the package of the object's type."""
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        found: list[Creation] = []
        for one in arguments:
            value = _bound_value(one, code.scope) or one if isinstance(one, ast.Name) else one
            is_function = isinstance(value, (ast.Lambda, *_FUNCTIONS))
            fits = isinstance(value, ast.Call) and self._is_of_package(value, code)
            if (is_function and self._is_function) or fits:
                made = self.follow(code._replace(node=one), [], depth + 1)
                found += [made] if made is not None else []
        return found[0] if len(found) == 1 else None

    def _is_of_package(self, call: ast.Call, code: _Code) -> bool:
        """True if a call is of the package of the object's type."""
        root = _root(call.func)
        return self._package != "" and self._package in (root, _package_of(root, code.place))

    def _follow_class(
        self, own: Class, call: ast.Call, code: _Code, steps: Sequence[str], depth: int
    ) -> Creation | None:
        """Follows the value that the class of an object assigns to a field."""
        place = own.place
        tree = None if place is None else _tree(place.file)
        if tree is None or place is None:
            return None
        classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
        definition = next((node for node in classes if node.lineno == place.line), None)
        if definition is None:
            return None
        methods = (node for node in definition.body if isinstance(node, _FUNCTIONS))
        init = next((node for node in methods if node.name == "__init__"), None)
        if init is None:
            fields = [
                one.target.id
                for one in definition.body
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
            ]
            at = fields.index(steps[0]) if steps[0] in fields else len(call.args)
            argument = call.args[at] if at < len(call.args) else None
            return argument and self.follow(code._replace(node=argument), steps[1:], depth + 1)
        value = _assigned(init, steps[0])
        if value is None:
            return None
        parameters = [one.arg for one in init.args.args][1:]
        if isinstance(value, ast.Name) and value.id in parameters:
            at = parameters.index(value.id)
            named = {keyword.arg: keyword.value for keyword in call.keywords}
            argument = call.args[at] if at < len(call.args) else named.get(value.id)
            return argument and self.follow(code._replace(node=argument), steps[1:], depth + 1)
        made = self.follow(_Code(value, init, place), steps[1:], depth + 1)
        return made and made._replace(in_class=True)

    def _creation(self, title: str, code: _Code, kind: str, of: str = "") -> Creation | None:
        if not title:
            return None
        place, line = code.place, getattr(code.node, "lineno", 0)
        return Creation(title, place.shown, line + place.offset, kind, False, of)


def _title(node: ast.AST) -> str:
    """The last name of a called expression: `adam` for `optax.adam`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Lambda):
        return "lambda"
    return node.id if isinstance(node, ast.Name) else ""


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _package_of(name: str, place: Place) -> str:
    """The package from which a file imports a name; empty if unknown."""
    tree = _tree(place.file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name).partition(".")[0] == name:
                    module = node.module if isinstance(node, ast.ImportFrom) else alias.name
                    return (module or "").partition(".")[0]
    return ""


def _part(node: ast.AST, steps: Sequence[str]) -> ast.expr | None:
    """The part of a tuple, list or dict display."""
    if not steps:
        return None
    if isinstance(node, ast.Tuple | ast.List) and steps[0].isdecimal():
        at = int(steps[0])
        return node.elts[at] if at < len(node.elts) else None
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and str(key.value) == steps[0]:
                return value
    return None


def _bound_value(name: ast.Name, scope: Scope) -> ast.AST | None:
    """The value that the last statement above binds to a name, in the same function or module."""
    found: ast.AST | None = None
    waiting: list[ast.AST] = [*scope.body]
    while waiting:
        node = waiting.pop(0)
        if getattr(node, "lineno", 0) > name.lineno:
            continue
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            is_later = found is None or node.lineno >= getattr(found, "lineno", 0)
            found = node if node.name == name.id and is_later else found
            continue
        value = _value_for(node, name.id)
        is_above = getattr(node, "end_lineno", 0) != name.lineno
        found = value if value is not None and is_above else found
        waiting += [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt)]
    return None if isinstance(found, ast.ClassDef) else found


def _value_for(node: ast.AST, name: str) -> ast.expr | None:
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    is_bound = any(isinstance(one, ast.Name) and one.id == name for one in targets)
    return node.value if is_bound and isinstance(node, ast.Assign | ast.AnnAssign) else None


def _assigned(init: Function, field: str) -> ast.expr | None:
    """The value that a method assigns to a field of its object, if it is one expression."""
    found = [
        node.value
        for node in ast.walk(init)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Attribute) and target.attr == field and _root(target) == "self"
    ]
    return found[0] if len(found) == 1 else None
