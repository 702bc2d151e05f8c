"""Steps of a trace: lines, names, eqns and prints, on each JAX."""

from __future__ import annotations

import functools
import sys
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jaxviz
from jaxviz.capture import CaptureError


def lesson(x, y, n=3):
    print(f"x is {x.shape}")
    size = np.prod(x.shape)
    for _ in range(2):
        x = jnp.sin(x) + y
    if size > 4:
        x = x * n
    return x.reshape(size)


def inner(a):
    b = jnp.cos(a)
    return b * 2.0


def looped(x):
    y, _ = jax.lax.scan(lambda c, t: (inner(c) + t, None), x, jnp.ones((4, 3)))
    return y.sum()


def told(found):
    """Each step as its kind, its line's place in the function, what it set and the ops it added."""
    ops = [eqn.op for graph in found.program.stage("jaxpr").graphs for eqn in graph.eqns]
    first = found.record.frames[0].line
    return [
        (
            step.kind,
            found.record.frames[step.frame].line - first,
            {one.name: f"{one.kind} {one.text}" for one in step.bound},
            [ops[number] for number in step.eqns],
        )
        for step in found.record.steps
    ]


def test_each_line_has_its_names_and_eqns():
    found = jaxviz.steps(lesson)(jnp.ones((2, 3)), 1.0)
    turn = ["sin", "convert_element_type", "add"]
    assert told(found) == [
        ("enter", 0, {"x": "traced f32[2,3]", "y": "traced ~f32[]", "n": "static 3"}, []),
        ("line", 1, {}, []),
        ("line", 2, {"size": "static 6"}, []),
        ("line", 3, {"_": "static 0"}, []),
        ("line", 4, {"x": "traced f32[2,3]"}, turn),
        ("line", 3, {"_": "static 1"}, []),
        ("line", 4, {"x": "traced f32[2,3]"}, turn),
        ("line", 3, {}, []),
        ("line", 5, {}, []),
        ("line", 6, {"x": "traced f32[2,3]"}, ["mul"]),
        ("return", 7, {}, ["reshape"]),
    ]
    assert [step.printed for step in found.record.steps if step.printed] == ["x is (2, 3)\n"]


def test_functions_within_are_entered():
    found = jaxviz.steps(looped)(jnp.ones(3))
    assert [(step.kind, step.depth) for step in found.record.steps] == [
        ("enter", 0),
        ("enter", 1),
        ("enter", 2),
        ("line", 2),
        ("return", 2),
        ("return", 1),
        ("line", 0),
        ("return", 0),
    ]
    added = {(one[0], one[1]): one[3] for one in told(found)}
    line = inner.__code__.co_firstlineno - looped.__code__.co_firstlineno
    assert added["line", line + 1] == ["cos"]
    assert added["return", line + 2] == ["mul"]
    assert "scan" in added["line", 1]


def test_derivatives_of_the_function_itself_are_on_no_line():
    found = jaxviz.steps(jax.grad(looped))(jnp.ones(3))
    *_, returned, rest = found.record.steps
    assert (returned.kind, rest.kind) == ("return", "rest")
    scopes = found.program.stage("jaxpr")
    eqns = [eqn for graph in scopes.graphs for eqn in graph.eqns]
    assert rest.eqns
    assert all("transpose(" in scopes.scopes[eqns[number].scope] for number in rest.eqns)


def trained(w, x):
    value, slope = jax.value_and_grad(lambda v: jnp.sin(v * x).sum())(w)
    return value, w - 0.1 * slope


def test_derivatives_are_on_the_line_that_asks_for_them():
    found = jaxviz.steps(trained)(jnp.ones(3), jnp.ones(3))
    rows = [(kind, line, ops) for kind, line, _, ops in told(found)]
    assert [(kind, line) for kind, line, _ in rows] == [
        ("enter", 0),
        ("enter", 1),
        ("return", 1),
        ("line", 1),
        ("return", 2),
    ]
    assert rows[2][2][:2] == ["mul", "sin"]
    assert "mul" in rows[3][2]
    assert rows[4][2] == ["mul", "sub"]


class Pair(NamedTuple):
    left: Any
    right: Any


class Model:
    def __init__(self, weight):
        self.weight = weight


@jax.tree_util.register_pytree_node_class
class Layer(Model):
    """A pytree whose flattening the player must not run."""

    def tree_flatten(self):
        raise RuntimeError

    @classmethod
    def tree_unflatten(cls, *_):
        raise RuntimeError


def libraries(x):
    y = jnp.where(x > 0, x, 0.0)
    y = jax.nn.relu(y)
    return jnp.sum(y) + jnp.sum(x)


def held(x):
    model = Model(x)
    layer = Layer(x)
    two = {"first": Layer(np.ones(2)), "second": Layer([np.ones(2), np.ones(2), 3])}
    empty = Layer(None)
    pair = Pair(x, 2)
    deep = {"a": {"b": {"c": {"d": x}}}}
    return model.weight + layer.weight + pair.left + deep["a"]["b"]["c"]["d"], two, empty


