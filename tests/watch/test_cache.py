"""The table of a function's programs: a row for each trace of JAX's, and what tells rows apart."""

from __future__ import annotations

import pickle
from functools import partial
from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_watch_properties import Call, Functions, sequences

import jaxviz
from jaxviz.schema import CacheTable, Words

pytestmark = pytest.mark.usefixtures("session")


@jax.jit
def double(x: Any) -> Any:
    return x * 2


@partial(jax.jit, static_argnames="mode")
def step(x: Any, mode: Any = 0) -> Any:
    return x * 2


def columns(table: CacheTable) -> list[tuple[str, str]]:
    return [(column.where, column.kind) for column in table.columns]


def cells(table: CacheTable) -> list[list[Words]]:
    return [row.cells for row in table.rows]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=sequences())
def test_rows_are_jax_s_own_traces_and_no_two_are_alike(calls: list[Call]) -> None:
    functions = Functions()
    with jaxviz.watch() as log:
        for call in calls:
            functions.run(call)
    table = log.cache("step").table
    assert len(table.rows) == functions.traced
    assert all("?" not in row for row in cells(table))
    for one, other in combinations(cells(table), 2):
        assert one != other


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(modes=st.lists(st.sampled_from([0, False, 0.0, 1, True, "1", np.int64(1), None, (1,)])))
def test_static_values_that_are_equal_are_distinguished_by_type(modes: list[Any]) -> None:
    traced = []

    @partial(jax.jit, static_argnames="mode")
    def fun(x: Any, mode: Any) -> Any:
        traced.append(mode)
        return x

    with jaxviz.watch() as log:
        fun(1.0, "first")
        for mode in modes:
            fun(1.0, mode)
    table = log.cache("fun").table
    assert len(table.rows) == len(traced)
    assert len({tuple(row) for row in cells(table)}) == len(traced)


def test_columns_are_those_that_differ_and_a_mark_says_where() -> None:
    with jaxviz.watch() as log:
        step(jnp.ones(3), mode="train")
        step(jnp.ones(4), mode="train")
        step(jnp.ones(3), mode="train")
        step(jnp.ones(4), mode="eval")
    table = log.cache("step").table
    assert columns(table) == [("mode", "static"), ("x", "shape")]
    assert cells(table) == [["'train'", "[3]"], ["'train'", "[4]"], ["'eval'", "[4]"]]
    assert [row.differs for row in table.rows] == [[], [1], [0]]
    text = str(log.cache("step"))
    assert "3 programs" in text
    assert "[4] *" in text
    assert "'eval' *" in text


def test_a_python_number_is_weak() -> None:
    with jaxviz.watch() as log:
        double(2.0)
        double(jnp.float32(2))
    table = log.cache("double").table
    assert columns(table) == [("x", "weak type")]
    assert cells(table) == [["weak"], ["not weak"]]


def test_a_single_program_has_the_types_of_its_arguments() -> None:
    with jaxviz.watch() as log:
        double(jnp.ones((5, 2)))
    table = log.cache("double").table
    assert columns(table) == [("x", "shape"), ("x", "dtype")]
    assert cells(table) == [["[5,2]", "float32"]]


def test_what_is_traced_again_after_clearing_is_a_row() -> None:
    with jaxviz.watch() as log:
        double(jnp.ones(6))
        jax.clear_caches()
        double(jnp.ones(6))
    table = log.cache("double").table
    assert columns(table) == [("", "cleared")]
    assert cells(table) == [["0"], ["1"]]


def test_clears_of_other_functions_are_not_counted() -> None:
    other: Any = jax.jit(lambda x: x + 3)
    again: Any = double
    with jaxviz.watch() as log:
        double(jnp.ones(61))
        for _ in range(3):
            other(jnp.ones(3))
            other.clear_cache()
        double(jnp.ones(71))
        again.clear_cache()
        double(jnp.ones(61))
    table = log.cache("double").table
    assert columns(table) == [("x", "shape"), ("", "cleared")]
    assert cells(table) == [["[61]", "0"], ["[71]", "0"], ["[61]", "1"]]
    assert cells(log.cache("<lambda>").table) == [["0"], ["1"], ["2"]]


def test_a_function_is_named_by_itself() -> None:
    with jaxviz.watch() as log:
        double(jnp.ones(61))
        double(jnp.ones(71))
    jitted: Any = double
    for function in (jitted, jitted.__wrapped__):
        assert log.cache(function).table == log.cache("double").table


def test_of_functions_with_one_name_the_one_that_is_given_is_taken() -> None:
    first = jax.jit(lambda x: x + 1)
    second = jax.jit(lambda x: x + 2)
    with jaxviz.watch() as log:
        for rows in (2, 3):
            first(jnp.ones(rows))
        second(jnp.ones(5))
    assert len(log.cache(first).table.rows) == 2
    assert len(log.cache(second).table.rows) == 1


@pytest.mark.parametrize("given", [3, None, [double]])
def test_what_is_no_function_is_one_sentence(given: Any) -> None:
    with jaxviz.watch() as log:
        double(jnp.ones(61))
    with pytest.raises(TypeError, match=r"^log\.cache takes a function or its name, not"):
        log.cache(given)


