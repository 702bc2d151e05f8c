"""The differences between two calls of one function, in the user's terms.

Each difference is a `schema.Change`: its kind, the argument, and the values before and after.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeVar

from jaxviz.schema import Change, Sentence, Words
from jaxviz.schema.signature import LEAF, TRACER, Class, Field, Leaf, Placement, Signature, Static
from jaxviz.sentences import sentence

Value = TypeVar("Value")

_DISTANCES = {
    **dict.fromkeys(("weak type", "committed", "sharding", "device"), 1),
    **dict.fromkeys(("shape", "dtype", "options"), 2),
    **dict.fromkeys(("static", "config", "mesh", "none", "class"), 3),
    **dict.fromkeys(("pytree", "style"), 6),
}
"""The distance that a change of each kind adds between two calls."""
_FUNCTION_TYPES = frozenset(("function", "method", "builtin_function_or_method"))
_BUILT_IN_TYPES = frozenset(("str", "bytes", "int", "tuple", "frozenset"))
ABSENT, NONE, STATIC = sentence("absent"), "None", " (static)"
"""The text of a side that is absent, of None, and the end of the text of a static value."""
NO_MESH = sentence("no mesh")
_LONGEST_TEXT = 60
"""The most characters of a text that are shown, around the difference."""


def changes(old: Signature, new: Signature) -> list[Change]:
    """Returns the differences that can cause a retrace. Empty if nothing known differs."""
    whole = bool(old.style) and bool(new.style)
    redefined = {
        key for key, a, b in _common_items(old.classes, new.classes) if a.number != b.number
    }
    found = [
        *_classes(old, new),
        *_config(old, new),
        *(_presence(old, new) if whole else ()),
        *_statics(old.statics, new.statics, redefined),
        *(_array_or_static(old, new) if whole else ()),
        *_leaves(old, new, whole),
    ]
    found = found or _static_options(old, new)
    valued = {where for change in found for where in (change.where, _argument(change.where))}
    explained = valued & (old.style.keys() ^ new.style.keys())
    return found + [change for change in _style(old, new, whole) if change.where not in explained]


def _classes(old: Signature, new: Signature) -> Iterator[Change]:
    """The classes that were defined again between the calls."""
    for _, before, after in _common_items(old.classes, new.classes):
        if before.number != after.number:
            yield Change("class", after.name, _definition_place(before), _definition_place(after))


def _definition_place(found: Class) -> str:
    """`cell 3`, `train.py:12`; empty if unknown."""
    place = found.place
    if place is None:
        return ""
    is_cell = place.shown.startswith("cell")
    return place.shown if is_cell else f"{place.shown}:{place.line + place.offset}"


def placement_changes(old: Mapping[str, Placement], new: Mapping[str, Placement]) -> list[Change]:
    """Returns the differences of the arguments' placements, by path. They decide whether a traced
    program is lowered and compiled again."""
    found: list[Change] = []
    for path, before, after in _common_items(old, new):
        if before.committed != after.committed:
            found.append(Change("committed", path, _state(before), _state(after)))
        elif before.committed and before.devices != after.devices:
            found.append(Change("device", path, before.devices, after.devices))
        elif before.committed and before.sharding != after.sharding:
            found.append(Change("sharding", path, before.sharding, after.sharding))
    return found


def _state(placement: Placement) -> Sentence:
    """An argument's placement as text. JAX moves an uncommitted argument to the devices of the
    others."""
    if placement.committed:
        return sentence("committed to", devices=placement.devices)
    return sentence("uncommitted")


def option_changes(old: Mapping[str, str], new: Mapping[str, str]) -> list[Change]:
    """Returns the differences of the options of `jax.jit`, such as donation."""
    return [
        Change("options", option, *_shortened(before, after))
        for option, before, after in _common_items(old, new)
        if before != after
    ]


def _static_options(old: Signature, new: Signature) -> list[Change]:
    """The difference of the arguments that the jits make static, also of those that were not
    passed."""
    option = "static_argnames"
    before, after = (side.options.get(option, "none") for side in (old, new))
    is_other = bool(old.style) and bool(new.style) and before != after
    return [Change("options", option, before, after)] if is_other else []


def distance(found: Iterable[Change]) -> int:
    """Returns the distance of two calls with these changes. The nearest call gives the most likely
    reason."""
    return sum(_DISTANCES[change.kind] for change in found)


def _config(old: Signature, new: Signature) -> Iterator[Change]:
    if old.config != new.config:
        for flag, before, after in _common_items(old.config, new.config):
            if before != after:
                yield Change("config", flag, before, after)
    if old.mesh != new.mesh:
        yield Change("mesh", "", old.mesh or NO_MESH, new.mesh or NO_MESH)


def _style(old: Signature, new: Signature, whole: bool) -> Iterator[Change]:
    """The arguments that are passed in another way. The value of an omitted argument is its
    default, but JAX does not see defaults."""
    if not whole or old.style == new.style:
        return
    for argument in dict.fromkeys((*old.style, *new.style)):
        before = _passed(old.style.get(argument))
        after = _passed(new.style.get(argument))
        if before != after:
            yield Change("style", argument, before, after)


def _passed(style: str | None) -> Sentence:
    return sentence("left out" if style is None else f"by {style}")


def _presence(old: Signature, new: Signature) -> Iterator[Change]:
    """The arguments that only one of the calls passes."""
    for argument in dict.fromkeys((*old.style, *new.style)):
        if (argument in old.style) == (argument in new.style):
            continue
        if argument in old.defaults and argument in new.defaults:
            continue
        before, after = old.static_of(argument), new.static_of(argument)
        if before is not None and after is not None:
            yield from _static(argument, before, after)
        else:
            sides = _side(old, argument), _side(new, argument)
            yield Change(_kind_of_sides(*sides), argument, *_shortened(*sides))


def _side(signature: Signature, path: str) -> Words:
    """The text for a path in a call: an array's type, a static value, or nothing."""
    leaf, static = signature.leaves.get(path), signature.static_of(path)
    if leaf is not None:
        return _text(leaf)
    if signature.trees.get(path, LEAF) != LEAF:
        return signature.trees[path]
    if static is None:
        return ABSENT
    return static.text if static.text == NONE else f"{static.text}{STATIC}"