def test_what_library_functions_hold_is_of_the_line_that_called_them():
    found = jaxviz.steps(libraries)(jnp.ones(3))
    assert [step.kind for step in found.record.steps] == ["enter", "line", "line", "return"]
    first, second, last = (row[3] for row in told(found)[1:])
    assert "select_n" in first
    assert "max" in second
    assert last.count("reduce_sum") == 2


def test_objects_say_which_arrays_they_hold_and_are_not_called_static():
    found = jaxviz.steps(lambda x: held(x)[0])(jnp.ones(3))
    bound = {
        one.name: (one.kind, one.text)
        for step in found.record.steps
        for one in step.bound
        if step.depth == 1
    }
    assert bound == {
        "x": ("traced", "f32[3]"),
        "model": ("object", "Model"),
        "layer": ("traced", "Layer with 1 array"),
        "two": ("array", "{'first': Layer with 1 array, 'second': Layer with 2 arrays}"),
        "empty": ("object", "Layer"),
        "pair": ("traced", "Pair with 1 array"),
        "deep": ("traced", "{'a': {'b': {'c': dict of 1}}}"),
    }


def test_a_generator_is_a_part_of_the_line_that_uses_it():
    def turns(x):
        yield jnp.sin(x)
        yield jnp.cos(x)

    def function(x):
        return sum(turns(x))

    found = jaxviz.steps(function)(1.0)
    assert [step.kind for step in found.record.steps] == ["enter", "return"]
    assert {"sin", "cos"} < {*told(found)[-1][3]}


def test_what_no_step_keeps_is_printed(capsys: pytest.CaptureFixture[str]):
    def talks(x):
        for _ in range(20_000):
            pass
        print("the end")
        return x

    jaxviz.steps(talks)(1.0)
    assert capsys.readouterr().out == "the end\n"


def test_of_a_jitted_function_the_body_runs_again():
    step = functools.partial(jax.jit, static_argnames="n")(lesson)
    step(jnp.ones((2, 3)), 1.0, n=4)
    found = jaxviz.steps(step)(jnp.ones((2, 3)), 1.0, n=4)
    assert told(found)[0][2]["n"] == "static 4"
    assert found.program.name == "lesson"
    assert (
        found.program.stage("jaxpr").text
        == jaxviz.inspect(step)(jnp.ones((2, 3)), 1.0, n=4).stage("jaxpr").text
    )


def test_the_program_is_that_of_inspect():
    assert jaxviz.steps(looped)(jnp.ones(3)).program == jaxviz.inspect(looped)(jnp.ones(3))


def test_what_it_prints_is_kept_and_not_printed(capsys: pytest.CaptureFixture[str]):
    found = jaxviz.steps(lesson)(jnp.ones((2, 3)), 1.0)
    assert capsys.readouterr().out == ""
    assert "printed 'x is (2, 3)'" in str(found)


def test_another_listener_hears_again_afterwards():
    def listener(*_):
        return None

    before = sys.gettrace()
    sys.settrace(listener)
    try:
        found = jaxviz.steps(inner)(1.0)
        assert sys.gettrace() is listener
    finally:
        sys.settrace(before)
    (note,) = found.record.notes
    assert note.text.endswith("It missed these lines, and now follows again.")


def test_a_trace_that_fails_says_why_and_leaves_all_as_it_was():
    def fails(x):
        return x if x > 0 else -x

    out, listener = sys.stdout, sys.gettrace()
    with pytest.raises(CaptureError, match="TracerBoolConversionError"):
        jaxviz.steps(fails)(1.0)
    assert (sys.stdout, sys.gettrace()) == (out, listener)


def test_of_many_steps_the_first_are_kept():
    def long(x):
        for _ in range(20_000):
            pass
        return x + 1.0

    found = jaxviz.steps(long)(1.0)
    assert len(found.record.steps) == 10_000
    assert [*map(str, found.record.notes)] == [
        "The function has more than 10,000 steps: these are the first."
    ]
    assert {step.kind for step in found.record.steps} == {"enter", "line"}


OPS = st.lists(st.sampled_from(["sin", "add", "branch", "loop", "call"]), min_size=1, max_size=8)


@given(OPS, st.booleans())
@settings(max_examples=20, deadline=None)
def test_the_steps_add_up_to_the_program(ops: list[str], differentiated: bool):
    def function(x):
        for op in ops:
            if op == "sin":
                x = jnp.sin(x)
            elif op == "add":
                x = x + 2.0
            elif op == "branch":
                x = jax.lax.cond(x[0] > 0, jnp.cos, lambda v: v * 3.0, x)
            elif op == "loop":
                x = jax.lax.fori_loop(0, 3, lambda _, v: inner(v), x)
            else:
                x = inner(x)
        return x.sum()

    fun = jax.grad(function) if differentiated else function
    found = jaxviz.steps(fun)(jnp.ones(3))
    eqns = sum(len(graph.eqns) for graph in found.program.stage("jaxpr").graphs)
    assert sorted(one for step in found.record.steps for one in step.eqns) == [*range(eqns)]
    assert found.program == jaxviz.inspect(fun)(jnp.ones(3))
