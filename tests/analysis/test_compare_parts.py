"""The parts of a comparison: sequences are aligned, and types and params hold both sides."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from samples import floats

from jaxviz import schema
from jaxviz.analysis.compare import sequences
from jaxviz.analysis.compare.eqn_differences import merged_params
from jaxviz.analysis.compare.merged_variables import merged_aval

KEYS = st.lists(st.integers(0, 4), max_size=9)


@given(KEYS, KEYS)
def test_a_common_subsequence_is_a_longest_one(before: list[int], after: list[int]) -> None:
    found = sequences.common(before, after)
    assert is_alignment(found, before, after)
    assert found == sequences.few_edits(before, after)
    longest = next(
        length
        for length in range(len(before), -1, -1)
        if any(is_within([*part], after) for part in combinations(before, length))
    )
    assert len(found) == longest


@given(KEYS, KEYS, st.booleans())
def test_anchors_never_cross(before: list[int], after: list[int], often: bool) -> None:
    assert is_alignment(sequences.anchors(before, after, often), before, after)


def is_alignment(pairs: sequences.Pairs, before: list[int], after: list[int]) -> bool:
    rising = all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))
    return rising and all(before[a] == after[b] for a, b in pairs)


def is_within(part: list[int], whole: list[int]) -> bool:
    rest = iter(whole)
    return all(one in rest for one in part)


def test_sequences_that_have_nothing_in_common_are_given_up() -> None:
    before, after = [*range(5_000)], [*range(5_000, 10_000)]
    assert sequences.common([1, 2, *before], [1, 2, *after])[:2] == [(0, 0), (1, 1)]
    assert sequences.few_edits([1, 2, *before], [1, 2, *after]) == []


def aval(text: str, *, weak: bool = False, sharding: str | None = None) -> schema.Aval:
    nothing = replace(floats(), shape=None, dtype="", bytes=None)
    return replace(nothing, text=text, weak_type=weak, sharding=sharding)


@pytest.mark.parametrize(
    ("before", "after", "both"),
    [
        (aval("f32[8,32]"), aval("f32[5,32]"), "f32[8→5,32]"),
        (aval("f32[8]"), aval("bf16[8]"), "f32→bf16[8]"),
        (aval("f32[8]"), aval("bf16[5]"), "f32→bf16[8→5]"),
        (aval("f32[8]"), aval("f32[8,1]"), "f32[8]→f32[8,1]"),
        (aval("f32[]"), aval("f32[3]"), "f32[]→f32[3]"),
        (aval("f32[]", weak=True), aval("f32[]"), "~f32[]→f32[]"),
        (aval("i32[]"), aval("f32[]", weak=True), "i32[]→~f32[]"),
        (aval("f32[n,4]"), aval("f32[8,4]"), "f32[n→8,4]"),
        (aval("key<fry>[]"), aval("u32[2]"), "key<fry>[]→u32[2]"),
        (aval("Ref{f32[8]}"), aval("Ref{f32[5]}"), "Ref{f32[8]}→Ref{f32[5]}"),
        (aval("f32[8]"), aval("f32[8]", sharding="P('x')"), "f32[8]@default→f32[8]@P('x')"),
    ],
)
def test_a_type_that_differs_has_both_in_its_text(
    before: schema.Aval, after: schema.Aval, both: str
) -> None:
    assert merged_aval(before, after).text == both
    assert merged_aval(after, after) is after


def params(**values: str) -> tuple[schema.Param, ...]:
    return tuple(schema.Param(name=n, value=v, size=len(v)) for n, v in sorted(values.items()))


def test_a_param_that_differs_has_both_in_its_value() -> None:
    before, after = params(axes="(0,)", unroll="1"), params(axes="(1,)", length="3", unroll="1")
    assert [(one.name, one.value) for one in merged_params(before, after)] == [
        ("axes", "(0,) → (1,)"),
        ("length", "absent → 3"),
        ("unroll", "1"),
    ]


def test_of_long_params_that_differ_the_difference_is_shown() -> None:
    before, after = params(tree="a" * 300 + "b" + "c" * 99), params(tree="a" * 300 + "d" * 100)
    [both] = merged_params(before, after)
    one, _, other = both.value.partition(" → ")
    assert "ab" in one
    assert "ad" in other
    assert len(both.value) <= 400
    assert both.size >= 400