def _kind_of_sides(before: Words, after: Words) -> str:
    if NONE in (before, after):
        return "none"
    return "static" if STATIC in f"{before}{after}" else "pytree"


def _statics(
    old: Mapping[str, Static], new: Mapping[str, Static], redefined: Collection[str]
) -> Iterator[Change]:
    """The differences of static values. A value that differs only in a redefined class does not
    count."""
    for path, before, after in _common_items(old, new):
        same = before.text == after.text and before.type == after.type
        if not (same and any(one.key in redefined for one in after.classes)):
            yield from _static(path, before, after)
        else:
            found = _fields(path, before, after)
            yield from (change for change in found if not is_another(change))


def _static(path: str, before: Static, after: Static) -> Iterator[Change]:
    if before == after:
        return
    if before.text != after.text:
        yield Change("static", path, *_shortened(before.text, after.text))
    elif before.type != after.type:
        yield Change("static", path, f"{before.type} {before.text}", after.type)
    else:
        yield from list(_fields(path, before, after)) or [_unequal(path, after)]


def _unequal(path: str, static: Static) -> Change:
    """The change of a static argument to an unequal one with the same text."""
    if static.type in _FUNCTION_TYPES:
        text = f"function {static.text}"
        return Change("static", path, text, f"another {text}")
    if static.type in _BUILT_IN_TYPES:
        return Change("static", path, static.text, f"another {static.text}")
    return Change("static", path, static.text, f"another {static.text}, not equal to it")


def is_another(change: Change) -> bool:
    """True for a value with the same text that is not equal."""
    return str(change.after).startswith("another ")


def _fields(path: str, old: Static, new: Static) -> Iterator[Change]:
    """The fields of an object that differ, also within fields."""
    before, after = ({field.path: field for field in one.fields} for one in (old, new))
    for step in dict.fromkeys((*before, *after)):
        a, b = before.get(step), after.get(step)
        if a is None or b is None:
            yield Change("static", path + step, _field_text(a), _field_text(b))
        elif a.text != b.text:
            yield Change("static", path + step, *_shortened(a.text, b.text))
        elif a.digest != b.digest:
            yield Change("static", path + step, a.text, f"another {b.text}")


def _field_text(field: Field | None) -> Words:
    return ABSENT if field is None else field.text


def _array_or_static(old: Signature, new: Signature) -> Iterator[Change]:
    """The arguments that are an array in one call, and static or absent in the other. A variable's
    tags are omitted if only one call has the variable."""
    for path in dict.fromkeys((*old.statics, *new.statics)):
        if path in old.statics and path in new.statics:
            continue
        holder = path.rpartition(".")[0]
        if (holder in old.leaves) != (holder in new.leaves):
            continue
        static = new.statics.get(path) or old.statics[path]
        argument = _argument(path)
        shared = argument in old.style and argument in new.style
        is_side = any(path in one.leaves or path in one.trees for one in (old, new))
        if shared and (is_side or not static.is_field):
            sides = _side(old, path), _side(new, path)
            yield Change(_kind_of_sides(*sides), path, *_shortened(*sides))


