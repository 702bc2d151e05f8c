"""The reason of a retrace says what changed between two calls, and what to do about it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from jaxviz.analysis.retraces.reasons import changes, option_changes, placement_changes
from jaxviz.analysis.retraces.retrace_texts import NO_EVIDENCE, Evidence, hint, reason_text
from jaxviz.schema import Change, Words
from jaxviz.schema.signature import Leaf, Placement, Signature, Static


def leaf(text: str, *, weak: bool = False, python: str = "Array") -> Leaf:
    dtype, _, shape = text.rstrip("]").partition("[")
    return Leaf(text=text, shape=shape, dtype=dtype, weak=weak, spec="", python=python)


def signature(
    leaves: dict[str, Leaf],
    *,
    trees: dict[str, Words] | None = None,
    statics: dict[str, Static] | None = None,
    style: dict[str, str] | None = None,
    config: dict[str, str] | None = None,
    mesh: str = "",
) -> Signature:
    roots = {path.partition("[")[0] for path in leaves}
    return Signature(
        leaves=leaves,
        trees=trees or dict.fromkeys(roots, "*"),
        statics=statics or {},
        style=style or dict.fromkeys((*roots, *(statics or {})), "position"),
        config=config or {},
        mesh=mesh,
    )


def found(old: Signature, new: Signature) -> list[tuple[str, str, str, str]]:
    return [(c.kind, c.where, str(c.before), str(c.after)) for c in changes(old, new)]


X = leaf("f32[8,32]")


def number(text: str) -> Leaf:
    return leaf(text, weak=True, python="float")


def test_nothing_changed() -> None:
    assert found(signature({"x": X}), signature({"x": X})) == []
    assert found(signature({"x": X}), signature({"x": leaf("f32[8,32]", python="ndarray")})) == []


def test_each_leaf_that_changed() -> None:
    old = signature({"p['a']": X, "p['b']": X, "y": X})
    new = signature({"p['a']": leaf("f32[5,32]"), "p['b']": X, "y": leaf("i32[8,16]")})
    assert found(old, new) == [
        ("shape", "p['a']", "f32[8,32]", "f32[5,32]"),
        ("shape", "y", "f32[8,32]", "i32[8,16]"),
        ("dtype", "y", "f32[8,32]", "i32[8,16]"),
    ]
    assert reason_text(changes(old, new)) == "p['a']: f32[8→5, 32]; y: f32→i32[8, 32→16]"


def test_a_weak_type_is_part_of_what_a_leaf_became() -> None:
    old = signature({"x": X, "y": leaf("f32[]"), "z": leaf("f32[]")})
    new = signature({"x": number("f32[]"), "y": number("i32[]"), "z": number("f32[]")})
    assert reason_text(changes(old, new)) == (
        "x: f32[8,32] → ~f32[] (float); y: f32[] → ~i32[] (float); z: f32[] → ~f32[] (float)"
    )


def test_an_argument_that_was_left_out() -> None:
    old, new = signature({"x": X}), signature({"x": X, "y": X})
    assert found(old, new) == [("pytree", "y", "absent", "f32[8,32]")]
    two = Static("int", "2", 2)
    assert found(replace(old, defaults={"y": two}), new) == [
        ("static", "y", "2 (static)", "f32[8,32]")
    ]
    passed = replace(signature({"x": X}, statics={"y": two}), defaults={"y": two})
    assert found(replace(old, defaults={"y": two}), passed) == [
        ("style", "y", "left out", "by position")
    ]


def test_a_leaf_more_and_a_leaf_less() -> None:
    old = signature({"p['a']": X}, trees={"p": "dict"})
    new = signature({"p['b']": X}, trees={"p": "dict"})
    assert found(old, new) == [
        ("pytree", "p['a']", "f32[8,32]", "absent"),
        ("pytree", "p['b']", "absent", "f32[8,32]"),
    ]


def test_a_long_text_is_shown_where_it_differs() -> None:
    long = "Config(" + "a=1, " * 60
    old = signature({"x": X}, statics={"c": Static("Config", f"{long}b=1)", 1)})
    new = signature({"x": X}, statics={"c": Static("Config", f"{long}b=2)", 2)})
    ((kind, where, before, after),) = found(old, new)
    assert (kind, where) == ("static", "c")
    assert (before[0], before[-4:], after[-4:]) == ("…", "b=1)", "b=2)")
    assert len(before) <= 62


def test_equal_texts_of_unequal_objects() -> None:
    old = signature({"x": X}, statics={"c": Static("Config", "Config", 1)})
    new = signature({"x": X}, statics={"c": Static("Config", "Config", 2)})
    assert found(old, new) == [("static", "c", "Config", "another Config, not equal to it")]
    assert "__eq__" in hint(changes(old, new), Evidence(statics=new.statics)).text


def test_settings_and_mesh() -> None:
    old = signature({"x": X}, config={"jax_enable_x64": "False"})
    new = signature({"x": X}, config={"jax_enable_x64": "True"}, mesh="mesh data=8")
    assert found(old, new) == [
        ("config", "jax_enable_x64", "False", "True"),
        ("mesh", "", "no mesh", "mesh data=8"),
    ]


def test_where_an_uncommitted_argument_lies_is_no_matter() -> None:
    here, there = Placement("cpu:0", "", True), Placement("cpu:1", "", True)
    loose, looser = Placement("cpu:0", "", False), Placement("", "", False)
    assert placement_changes({"x": loose}, {"x": looser}) == []
    (moved,) = placement_changes({"x": here}, {"x": there})
    assert (moved.kind, moved.before, moved.after) == ("device", "cpu:0", "cpu:1")
    (bound,) = placement_changes({"x": looser}, {"x": there})
    assert (bound.kind, bound.after) == ("committed", "committed to cpu:1")


def test_options_of_jit() -> None:
    (change,) = option_changes({"donated_invars": "none"}, {"donated_invars": "0"})
    assert (change.kind, change.where, change.after) == ("options", "donated_invars", "0")


LOOP = Evidence(looped=True, here=True, types={"x": 2})
"""The same line in a loop, with another type than before."""
MANY = LOOP._replace(types={"x": 3})
OWN = Evidence(statics={"x": Static("Config", "Config", 1)})
OF_OPTAX = Evidence(statics={"x": Static("Tx", "Tx", 1, package="optax")})
SAME = "pass the same object for x every time"
SAME_KEY = "make the random key x the same way every time"
LAST = "if this is a smaller last batch, pad it to the size of the others, or drop it"
FEW = "pad x to one of a few sizes"
HOIST = "move the jit out of the loop, and reuse the function it returns"
ONCE = "make the jitted function once, and reuse it"
BODY = "define the function once, and pass the same one every time"
LOST = "give x __eq__ and __hash__, or pass the same object every time"

AS_ARRAY = (
    "each value of x makes its own program; pass it as an array, unless a shape or a loop needs it"
)

TRUTH: list[tuple[str, str, str, Evidence, str]] = [
    # One smaller batch at a line in a loop; nothing of that elsewhere, or of a larger one.
    ("shape", "f32[8,32]", "f32[5,32]", LOOP, LAST),
    ("shape", "key<fry>[4]", "key<fry>[3]", LOOP, LAST),
    ("shape", "f32[8,32]", "f32[5,32]", LOOP._replace(looped=False), ""),
    ("shape", "f32[8,32]", "f32[5,32]", LOOP._replace(here=False), ""),
    ("shape", "f32[8,32]", "f32[5,32]", NO_EVIDENCE, ""),
    ("shape", "f32[5,32]", "f32[8,32]", LOOP, ""),
    ("shape", "f32[8,32]", "f32[8,16]", LOOP, ""),
    ("shape", "f32[n,2]", "f32[2·n,2]", LOOP, ""),
    # Many sizes at a line in a loop.
    ("shape", "f32[5,32]", "f32[8,32]", MANY, FEW),
    ("shape", "f32[8,32]", "f32[5,32]", MANY, FEW),
    ("shape", "f32[8,32]", "f32[8,16]", MANY, FEW),
    ("shape", "f32[8,32]", "f32[5,32]", MANY._replace(looped=False), ""),
    # Another number of dimensions is not padded away.
    ("shape", "f32[4]", "f32[]", LOOP, ""),
    ("shape", "f32[8,32]", "f32[8]", MANY, ""),
    ("shape", "f32[]", "f32[]", LOOP, ""),
    # A function made anew: by one line, more than once.
    ("function", "", "", NO_EVIDENCE, ""),
    ("function", "", "", Evidence(looped=True, new_objects=1), ""),
    ("function", "", "", Evidence(looped=True, new_objects=2), HOIST),
    ("function", "", "", Evidence(looped=False, new_objects=2), ONCE),
    ("function", "", "", Evidence(looped=True, new_objects=2, body=True), BODY),
    # What the reason itself shows.
    ("dtype", "f32[8]", "i32[8]", NO_EVIDENCE, "convert x to one dtype before the call"),
    ("dtype", "key<fry>[]", "key<rbg>[]", NO_EVIDENCE, SAME_KEY),
    ("shape", "u32[2]", "key<fry>[]", NO_EVIDENCE, SAME_KEY),
    (
        *("weak type", "~f32[] (float)", "f32[]", NO_EVIDENCE),
        "pass jnp.float32(…) for x every time, not a Python number",
    ),
    (
        *("weak type", "i32[]", "~i32[] (int)", NO_EVIDENCE),
        "pass jnp.int32(…) for x every time, not a Python number",
    ),
    (
        *("weak type", "~f32[3] (Array)", "f32[3]", NO_EVIDENCE),
        "give x a dtype of its own: .astype(jnp.float32)",
    ),
    ("style", "by position", "by keyword", NO_EVIDENCE, "pass `x` the same way every time"),
    ("static", "2", "3", NO_EVIDENCE, AS_ARRAY),
    ("static", "True", "False", NO_EVIDENCE, "each value of x makes its own program"),
    (
        "static",
        "str of 40 characters",
        "another str of 40 characters",
        NO_EVIDENCE,
        "each value of x makes its own program",
    ),
    ("static", "Config", "another Config, not equal to it", OWN, LOST),
    (
        "static",
        "Tx",
        "another Tx, not equal to it",
        OF_OPTAX,
        "pass the same object for x every time",
    ),
    (
        "static",
        "function f",
        "another function f",
        NO_EVIDENCE,
        "define x once, and pass the same function every time",
    ),
    ("first", "", "", LOOP, ""),
    ("unknown", "", "", LOOP, ""),
]


@pytest.mark.parametrize(("kind", "before", "after", "evidence", "expected"), TRUTH)
def test_a_fix_needs_evidence(
    kind: str, before: str, after: str, evidence: Evidence, expected: str
) -> None:
    assert hint([Change(kind, "x", before, after)], evidence).text == expected


def test_a_field_of_a_static_argument_cannot_be_passed_as_an_array() -> None:
    said = hint([Change("static", "config.n", "2", "3")]).text
    assert said == "each value of config.n makes its own program"


def test_a_mode_is_not_to_be_passed_as_an_array() -> None:
    said = hint([Change("static", "mode", "'train'", "'eval'")]).text
    assert said == "each value of mode makes its own program"


def test_an_array_cannot_be_made_static() -> None:
    said = [hint([Change("none", x, "None", "i32[]")]).text for x in ("x", "x.n")]
    assert said == ["pass an array for x every time", "pass an array for x.n every time"]


def test_no_hint_without_a_reason() -> None:
    assert hint([]).text == ""