def test_a_function_that_was_not_traced_is_one_sentence() -> None:
    with jaxviz.watch() as log:
        double(jnp.ones(61))
    with pytest.raises(ValueError, match=r"^no function named halve was traced, but"):
        log.cache(halve)


def halve(x: Any) -> Any:
    return x / 2


def test_static_argnames_are_a_column() -> None:
    class Model:
        def call(self, x: Any, n: int = 2) -> Any:
            return x * n

    model = Model()
    with jaxviz.watch() as log:
        plain, static = jax.jit(model.call), jax.jit(model.call, static_argnames="n")
        plain(jnp.ones(3))
        static(jnp.ones(4))
    table = log.cache(model.call).table
    assert columns(table)[1:] == [("static_argnames", "options")]
    assert [row[1] for row in cells(table)] == ["none", "n"]


def test_function_objects_have_caches_of_their_own() -> None:
    with jaxviz.watch() as log:
        for _ in range(2):
            jax.jit(lambda x: x + 1)(1.0)
    assert columns(log.cache("<lambda>").table) == [("", "function")]


def test_a_pytree_s_column_is_there_only_where_its_leaves_do_not_show_it() -> None:
    fun = jax.jit(lambda tree: jax.tree.map(jnp.sin, tree))
    with jaxviz.watch() as log:
        fun([1.0])
        fun([1.0, 2.0])
        fun((1.0,))
    table = log.cache("<lambda>").table
    assert columns(table) == [("tree[1]", "shape"), ("tree", "pytree")]
    assert [row[0] for row in cells(table)] == ["absent", "[]", "absent"]


def test_an_argument_that_is_left_out_is_reported() -> None:
    fun = jax.jit(lambda x, by=1.0: x * by)
    with jaxviz.watch() as log:
        fun(1.0)
        fun(1.0, 2.0)
    table = log.cache("<lambda>").table
    assert columns(table) == [("by", "static")]
    assert cells(table) == [["1.0 (default)"], ["~float32[]"]]


def test_an_argument_has_one_column() -> None:
    @partial(jax.jit, static_argnames="n")
    def fun(x: Any, n: int = 2) -> Any:
        return x * n

    with jaxviz.watch() as log:
        fun(1.0)
        fun(1.0, n=3)
        fun(1.0, n=2)
    table = log.cache("fun").table
    assert columns(table) == [("n", "static")]
    assert cells(table) == [["2 (default)"], ["3"], ["2"]]


def test_a_value_that_is_passed_in_two_ways_says_how() -> None:
    @partial(jax.jit, static_argnames="n")
    def fun(x: Any, n: int = 2) -> Any:
        return x * n

    with jaxviz.watch() as log:
        fun(1.0)
        fun(1.0, n=3)
        fun(1.0, 3)
    table = log.cache("fun").table
    assert columns(table) == [("n", "static")]
    assert cells(table) == [["2 (default)"], ["3 by keyword"], ["3 by position"]]


def test_a_trace_that_failed_made_no_program() -> None:
    @jax.jit
    def fails(x: Any) -> Any:
        return x.reshape(2, 2)

    with jaxviz.watch() as log:
        fails(jnp.ones(4))
        with pytest.raises(TypeError):
            fails(jnp.ones(5))
    assert cells(log.cache("fails").table) == [["[4]", "float32"]]


def test_a_name_that_was_not_traced_is_an_error_that_lists_names() -> None:
    with jaxviz.watch() as log:
        double(jnp.ones(7))
    with pytest.raises(ValueError, match="no function named tripple was traced, but double"):
        log.cache("tripple")


def test_many_programs_and_columns_are_counted() -> None:
    fun = jax.jit(lambda args: sum(args.values()))
    with jaxviz.watch() as log:
        for size in range(1, 71):
            double(np.ones(size + 100, np.float32))
        for size in (2, 3):
            fun({f"a{i}": np.ones(size, np.float32) for i in range(30)})
    assert (len(log.cache("double").table.rows), log.cache("double").table.omitted) == (64, 6)
    assert len(log.cache("double")) == 70
    assert log.cache("<lambda>").table.more == 6
    assert "Columns left out: 6." in str(log.cache("<lambda>"))


def test_texts_of_the_program_steer_neither_a_terminal_nor_a_page() -> None:
    with jaxviz.watch() as log:
        step(1.0, mode="\x1b[31m<b>")
        step(1.0, mode="<script>alert(1)</script>")
    bundle = log.cache("step")._repr_mimebundle_()
    assert "\x1b" not in bundle["text/plain"]
    assert "<script" not in bundle["text/html"]
    assert "&lt;script" in bundle["text/html"]


def test_rows_are_data() -> None:
    with jaxviz.watch() as log:
        step(jnp.ones(8), mode="a")
        step(jnp.ones(9), mode="a")
    found = log.cache("step").records()
    assert [row["x: shape"] for row in found] == ["[8]", "[9]"]
    assert [row["number"] for row in found] == [e.number for e in log.events if e.kind == "trace"]


def test_a_pickled_log_has_its_tables() -> None:
    with jaxviz.watch() as log:
        double(jnp.ones(11))
        double(jnp.ones(12))
    again = pickle.loads(pickle.dumps(log))
    assert again.cache("double").table == log.cache("double").table
