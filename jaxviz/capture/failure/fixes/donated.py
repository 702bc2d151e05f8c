"""Fixes for arrays that were donated to a jitted function: read after the call, or passed twice."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax

from jaxviz.capture.donors import Donor, donor_of
from jaxviz.capture.failure.code import called, own_parts
from jaxviz.capture.failure.failed_call import SAME, FailedCall, sketch
from jaxviz.capture.shown.callables import parameter_names
from jaxviz.capture.shown.objects import attribute, is_a
from jaxviz.capture.shown.shown_values import path_text
from jaxviz.schema import Fix, Sentence
from jaxviz.sentences import sentence

DONATES = ("donate_argnums", "donate_argnames")


class Donation(NamedTuple):
    """A call that donates an array of a name."""

    name: str
    function: str
    """The user's name of the function."""
    place: str
    """`line 4`, or `cell 3, line 1`."""
    result: str
    """The only name of the result; empty if there is none."""
    here: bool
    """True if the call is in the same cell or file."""
    statement: ast.stmt

    @property
    def text(self) -> Sentence:
        return sentence("donates", function=self.function, name=self.name, place=self.place)


def used_after_donation(call: FailedCall) -> Iterator[Fix]:
    """The result of the call that took the array, in the array's place."""
    gone = _gone(call)
    found = [one for name in gone for one in _taking(call, name)]
    own = [one for one in found if one.here and one.statement.lineno == call.node.lineno]
    here = [one for one in found if one.here and one not in own]
    again = own if any(isinstance(node, ast.For | ast.While) for node in call.nodes) else []
    earlier = {ast.unparse(one.statement): one for one in found if not one.here}
    donations = here or again or [*earlier.values()]
    leaves = (leaf for name in gone for leaf in _leaves(call.variables[name]))
    seen = {donor for leaf in leaves if _is_gone(leaf) and (donor := donor_of(leaf))}
    if len(seen) == 1:
        (donor,) = seen
        for one in [one for one in found if one.place == _place(call, donor)][:1]:
            yield from _instead(call, one)
        names, place = " and ".join(gone), _place(call, donor)
        by = sentence("took", function=_name(call, donor), names=names, place=place)
        yield sketch(sentence("go on with what was returned", by=by))
    elif not here and (freed := _freeing(call, gone)):
        yield from _without(call, gone, freed)
        lines = " and ".join(str(one.lineno) for one in freed)
        yield sketch(sentence("read gone before delete", gone=" and ".join(gone), lines=lines))
    elif len(donations) == 1:
        (one,) = donations
        yield from _instead(call, one)
        yield sketch(sentence("use the result instead", taken=one.text))
    elif gone:
        functions = {one.function: one for one in donations} or dict.fromkeys(_donating(call))
        names = " and ".join(gone)
        yield sketch(
            sentence("go on with, donating", names=names, donating=", ".join(functions))
            if functions
            else sentence("go on with what was returned for names", names=names)
        )


def _is_here(call: FailedCall, donor: Donor) -> bool:
    """True if the call is in the failing cell or file."""
    lines = call.source.splitlines()
    return lines[donor.site.line - 1 : donor.site.line] != [] and (
        lines[donor.site.line - 1].strip() == donor.site.code
    )


def _name(call: FailedCall, donor: Donor) -> str:
    """The user's name of the function."""
    jitted, line = _donating(call), _parsed(donor.site.code)
    names = [called(node) for node in ast.walk(line) if called(node) in jitted] if line else []
    return names[0] if len(names) == 1 else donor.function


def _place(call: FailedCall, donor: Donor) -> str:
    site, line = donor.site, f"line {donor.site.line}"
    if _is_here(call, donor):
        return line
    return f"{site.file if site.count is None else f'cell {site.count}'}, {line}"


def _freeing(call: FailedCall, gone: list[str]) -> list[ast.Expr]:
    """The statements `x.delete()` of the failing cell or file, without those of other arrays."""
    deleted = {id(leaf) for name in gone for leaf in _leaves(call.variables[name])}

    def is_other(node: ast.Expr) -> bool:
        leaves = [leaf for name in call.names(node) for leaf in _leaves(call.variables.get(name))]
        return bool(leaves) and deleted.isdisjoint(map(id, leaves))

    deletes = (node for node in call.all(ast.Expr) if called(node.value) == "delete")
    return [node for node in deletes if not is_other(node)]


def _without(call: FailedCall, gone: list[str], freed: list[ast.Expr]) -> Iterator[Fix]:
    """The cell without the only `x.delete()`."""
    match freed:
        case [ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))) as only] if [
            name
        ] == gone and only.col_offset == 0:
            differs = sentence("The memory of name", name=name)
            title = sentence("without name.delete name is read", name=name)
            yield call.fix(title, (only, f"# {call.text(only)}"), differs=differs, promise=SAME)


def _instead(call: FailedCall, one: Donation) -> Iterator[Fix]:
    """The result's name in place of the array's from here on; in a loop the result gets the array's
    name."""
    statement = call.statement
    if statement is None:
        return
    differs = sentence("It reads result which function", result=one.result, function=one.function)
    if one.here and statement.lineno == one.statement.lineno:
        text = f"{one.name} = {call.text(statement)}"
        title = sentence("assign the result to name", name=one.name, taken=one.text)
        differs = sentence(
            "Each iteration goes on with the name", name=one.name, function=one.function
        )
        yield call.fix(title, (statement, text), differs=differs)
    elif one.here and isinstance(one.statement, ast.Expr):
        text = f"{one.name} = {call.text(one.statement)}"
        differs = sentence("name is then what function", name=one.name, function=one.function)
        title = sentence("keep the result taken", taken=one.text)
        yield call.fix(title, (one.statement, text), differs=differs)
    elif one.result and one.result not in call.names(call.node):
        changes = [(part, one.result) for part in _reads(call, one.name, statement)]
        title = sentence("use result from here", result=one.result, taken=one.text)
        yield call.fix(title, *changes, differs=differs)


