"""The public API: every name is documented with an example, and the examples run as they stand."""

from __future__ import annotations

import builtins
import doctest
import importlib.metadata
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jaxviz
from jaxviz.schema import Record

FUNCTIONS_AND_CLASSES = [
    name
    for name in jaxviz.__all__
    if name not in ("CaptureError", "RetraceError")
    and not (inspect.isclass(one := getattr(jaxviz, name)) and issubclass(one, Record))
]


def test_the_version_is_the_installed_one() -> None:
    assert jaxviz.__version__ == importlib.metadata.version("jupyterlab-jaxviz")


def test_type_checkers_may_read_it() -> None:
    assert Path(jaxviz.__file__).with_name("py.typed").exists()


def test_all_that_is_public_is_there_and_documented() -> None:
    assert sorted(jaxviz.__all__) == jaxviz.__all__
    assert all(inspect.getdoc(getattr(jaxviz, name)) for name in jaxviz.__all__)


@pytest.mark.parametrize("name", FUNCTIONS_AND_CLASSES)
def test_what_is_called_has_an_example(name: str) -> None:
    assert "Examples\n--------" in str(inspect.getdoc(getattr(jaxviz, name)))


def records(value: Any) -> Iterator[Record]:
    """A record and all in it, or those of a list."""
    if isinstance(value, Record):
        yield value
        value = [getattr(value, name) for name in value.__struct_fields__]
    if isinstance(value, list | tuple):
        for one in value:
            yield from records(one)


def test_a_record_is_a_short_line() -> None:
    program = jaxviz.inspect(jax.grad(lambda x: jnp.sum(jnp.tanh(x @ x)) ** 2))(jnp.ones((3, 3)))
    program.stage("hlo")
    with jaxviz.watch() as log:
        for size in range(1, 20):
            jax.jit(lambda x: x + 1)(jnp.ones(size))
    texts = {repr(one) for one in records([program.record, log.record()])}
    assert len({text.partition("(")[0] for text in texts}) > 15
    assert [text for text in texts if len(text) > 400 or "\n" in text] == []
    assert "Leaf(path='x', aval=Aval(text='f32[3,3]', kind='array', …))" in texts


def examples(of: Any) -> list[doctest.DocTest]:
    module: ModuleType | None = inspect.getmodule(of)
    assert module is not None
    found = doctest.DocTestFinder(recurse=False).find(of, of.__name__, globs={**vars(module)})
    return [one for one in found if one.examples]


@pytest.mark.parametrize("name", ["", *FUNCTIONS_AND_CLASSES])
def test_examples_run_as_they_stand(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The examples' results are left there, and IPython would then leave its own `_` alone.
    monkeypatch.setattr(builtins, "_", None, raising=False)
    of = getattr(jaxviz, name) if name else jaxviz
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for example in examples(of):
        runner.run(example)
    assert runner.summarize(verbose=False).failed == 0


def test_importing_it_leaves_the_devices_to_choose():
    choose = "import jax, jaxviz; jax.config.update('jax_num_cpu_devices', 3)"
    count = f"{choose}; print(jax.device_count('cpu'))"
    ran = subprocess.run([sys.executable, "-c", count], capture_output=True, text=True)
    assert (ran.stdout, ran.returncode) == ("3\n", 0), ran.stderr
