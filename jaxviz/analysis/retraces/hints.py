"""Says what to do about each reason, in one line of text.

A hint is given only if the log has the evidence for it; else the reason stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from jaxviz.analysis.retraces.made_anew import JITS, Made
from jaxviz.analysis.retraces.reason_texts import dimensions
from jaxviz.schema import Change
from jaxviz.signature import Static

HINTS_BY_KIND = {
    "style": "pass {where} the same way every time",
    "none": "pass an array for {where} every time",
    "pytree": "keep the structure of {where} the same from call to call",
    "config": "set {where} once, before the first call",
    "committed": "put {where} on its device once, with jax.device_put, before the first call",
    "device": "keep {where} on one device",
    "sharding": "give {where} one sharding, with jax.device_put, before the first call",
    "mesh": "call it under one mesh",
    "options": "make the jit once: another one with other options is another program",
    "cleared": "do not clear JAX's caches between calls",
}
"""What to do about a change of each kind, where that needs no evidence."""
EACH = "each value of {where} is a program of its own"
_NUMBER = re.compile(r"-?\d[\d_.]*(?:e[+-]?\d+)?")
_PYTHON = re.compile(r"~.* \((int|float|complex)\)")
_NO_FIELDS: Mapping[str, Static] = {}
_NO_TYPES: Mapping[str, int] = {}
_NOTHING_MADE: Mapping[str, Made] = {}


class Evidence(NamedTuple):
    """What else is known of the line at which a function was traced again."""

    looped: bool = False
    """The line stands in a loop, or a line that called it does."""
    here: bool = False
    """The earlier trace that the reason compares with came from the same line."""
    types: Mapping[str, int] = _NO_TYPES
    """How many types each argument that changed has had at this line, this one included."""
    anew: int = 0
    """How often the function object replaced one that was gone, at this line and this time
    included."""
    body: bool = False
    """The function is the body of a loop or branch outside of jit: `step (scan)`."""
    statics: Mapping[str, Static] = _NO_FIELDS
    """The static values of the call, by path."""
    declared: frozenset[str] = frozenset()
    """The arguments that `static_argnums` or `static_argnames` made static in one of the calls."""
    made: Mapping[str, Made] = _NOTHING_MADE
    """Where the reader's code makes the static values that are never equal, by path."""
    jit: Made | None = None
    """The jit that the line makes for this call alone."""


NO_EVIDENCE = Evidence()


def hint(reason: Sequence[Change], evidence: Evidence = NO_EVIDENCE) -> str:
    """What to do about a reason: a hint for all arguments with the same change. Empty if there is
    nothing to do, or nothing is known."""
    wheres: dict[str, list[str]] = {}
    for change in reason:
        found = _hint(change, evidence)
        if found and change.where not in wheres.setdefault(found, []):
            wheres[found].append(change.where)
    return "; ".join(found.format(where=", ".join(where)) for found, where in wheres.items())


def _hint(change: Change, evidence: Evidence) -> str:
    """What to do about one change, with `{where}` for the arguments."""
    if _is_another_kind_of_key(change):
        return "make the random key {where} the same way every time"
    if change.kind == "shape":
        return _of_shape(change, evidence)
    if change.kind == "function":
        return _of_function(evidence)
    if change.kind == "class":
        return _escaped(_of_class(change, evidence))
    if change.kind == "dtype":
        return _of_dtype(change)
    if change.kind == "weak type":
        return _of_weak_type(change)
    if change.kind == "static":
        return _of_static(change, evidence)
    return HINTS_BY_KIND.get(change.kind, "")


def _escaped(text: str) -> str:
    """A text without a place for arguments."""
    return text.replace("{", "{{").replace("}", "}}")


def _is_another_kind_of_key(change: Change) -> bool:
    """A key of `jax.random.key` in place of one of `PRNGKey`, or of another implementation."""
    types = {text.partition("[")[0] for text in (change.before, change.after)}
    return len(types) == 2 and any(one.startswith("key<") for one in types)


_MANY_TYPES = 3
"""Types of one argument at one line from which padding to a few sizes is the advice."""


def _of_shape(change: Change, evidence: Evidence) -> str:
    """A hint only for sizes that change at one line in a loop: not for another rank."""
    before, after = dimensions(change.before), dimensions(change.after)
    if not before or len(before) != len(after) or not (evidence.looped and evidence.here):
        return ""
    if evidence.types.get(change.where, 1) >= _MANY_TYPES:
        return "pad {where} to one of a few sizes"
    sizes = before[0], after[0]
    smaller = all(size.isdecimal() for size in sizes) and int(after[0]) < int(before[0])
    if smaller and before[1:] == after[1:]:
        return "if this is a smaller last batch, pad it to the size of the others, or drop it"
    return ""


def advises_padding(text: str) -> bool:
    """Whether a hint is one of `_of_shape`."""
    return "pad " in text


