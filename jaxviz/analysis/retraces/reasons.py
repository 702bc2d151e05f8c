"""What differs between two calls of one function, in the user's terms.

Each difference is a `schema.Change`: its kind, the argument, and what it was before and after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from jaxviz.schema import Change
from jaxviz.signature import Field, Leaf, Placement, Signature, Static

Value = TypeVar("Value")

_DISTANCES = {
    **dict.fromkeys(("weak type", "committed", "sharding", "device"), 1),
    **dict.fromkeys(("shape", "dtype", "options"), 2),
    **dict.fromkeys(("static", "config", "mesh", "none"), 3),
    **dict.fromkeys(("pytree", "style"), 6),
}
"""How far apart a change of each kind puts two calls."""
_FUNCTION_TYPES = frozenset(("function", "method", "builtin_function_or_method"))
_BUILT_IN_TYPES = frozenset(("str", "bytes", "int", "tuple", "frozenset"))
_LONGEST_TEXT = 60
"""Characters that are shown of a long text, around where it differs."""


def changes(old: Signature, new: Signature) -> list[Change]:
    """What differs of all that decides whether a function is traced again. Empty where nothing
    does, or where it is nothing that is known."""
    whole = bool(old.style) and bool(new.style)
    return [
        *_config(old, new),
        *(_style(old, new) if whole else ()),
        *_statics(old.statics, new.statics),
        *(_made_static(old, new) if whole else ()),
        *_leaves(old, new, whole),
    ]


def placement_changes(old: Mapping[str, Placement], new: Mapping[str, Placement]) -> list[Change]:
    """How the arguments' places differ, by path: what decides whether a program that is traced is
    lowered and compiled again."""
    found: list[Change] = []
    for path, before, after in _in_both(old, new):
        if before.committed != after.committed:
            found.append(Change("committed", path, _state(before), _state(after)))
        elif before.committed and before.devices != after.devices:
            found.append(Change("device", path, before.devices, after.devices))
        elif before.committed and before.sharding != after.sharding:
            found.append(Change("sharding", path, before.sharding, after.sharding))
    return found


def _state(placement: Placement) -> str:
    """An argument that is not committed to a device is moved to where the others are."""
    return f"committed to {placement.devices}" if placement.committed else "uncommitted"


def option_changes(old: Mapping[str, str], new: Mapping[str, str]) -> list[Change]:
    """How what was asked of `jax.jit` differs, such as donation."""
    return [
        Change("options", option, *_apart(before, after))
        for option, before, after in _in_both(old, new)
        if before != after
    ]


def distance(found: Iterable[Change]) -> int:
    """How far two calls are apart that differ so: the nearest one is the likeliest reason."""
    return sum(_DISTANCES[change.kind] for change in found)


def _config(old: Signature, new: Signature) -> Iterator[Change]:
    if old.config != new.config:
        for flag, before, after in _in_both(old.config, new.config):
            if before != after:
                yield Change("config", flag, before, after)
    if old.mesh != new.mesh:
        yield Change("mesh", "", old.mesh or "no mesh", new.mesh or "no mesh")


def _style(old: Signature, new: Signature) -> Iterator[Change]:
    """How arguments are passed. One that is left out now is a change, too: JAX does not see
    defaults."""
    if old.style == new.style:
        return
    for argument in dict.fromkeys((*old.style, *new.style)):
        before = _passed(old.style.get(argument))
        after = _passed(new.style.get(argument))
        if before != after:
            yield Change("style", argument, before, after)


def _passed(style: str | None) -> str:
    return "left out" if style is None else f"by {style}"


def _statics(old: Mapping[str, Static], new: Mapping[str, Static]) -> Iterator[Change]:
    for path, before, after in _in_both(old, new):
        if before == after:
            continue
        if before.text != after.text:
            yield Change("static", path, *_apart(before.text, after.text))
        elif before.type != after.type:
            yield Change("static", path, f"{before.type} {before.text}", after.type)
        else:
            yield from list(_fields(path, before, after)) or [_another(path, after)]


def _another(path: str, static: Static) -> Change:
    """The change of a static argument to one that reads the same and is not equal."""
    if static.type in _FUNCTION_TYPES:
        text = f"function {static.text}"
        return Change("static", path, text, f"another {text}")
    if static.type in _BUILT_IN_TYPES:
        return Change("static", path, static.text, f"another {static.text}")
    return Change("static", path, static.text, f"another {static.text}, not equal to it")


def _fields(path: str, old: Static, new: Static) -> Iterator[Change]:
    """The fields of an object that differ; of a field that is an object itself, the fields in it,
    too."""
    before, after = ({field.path: field for field in one.fields} for one in (old, new))
    for step in dict.fromkeys((*before, *after)):
        a, b = before.get(step), after.get(step)
        if a is None or b is None:
            yield Change("static", path + step, _of_field(a), _of_field(b))
        elif a.text != b.text:
            yield Change("static", path + step, *_apart(a.text, b.text))
        elif a.digest != b.digest:
            yield Change("static", path + step, a.text, f"another {b.text}")


def _of_field(field: Field | None) -> str:
    return "absent" if field is None else field.text


def _made_static(old: Signature, new: Signature) -> Iterator[Change]:
    """The arguments that were traced and are static now, or the other way about. A traced argument
    may stand among the statics as well, with what it holds beside arrays."""
    for path, after in new.statics.items():
        if path in old.trees and path not in new.trees:
            yield Change("static", path, _traced(old, path), after.text)
    for path, before in old.statics.items():
        if path in new.trees and path not in old.trees:
            yield Change("static", path, before.text, _traced(new, path))


def _traced(signature: Signature, path: str) -> str:
    leaf = signature.leaves.get(path)
    return "traced" if leaf is None else f"traced {leaf.text}"


def _leaves(old: Signature, new: Signature, whole: bool) -> Iterator[Change]:
    if old.leaves == new.leaves and old.trees == new.trees:
        return
    shared = [argument for argument in new.trees if argument in old.trees]
    explained: set[str] = set()
    for path, before, after in _in_both(old.leaves, new.leaves):
        for change in _leaf(path, before, after):
            explained.add(_argument(path))
            yield change
    if not whole:
        return
    for path in dict.fromkeys((*old.leaves, *new.leaves)):
        both = path in old.leaves and path in new.leaves
        if not both and _argument(path) in shared:
            explained.add(_argument(path))
            yield Change("pytree", path, _text(old.leaves.get(path)), _text(new.leaves.get(path)))
    for argument in shared:
        if old.trees[argument] != new.trees[argument] and _argument(argument) not in explained:
            yield Change("pytree", argument, *_apart(old.trees[argument], new.trees[argument]))


def _leaf(path: str, old: Leaf, new: Leaf) -> Iterator[Change]:
    if old is new or old == new:
        return
    if "None" in (old.text, new.text):
        yield Change("none", path, old.text, new.text)
        return
    before, after = old.text, new.text
    if old.weak != new.weak:
        before, after = _origin(old), _origin(new)
    if old.shape != new.shape:
        yield Change("shape", path, before, after)
    if old.dtype != new.dtype:
        yield Change("dtype", path, before, after)
    if old.weak != new.weak:
        yield Change("weak type", path, before, after)
    if old.spec != new.spec:
        yield Change("sharding", path, old.spec or "no mesh", new.spec or "no mesh")


def _origin(leaf: Leaf) -> str:
    """A weak type with where it is from: `~f32[] (float)`."""
    return f"~{leaf.text} ({leaf.python})" if leaf.weak else leaf.text


def _text(leaf: Leaf | None) -> str:
    return "absent" if leaf is None else leaf.text


def _argument(path: str) -> str:
    """The argument that a path begins with."""
    ends = [end for end in (path.find("["), path.find(".")) if end > 0]
    return path[: min(ends)] if ends else path


def _in_both(
    old: Mapping[str, Value], new: Mapping[str, Value]
) -> Iterator[tuple[str, Value, Value]]:
    for path, after in new.items():
        if path in old:
            yield path, old[path], after


def _apart(before: str, after: str) -> tuple[str, str]:
    """Two texts; long ones from a little before where they differ."""
    at = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    start = 0 if max(len(before), len(after)) <= _LONGEST_TEXT else max(at - _LONGEST_TEXT // 2, 0)
    return _cut(before, start), _cut(after, start)


def _cut(text: str, start: int) -> str:
    shown = text[start : start + _LONGEST_TEXT]
    return ("…" if start else "") + shown + ("…" if start + _LONGEST_TEXT < len(text) else "")
