"""Programs, comparisons and logs are pickled and copied as plain records."""

from __future__ import annotations

import copy
import pickle

import jax
import jax.numpy as jnp
import pytest
from programs import CALLS, shaped
from programs.plain import lesson

import jaxviz
from jaxviz import schema


def again(value):
    return pickle.loads(pickle.dumps(value))


def test_a_program_keeps_the_stages_that_were_made():
    program = jaxviz.inspect(lesson)(shaped(4))
    program.stage("stablehlo")
    found = again(program)
    assert found == program
    assert hash(found) == hash(program)
    assert found.record == program.record
    assert str(found) == str(program)
    assert found.stage("stablehlo") == program.stage("stablehlo")
    with pytest.raises(ValueError, match=r"'hlo' can not be made: .* jaxviz\.inspect"):
        found.stage("hlo")


@pytest.mark.parametrize("name", ["train_step", "pallas_double", "hostile", "nothing"])
def test_any_program(name):
    program = jaxviz.inspect(CALLS[name].function)(*CALLS[name].args)
    assert again(program).record == program.record
    assert again([program, program])[0] == program


def test_what_cannot_change_is_its_own_copy():
    program = jaxviz.inspect(lesson)(shaped(4))
    compared = jaxviz.compare(program, jaxviz.inspect(lesson)(shaped(5)))
    for one in (program, compared):
        assert copy.copy(one) is one
        assert copy.deepcopy({"one": one})["one"] is one
    assert program.stage("hlo").error is None


def test_a_comparison():
    before, after = (jaxviz.inspect(lesson)(shaped(size)) for size in (4, 5))
    compared = jaxviz.compare(before, after)
    found = again(compared)
    assert found == compared
    assert found.inputs == compared.inputs
    assert str(found) == str(compared)
    assert schema.MIME in found._repr_mimebundle_()


@pytest.mark.parametrize("copied", [again, copy.copy, copy.deepcopy])
def test_a_log_that_has_ended(copied):
    f = jax.jit(lambda x: jnp.sin(x))
    with jaxviz.watch(hits=True) as log:
        for size in (3, 4, 4):
            f(jnp.ones(size))
    found = copied(log)
    assert found is not log
    assert found.record() == log.record()
    assert found.records() == log.records()
    assert found.retraces == log.retraces >= 1
    assert repr(found) == repr(log)
    assert len(found) == len(log)
    assert found.program(found.events[0].number) is None
    assert schema.LOG_MIME in found._repr_mimebundle_()


def test_a_log_that_runs_is_pickled_as_it_is_now():
    f = jax.jit(lambda x: jnp.sin(x))
    with jaxviz.watch() as log:
        f(jnp.ones(3))
        found = again(log)
        f(jnp.ones(4))
    assert not found.running
    assert found.retraces < log.retraces
    assert found.records() == log.records()[: len(found)]
    assert found.seconds == again(found).seconds > 0


def test_a_log_of_another_format_is_refused(monkeypatch):
    with jaxviz.watch() as log:
        pass
    data = pickle.dumps(log)
    now, later = schema.VERSION, schema.VERSION + 1
    monkeypatch.setattr(schema, "VERSION", later)
    told = f"was pickled in format {now}, and this jaxviz reads format {later}"
    with pytest.raises(ValueError, match=told):
        pickle.loads(data)