def _of_function(evidence: Evidence) -> str:
    if evidence.jit is not None:
        return _escaped(_made_anew(evidence.jit, _once(evidence.jit, evidence, False)))
    if evidence.anew < 2:
        return ""
    if evidence.body:
        return "define the function once, and pass the same one every time"
    if evidence.looped:
        return "hoist the jit out of the loop, and keep the function it made"
    return "make the jitted function once, and keep it"


def _of_class(change: Change, evidence: Evidence) -> str:
    """If its cell ran again, the class was in another run of a cell before."""
    if change.before != change.after and change.after.startswith("cell"):
        return f"run the cell of `{change.where}` again only if you changed it"
    above = ", above the loop" if evidence.looped else ""
    return f"define `{change.where}` once{above}"


def _of_dtype(change: Change) -> str:
    """Python numbers of two types are not converted, but written as one."""
    if _is_another_rank(change):
        return ""
    before, after = _PYTHON.fullmatch(change.before), _PYTHON.fullmatch(change.after)
    if before and after:
        types = ("int", "float", "complex")
        wider = max(before[1], after[1], key=types.index)
        return f"pass {{where}} as {wider} every time"
    return "convert {where} to one dtype before the call"


def _is_another_rank(change: Change) -> bool:
    """No dtype makes a number and an array of some size one type. A type may be followed by where
    it is from: `~f32[3] (array)`."""
    before, after = (text.partition(" ")[0] for text in (change.before, change.after))
    return len(dimensions(before)) != len(dimensions(after))


def _of_weak_type(change: Change) -> str:
    if _is_another_rank(change):
        return ""
    weak = change.before if change.before.startswith("~") else change.after
    strong = change.after if weak is change.before else change.before
    dtype = _DTYPE_NAMES.get(strong.partition("[")[0])
    if "(float)" in weak or "(int)" in weak or "(complex)" in weak:
        made = f"jnp.{dtype}(…)" if dtype else "a jnp scalar"
        return f"pass {made} for {{where}} every time, not a Python number"
    if weak.endswith("[]"):  # traced outside of a call: a Python number, or a scalar
        return f"give {{where}} a dtype of its own: {_short(dtype)}(…)"
    return f"give {{where}} a dtype of its own: .astype({_short(dtype)})"


_DTYPE_NAMES = {
    **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
    "bf16": "bfloat16",
    "c64": "complex64",
    "c128": "complex128",
}


def _short(dtype: str | None) -> str:
    return f"jnp.{dtype}" if dtype else "…"


def _of_static(change: Change, evidence: Evidence) -> str:
    if change.after.startswith("another "):
        return _of_another(change, evidence)
    sides = change.before, change.after
    if any(side.endswith(" (static)") for side in sides):
        if change.where in evidence.declared:
            return HINTS_BY_KIND["options"]
        return "" if "absent" in sides else "pass {where} as an array every time"
    if not all(map(_NUMBER.fullmatch, sides)):
        return EACH
    needed = "unless a shape or a loop needs it"
    if change.where.isidentifier():
        return f"{EACH}; pass it as an array, {needed}"
    static = evidence.statics.get(change.where)
    is_private = change.where.rpartition(".")[2].startswith("_")
    if static is None or is_private:  # a part of a static object, or a library's own field
        return EACH
    if static.is_field:
        return f"{EACH}; make it a data field with an array, {needed}"
    return f"{EACH}; make it an array, jnp.asarray(…), {needed}"


def _of_another(change: Change, evidence: Evidence) -> str:
    """A value that reads the same and is not equal: where it is made, and what to do there."""
    static, made = evidence.statics.get(change.where), evidence.made.get(change.where)
    is_function = change.after.startswith("another function ")
    is_readers = static is not None and static.package == "" and not is_function
    if made is None:
        if is_function:
            return "define {where} once, and pass the same function every time"
        if not change.after.endswith(", not equal to it"):
            return EACH
        if is_readers:
            return "give {where} __eq__ and __hash__, or pass the same object every time"
        return "pass the same object for {where} every time"
    if made.in_class and made.name in JITS:
        field = change.where.rpartition(".")[2]
        rest = "outside of the class" if made.of == "lambda" else ""
        once = f"jit it once, {rest or 'or keep the plain function'}"
        return _escaped(f"`{field}` is jitted anew in {made.line}: {once}")
    return _escaped(_made_anew(made, _once(made, evidence, is_readers)))


def _made_anew(made: Made, once: str) -> str:
    return f"`{made.name}` is made anew in {made.line}: {once}"


def _once(made: Made, evidence: Evidence, is_readers: bool) -> str:
    once = f"{'define' if made.kind == 'function' else 'make'} it once"
    if made.in_class:
        return f"{once}, outside of the class"
    above = f"{once}, above the loop" if evidence.looped else once
    if is_readers and made.kind == "call":
        return f"{above}, or give it __eq__ and __hash__"
    return above if evidence.looped else f"{once}, and pass the same one every time"
