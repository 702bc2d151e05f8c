"""When a call cannot be captured, one sentence says what to change."""

from __future__ import annotations

import traceback

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from programs import shaped

import jaxviz


def plain(x, mode="mean", n=2):
    return x * n


def branching(x):
    if x > 0:
        return x
    return -x


def unlucky(x):
    raise KeyError("w3")


def sentence(function, *args, static_argnames=None, static_argnums=None, **kwargs) -> str:
    with pytest.raises(jaxviz.CaptureError) as caught:
        jaxviz.inspect(function, static_argnums, static_argnames)(*args, **kwargs)
    return str(caught.value)


@pytest.mark.parametrize(
    ("function", "args", "options", "said"),
    [
        (
            3,
            (1.0,),
            {},
            (
                "the call of a function is captured, and this is a value of type int: "
                "write %jaxviz f(x), or jaxviz.inspect(f)(x)."
            ),
        ),
        (
            None,
            (1.0,),
            {},
            (
                "the call of a function is captured, and this is None: "
                "write %jaxviz f(x), or jaxviz.inspect(f)(x)."
            ),
        ),
        (
            jax.jit(plain),
            (1.0,),
            {"static_argnames": "mode"},
            (
                "plain is jitted already, and its static arguments were given there: "
                "leave out --static-argnames (static_argnums and static_argnames of "
                "jaxviz.inspect), or take the function before jax.jit."
            ),
        ),
        (
            plain,
            (1.0,),
            {"mode": ["mean"], "static_argnames": "mode"},
            (
                "static argument mode of plain is of type list, which cannot be hashed: "
                "pass a hashable value, such as a tuple."
            ),
        ),
        (
            jax.jit(plain),
            (1.0, "sum"),
            {},
            (
                "argument mode of plain is of type str, which JAX cannot trace: pass an array, or "
                "make it static where plain is jitted: jax.jit(plain, static_argnames='mode')."
            ),
        ),
        (
            jax.jit(plain),
            ({"a": {"b": object()}},),
            {},
            (
                "argument x['a']['b'] of plain is of type object, which JAX cannot trace: pass an "
                "array, or take it out of x, and let the function close over it."
            ),
        ),
        (
            plain,
            (1.0,),
            {"static_argnames": "nn"},
            (
                "plain has no argument nn that could be static: its arguments are x, mode, n; "
                "name one of these."
            ),
        ),
        (
            plain,
            (),
            {},
            (
                "the call does not fit plain(x, mode='mean', n=2): "
                "missing a required argument: 'x'; pass x=… too."
            ),
        ),
        (
            plain,
            (1.0,),
            {"k": 3},
            (
                "the call does not fit plain(x, mode='mean', n=2): "
                "got an unexpected keyword argument 'k'; leave k out."
            ),
        ),
        (
            branching,
            (1.0,),
            {},
            (
                "branching cannot be traced: tests/capture/test_capture_errors.py, line 22 "
                "(`if x > 0:`) raised TracerBoolConversionError; choose with "
                "jnp.where (`return jnp.where(x > 0, x, -x)`)."
            ),
        ),
        (
            jax.grad(unlucky),
            (1.0,),
            {},
            (
                "grad(unlucky) cannot be traced: tests/capture/test_capture_errors.py, line 28 "
                "(`raise KeyError(\"w3\")`) raised KeyError: 'w3'; called within "
                "`with jax.disable_jit():`, the function runs with values that can be printed."
            ),
        ),
    ],
)
def test_one_sentence(function, args, options, said):
    assert sentence(function, *args, **options) == said


class Slotted:
    """JAX ends the process if it has to jit this twice."""

    __slots__ = ()

    def __call__(self, x):
        return x


@pytest.mark.parametrize("again", [False, True])
def test_what_has_no_weak_references_is_refused_each_time(again):
    assert sentence(SLOTTED, 1.0) == (
        "JAX refers to what it traces weakly, and Slotted has __slots__ without __weakref__: "
        "add it to them, or call it within a function, lambda *args: f(*args)."
    )


SLOTTED = Slotted()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (jaxviz.passes, "program must be a jaxviz.Program, as jaxviz.inspect(function)(*args) "),
        (jaxviz.agree, "program must be a jaxviz.Program, as jaxviz.inspect(function)(*args) "),
        (jaxviz.load, "path must be that of a file, as in jaxviz.load('step.json'), not int."),
        (jaxviz.explain, "error must be an exception, as except TypeError as error gives it, "),
        (lambda value: jaxviz.timeit(value)(1.0), "the call of a function is captured, and this "),
    ],
)
def test_what_is_of_another_kind_is_refused_with_the_argument_and_the_fix(call, said):
    with pytest.raises((TypeError, jaxviz.CaptureError)) as caught:
        call(3)
    assert str(caught.value).startswith(said)


def test_the_cause_is_the_user_s_own_exception():
    with pytest.raises(jaxviz.CaptureError) as caught:
        jaxviz.inspect(unlucky)(1.0)
    assert isinstance(caught.value.__cause__, KeyError)
    frames = traceback.extract_tb(caught.value.__cause__.__traceback__)
    assert frames[-1].name == "unlucky"


def test_an_interrupt_passes_through():
    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        jaxviz.inspect(interrupted)(1.0)


def test_a_failed_capture_leaves_the_function_usable():
    function = jax.jit(branching, static_argnames="x")
    with pytest.raises(jaxviz.CaptureError):
        jaxviz.inspect(jax.jit(branching))(1.0)
    assert function(x=-2.0) == 2.0


def test_ipython_shows_the_sentence_and_no_traceback_of_ours(capsys):
    shell = InteractiveShell.instance()
    try:
        shell.run_cell("import jaxviz\n\ndef f(x):\n    return float(x)\n\njaxviz.inspect(f)(1.0)")
    finally:
        InteractiveShell.clear_instance()
    shown = capsys.readouterr().out
    assert "f cannot be traced: cell 1, line 4 (`return float(x)`) raised Concretization" in shown
    assert "ConcretizationTypeError: " in shown
    assert "program.py" not in shown


def test_a_message_with_markup_and_controls_is_plain():
    def rude(x):
        raise ValueError("<script>\x1b[31m\u202e")

    with pytest.raises(jaxviz.CaptureError) as caught:
        jaxviz.inspect(rude)(shaped())
    assert caught.value._render_traceback_()[-1] == "ValueError: <script>\ufffd"


def test_a_value_that_is_no_array_is_named(recwarn):
    assert "str" in sentence(lambda x: "text", jnp.ones(2))


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("default", "written"),
    [(np.array([31337.0]), "(x, w=float64[1])"), (Unprintable(), "(x, w=Unprintable)")],
)
def test_a_default_shows_no_values_and_need_not_be_printable(default, written):
    def weighted(x, w=default):
        return x

    assert sentence(weighted) == (
        f"the call does not fit weighted{written}: missing a required argument: 'x'; pass x=… too."
    )
