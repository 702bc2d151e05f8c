"""`compare` on pairs whose difference is known, and what leaves the kernel of their arrays."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path

import jax.numpy as jnp
import msgspec
import numpy as np
import pytest
from compared_truths import PAIRS, VALUES, W, X, Y, jax_array, product

import jaxviz
from jaxviz.schema.check import first_fault


def comparison(name: str) -> jaxviz.Comparison:
    pair = PAIRS[name]
    before, after = (jaxviz.inspect(fun)(*pair.args) for fun in (pair.before, pair.after))
    return jaxviz.compare(before, after)


@pytest.mark.parametrize("name", PAIRS)
def test_a_pair(name: str) -> None:
    pair, found = PAIRS[name], comparison(name)
    assert found.same is pair.same
    assert Counter(mark.kind for mark in found.marks) == Counter(pair.marks)
    ends = [(one.kind, one.before, one.after) for one in found.inputs]
    assert ends == [*pair.ends]
    assert len(found.not_compared) == len(pair.unknown)
    assert first_fault(found.record) is None
    said = str(found)
    assert ("the same program" in said) == (pair.same is not False)
    assert ("values not compared" in said) == (pair.same is None)
    for kind, count in pair.marks.items():
        assert f"{count} {kind}" in said


def same(before: jaxviz.Program, after: jaxviz.Program) -> bool | None:
    return jaxviz.compare(before, after).same


def test_what_was_saved_or_pickled_has_no_values(tmp_path: Path) -> None:
    program = jaxviz.inspect(product(W))(X, Y)
    program.save(tmp_path / "it.json")
    for other in (pickle.loads(pickle.dumps(program)), jaxviz.load(tmp_path / "it.json")):
        assert same(program, other) is None
        assert same(other, program) is None
        assert "; values not compared: " in repr(jaxviz.compare(program, other))
        assert same(other, other) is True
    plain = jaxviz.inspect(lambda x: x * 2.0)(X)
    assert same(plain, pickle.loads(pickle.dumps(plain))) is True


def test_values_are_known_once_all_stages_are_made() -> None:
    for array in (np.zeros((200, 200), np.float32), jnp.zeros((200, 200))):
        programs = [
            jaxviz.inspect(lambda x, of=of: x @ of)(jnp.ones(200))
            for of in (array, array + 0, array + 1)
        ]
        for program in programs:
            for kind in ("stablehlo", "hlo"):
                assert program.stage(kind).error is None
        assert [same(programs[0], one) for one in programs] == [True, True, False]


def test_an_array_that_was_written_to_has_the_values_of_the_trace() -> None:
    array = W.copy()
    before = jaxviz.inspect(product(array))(X, Y)
    array += 1.0
    after = jaxviz.inspect(product(array))(X, Y)
    assert same(before, after) is False


def test_an_array_that_is_deleted_was_not_compared() -> None:
    array = jax_array(W)
    before, after = (jaxviz.inspect(product(one))(X, Y) for one in (array, jax_array(W)))
    array.delete()
    assert same(before, after) is None


def test_neither_values_nor_digests_leave_the_kernel() -> None:
    secret = np.full((4, 4), 61803.0, np.float32)
    programs = [jaxviz.inspect(product(one))(X, Y) for one in (secret, secret + 1)]
    found = jaxviz.compare(*programs)
    digests = [
        one for program in programs for row in program._stages.constants() or () for one in row
    ]
    assert {type(one) for one in digests} == {bytes}
    for held in (found, *programs):
        texts = [
            pickle.dumps(held),
            msgspec.json.encode(held.record),
            str(held._repr_mimebundle_()).encode(),
        ]
        for text in texts:
            assert b"61803" not in text
            for digest in digests:
                assert isinstance(digest, bytes)
                assert digest not in text
                assert digest.hex().encode() not in text


def test_the_key_of_the_digests_is_of_this_process() -> None:
    """Two kernels give other digests of equal arrays."""
    import subprocess
    import sys

    code = (
        "import jaxviz, numpy as np\n"
        "program = jaxviz.inspect(lambda x: x @ np.ones((4, 4), 'f'))(np.ones(4, 'f'))\n"
        "print(program._stages.constants()[0][0].hex())"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert len({run.stdout for run in runs}) == 2


def test_a_comparison_that_was_saved_says_what_was_not_compared(tmp_path: Path) -> None:
    name = next(name for name, pair in PAIRS.items() if pair.same is None)
    found = comparison(name)
    found.save(tmp_path / "it.json")
    again = pickle.loads(pickle.dumps(found))
    assert (again.same, again.not_compared) == (None, found.not_compared)
    assert "values not compared" in str(jaxviz.load(tmp_path / "it.json"))
    assert VALUES