def _leaves(old: Signature, new: Signature, whole: bool) -> Iterator[Change]:
    if old.leaves == new.leaves and old.trees == new.trees:
        return
    shared = [argument for argument in new.trees if argument in old.trees]
    nodes = [change for change in _changed_nodes(old, new) if _argument(change.where) in shared]
    yield from nodes
    explained = {_argument(change.where) for change in nodes}
    for path, before, after in _common_items(old.leaves, new.leaves):
        for change in _leaf(path, before, after):
            explained.add(_argument(path))
            yield change
    if not whole:
        return
    prefixes = tuple(change.where + step for change in nodes for step in ".[")
    for path in dict.fromkeys((*old.leaves, *new.leaves)):
        both = path in old.leaves and path in new.leaves
        argument = _argument(path)
        is_static = path in old.statics or path in new.statics
        if both or is_static or argument not in shared or path.startswith(prefixes):
            continue
        explained.add(argument)
        if path not in old.trees and path not in new.trees:
            yield Change("pytree", path, _side(old, path), _side(new, path))
    for path, before, after in _common_items(old.trees, new.trees):
        if before != after and _argument(path) not in explained:
            yield Change("pytree", path, *_shortened(before, after))


def _changed_nodes(old: Signature, new: Signature) -> Iterator[Change]:
    """The outermost nodes whose kind changed: a tuple in place of a list, of an array, or of None.
    If only the size of a node changed, its leaves differ."""
    if old.trees == new.trees:
        return
    prefixes: list[str] = []
    for path in sorted({**old.trees, **new.trees}, key=len):
        if path.startswith(tuple(prefixes)):
            continue
        before, after = _node(old, path), _node(new, path)
        one, other = (old, new) if after is None else (new, old)
        if before is not None and after is not None:
            is_other = _kind_of_node(before) != _kind_of_node(after)
        else:
            is_other = path in other.leaves or not _has_parts(one, path)
        if is_other and before != after:
            prefixes += [path + step for step in ".["]
            yield Change("pytree", path, *_shortened(_side(old, path), _side(new, path)))


def _node(signature: Signature, path: str) -> Words | None:
    """The kind of the node at a path; None if there is a leaf, or nothing."""
    text = signature.trees.get(path, LEAF)
    return None if text == LEAF else text


def _kind_of_node(node: Words) -> str:
    """`tuple` of `tuple of 2` and of `empty tuple`."""
    return str(node).removeprefix("empty ").partition(" of ")[0]


def _has_parts(signature: Signature, path: str) -> bool:
    starts = path + ".", path + "["
    return any(one.startswith(starts) for one in (*signature.leaves, *signature.trees))


def _leaf(path: str, old: Leaf, new: Leaf) -> Iterator[Change]:
    if old is new or old == new:
        return
    if "None" in (old.text, new.text):
        yield Change("none", path, _text(old), _text(new))
        return
    before, after = _text(old), _text(new)
    if old.weak == new.weak and old.dtype == new.dtype:
        before, after = before.partition(" ")[0], after.partition(" ")[0]
    if old.shape != new.shape:
        yield Change("shape", path, before, after)
    if old.dtype != new.dtype:
        yield Change("dtype", path, before, after)
    if old.weak != new.weak:
        yield Change("weak type", path, before, after)
    if old.spec != new.spec:
        yield Change("sharding", path, old.spec or NO_MESH, new.spec or NO_MESH)


def _text(leaf: Leaf) -> str:
    """A leaf's type. A weak type is followed by the Python type of the value, if known: `~f32[]
    (float)`."""
    if not leaf.weak:
        return leaf.text
    return f"~{leaf.text}" if leaf.python == TRACER else f"~{leaf.text} ({leaf.python})"


def _argument(path: str) -> str:
    ends = [end for end in (path.find("["), path.find(".")) if end > 0]
    return path[: min(ends)] if ends else path


def _common_items(
    old: Mapping[str, Value], new: Mapping[str, Value]
) -> Iterator[tuple[str, Value, Value]]:
    for path, after in new.items():
        if path in old:
            yield path, old[path], after


def _shortened(before: Words, after: Words) -> tuple[Words, Words]:
    """The two texts; long ones are cut around their first difference."""
    a, b = str(before), str(after)
    at = next((i for i, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), 0)
    start = 0 if max(len(a), len(b)) <= _LONGEST_TEXT else max(at - _LONGEST_TEXT // 2, 0)
    return _cut(before, start), _cut(after, start)


def _cut(text: Words, start: int) -> Words:
    if isinstance(text, Sentence):
        return text
    shown = text[start : start + _LONGEST_TEXT]
    return ("…" if start else "") + shown + ("…" if start + _LONGEST_TEXT < len(text) else "")