def _reads(call: FailedCall, name: str, first: ast.stmt) -> list[ast.Name]:
    """The reads of a name from a statement on, until it gets another value."""
    scope = call.function or call.tree
    names = [part for part in own_parts(scope) if isinstance(part, ast.Name) and part.id == name]
    stores = [part.lineno for part in names if isinstance(part.ctx, ast.Store)]
    again = min((line for line in stores if line >= first.lineno), default=1 << 30)
    return [
        part
        for part in names
        if isinstance(part.ctx, ast.Load) and first.lineno <= part.lineno <= again
    ]


def _gone(call: FailedCall) -> list[str]:
    """The names on the failing line whose values are deleted arrays, or trees with such arrays."""
    found = ast.walk(call.node) if call.node is not None else ()
    names = dict.fromkeys(part.id for part in found if isinstance(part, ast.Name))
    return [name for name in names if any(map(_is_gone, _leaves(call.variables.get(name))))]


def _leaves(value: Any) -> list[Any]:
    return jax.tree.leaves(value) if is_a(value, dict, list, tuple, jax.Array) else []


def _is_gone(leaf: Any) -> bool:
    deleted = attribute(leaf, "is_deleted")
    return is_a(leaf, jax.Array) and deleted is not None and bool(deleted())


def _taking(call: FailedCall, name: str) -> Iterator[Donation]:
    """The calls in this cell or an earlier one that pass the name to a function that donates it."""
    sources = _sources(call)
    jits = {found: node for _, source in sources for found, node in _jits(call, source)}
    for where, source in sources:
        for statement in ast.walk(source):
            if isinstance(statement, ast.Assign | ast.Expr):
                made = statement.value
                if isinstance(made, ast.Call) and called(made) in jits:
                    function = called(made)
                    places = _donated(call, jits[function], function)
                    if name in _passed(made, places):
                        line = f"{where}line {made.lineno}"
                        result = _result(statement)
                        yield Donation(name, function, line, result, not where, statement)


def _result(statement: ast.stmt) -> str:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


def _sources(call: FailedCall) -> list[tuple[str, ast.Module]]:
    """The code of this cell or file, and of the cells of the notebook that ran before it."""
    cells = call.variables.maps[-1].get("In")
    texts = [("", call.source)]
    if is_a(cells, list):
        before = [(f"cell {n}, ", text) for n, text in enumerate(cells) if n]
        texts += [one for one in before if one[1].strip() != call.source.strip()]
    return [(where, parsed) for where, text in texts if (parsed := _parsed(text)) is not None]


def _parsed(text: Any) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, TypeError):
        return None


def _jits(call: FailedCall, source: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """The functions that are jitted with donated arguments, by name."""
    for node in ast.walk(source):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as made) if _donates(
                made
            ):
                if call.value(made.func) is jax.jit:
                    yield name, made
            case ast.FunctionDef(name=name, decorator_list=decorators):
                made = [one for one in decorators if isinstance(one, ast.Call)]
                yield from ((name, one) for one in made if _donates(one))


def _donates(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and any(word.arg in DONATES for word in node.keywords)


def _donating(call: FailedCall) -> list[str]:
    return [name for _, source in _sources(call) for name, _ in _jits(call, source)]


def _donated(call: FailedCall, jit: ast.Call, function: str) -> set[int | str]:
    """The numbers and names of the arguments that a jit donates."""
    options = [word.value for word in jit.keywords if word.arg in DONATES]
    found = {
        part.value
        for value in options
        for part in ast.walk(value)
        if isinstance(part, ast.Constant) and is_a(part.value, int, str)
    }
    names = parameter_names(call.variables.get(function))
    numbers = {names.index(one) for one in found if is_a(one, str) and one in names}
    by_number = {names[one] for one in found if is_a(one, int) and one < len(names)}
    return {*found, *numbers, *by_number}


def _passed(node: ast.Call, places: set[int | str]) -> list[str]:
    """The names that a call passes at these places."""
    words = [(word.arg or "", word.value) for word in node.keywords]
    arguments = [*enumerate(node.args), *words]
    return [
        value.id for place, value in arguments if place in places and isinstance(value, ast.Name)
    ]


def twice(call: FailedCall) -> Iterator[Fix]:
    """A copy for the second place of an array that is donated."""
    node = call.node
    if not isinstance(node, ast.Call):
        return
    named = [
        (value, call.variables.get(value.id)) for value in node.args if isinstance(value, ast.Name)
    ]
    names = parameter_names(call.value(node.func))
    seen: dict[int, str] = {}
    for place, (value, array) in enumerate(named):
        for path, leaf in jax.tree_util.tree_flatten_with_path(array)[0]:
            parameter = names[place] if place < len(names) else f"argument {place}"
            at = f"{parameter}{path_text(path)}"
            if id(leaf) in seen and is_a(leaf, jax.Array):
                text = call.text(value)
                tree = f"jax.tree.map({call.jnp}.copy, {text})"
                copy = f"{text}.copy()" if is_a(array, jax.Array) else tree
                title = sentence("a copy the same", seen=seen[id(leaf)], at=at)
                yield call.fix(title, (value, copy))
                return
            seen[id(leaf)] = at
