"""Pytrees of another structure: a reason names the node that differs, as the reader wrote it."""

from __future__ import annotations

from .program import written

STEP = """
@jax.jit
def step(tree):  #= step
    ran.append("step")
    return total(tree)
# watch
"""


def once(before: str, after: str, why: str, cause: str, setup: str = "") -> str:
    """Two calls; the second has another structure."""
    return f"""{setup}{STEP}
step({before})  #> step: first
step({after})  #> step: {why}
step({after})
#~ step: {cause}"""


NAMED = """
import typing
class Pair(typing.NamedTuple):
    a: object
    b: object = None
class Couple(typing.NamedTuple):
    a: object
    b: object = None
"""
NODE = """
import dataclasses
@jax.tree_util.register_dataclass
@dataclasses.dataclass
class State:
    a: object
    b: object = None
"""
DICTS = "import collections"

STRUCTURES = {
    "a list, then a tuple": once(
        "[x8, one]",
        "(x8, one)",
        "pytree tree list of 2→tuple of 2 => keep the structure of tree the same from call to call",
        "tree: list of 2 → tuple of 2",
    ),
    "a tuple, then a list": once(
        "(x8,)", "[x8]", "pytree tree tuple of 1→list of 1", "tree: tuple of 1 → list of 1"
    ),
    "an array, then a tuple": once(
        "x8",
        "(x8, one)",
        "pytree tree f32[8,4]→tuple of 2",
        "tree: f32[8,4] → tuple of 2",
    ),
    "a dict, then an array": once(
        "{'a': x8}", "x8", "pytree tree dict→f32[8,4]", "tree: dict → f32[8,4]"
    ),
    "a dict, then a tuple": once(
        "{'a': x8}", "(x8,)", "pytree tree dict→tuple of 1", "tree: dict → tuple of 1"
    ),
    "None, then a tuple": once(
        "{'a': None, 'b': x8}",
        "{'a': (x8, x8), 'b': x8}",
        "pytree tree['a'] None→tuple of 2",
        "tree['a']: None → tuple of 2",
    ),
    "a tuple, then None": once(
        "{'a': (x8, x8), 'b': x8}",
        "{'a': None, 'b': x8}",
        "pytree tree['a'] tuple of 2→None",
        "tree['a']: tuple of 2 → None",
    ),
    "None, then an array": once(
        "[x8, None]", "[x8, x8]", "none tree[1] None→f32[8,4]", "tree[1]: None → f32[8,4]"
    ),
    "None, then a dict": once("None", "{'a': x8}", "pytree tree None→dict", "tree: None → dict"),
    "one element more": once(
        "(x8, x8)", "(x8, x8, one)", "pytree tree[2] absent→f32[]", "tree[2]: absent → f32[]"
    ),
    "one element less": once(
        "[x8, one]", "[x8]", "pytree tree[1] f32[]→absent", "tree[1]: f32[] → absent"
    ),
    "another key": once(
        "{'a': x8, 'b': one}",
        "{'a': x8, 'c': one}",
        "pytree tree['b'] f32[]→absent + pytree tree['c'] absent→f32[]",
        "tree['b']: f32[] → absent; tree['c']: absent → f32[]",
    ),
    "a key within a dict": once(
        "{'p': {'w': x8}}",
        "{'p': {'w': x8, 'b': one}}",
        "pytree tree['p']['b'] absent→f32[]",
        "tree['p']['b']: absent → f32[]",
    ),
    "a list within a dict": once(
        "{'a': [x8], 'b': x8}",
        "{'a': (x8,), 'b': x8}",
        "pytree tree['a'] list of 1→tuple of 1",
        "tree['a']: list of 1 → tuple of 1",
    ),
    "deep within": once(
        "{'p': [{'w': (x8,)}, x8]}",
        "{'p': [{'w': [x8]}, x8]}",
        "pytree tree['p'][0]['w'] tuple of 1→list of 1",
        "tree['p'][0]['w']: tuple of 1 → list of 1",
    ),
    "two places": once(
        "{'a': [x8], 'b': [x8]}",
        "{'a': (x8,), 'b': (x8,)}",
        "pytree tree['a'] list of 1→tuple of 1 + pytree tree['b'] list of 1→tuple of 1",
        "tree['a'], tree['b']: list of 1 → tuple of 1",
    ),
    "a list and a shape": once(
        "[x8]",
        "(x16,)",
        "pytree tree list of 1→tuple of 1 + shape tree[0] f32[8,4]→f32[16,4]",
        "tree: list of 1 → tuple of 1; tree[0]: f32[8→16, 4]",
    ),
    "nothing in it": once(
        "[x8, ()]",
        "[x8, []]",
        "pytree tree[1] empty tuple→empty list",
        "tree[1]: empty tuple → empty list",
    ),
    "an empty dict more": once(
        "{'a': x8}",
        "{'a': x8, 'b': {}}",
        "pytree tree['b'] absent→empty dict",
        "tree['b']: absent → empty dict",
    ),
    "a dict that was empty": once(
        "{}", "{'a': x8}", "pytree tree['a'] absent→f32[8,4]", "tree['a']: absent → f32[8,4]"
    ),
    "a tuple that was empty": once(
        "((), x8)",
        "((x8,), x8)",
        "pytree tree[0][0] absent→f32[8,4]",
        "tree[0][0]: absent → f32[8,4]",
    ),
    "a NamedTuple, then a tuple": once(
        "Pair(x8, x8)",
        "(x8, x8)",
        "pytree tree Pair→tuple of 2",
        "tree: Pair → tuple of 2",
        NAMED,
    ),
    "a NamedTuple, then another": once(
        "Pair(x8, x8)", "Couple(x8, x8)", "pytree tree Pair→Couple", "tree: Pair → Couple", NAMED
    ),
    "a NamedTuple's None": once(
        "Pair(x8)", "Pair(x8, x8)", "none tree.b None→f32[8,4]", "tree.b: None → f32[8,4]", NAMED
    ),
    "a NamedTuple's field": once(
        "Pair(x8, [x8])",
        "Pair(x8, (x8,))",
        "pytree tree.b list of 1→tuple of 1",
        "tree.b: list of 1 → tuple of 1",
        NAMED,
    ),
    "a dataclass, then a dict": once(
        "State(x8, x8)",
        "{'a': x8, 'b': x8}",
        "pytree tree State→dict",
        "tree: State → dict",
        NODE,
    ),
    "a dataclass within a list": once(
        "[State(x8, x8)]",
        "[(x8, x8)]",
        "pytree tree[0] State→tuple of 2",
        "tree[0]: State → tuple of 2",
        NODE,
    ),
    "an OrderedDict": once(
        "{'a': x8}",
        "collections.OrderedDict(a=x8)",
        "pytree tree dict→OrderedDict of 'a'",
        "tree: dict → OrderedDict of 'a'",
        DICTS,
    ),
    "an OrderedDict in another order": once(
        "collections.OrderedDict(a=x8, b=x8)",
        "collections.OrderedDict(b=x8, a=x8)",
        "pytree tree OrderedDict of 'a', 'b'→OrderedDict of 'b', 'a'",
        "tree: OrderedDict of 'a', 'b' → OrderedDict of 'b', 'a'",
        DICTS,
    ),
    "an OrderedDict's new key": once(
        "collections.OrderedDict(a=x8)",
        "collections.OrderedDict(a=x8, b=one)",
        "pytree tree['b'] absent→f32[]",
        "tree['b']: absent → f32[]",
        DICTS,
    ),
    "a defaultdict": once(
        "{'a': x8}",
        "collections.defaultdict(list, a=x8)",
        "pytree tree dict→defaultdict(list)",
        "tree: dict → defaultdict(list)",
        DICTS,
    ),
}

PROGRAMS = written("another structure", STRUCTURES)
