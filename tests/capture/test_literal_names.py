"""Names of literals: `2.0 scale` for a global, closure variable or attribute that an operation
reads, and none if it is not certain that the literal is its value.

The comment `# names: scale` has the names of a function's literals. A function without it is a near
miss.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jaxviz

SCALE = 2.0
HALF = 0.5
SMALL = np.float32(0.1)
FILL = -1e9
COUNT = 3
ONE = 1.0
AXIS = 0
FLAG = True
TABLE = {"scale": 2.0}
X = jnp.ones((3, 4))


class Config(NamedTuple):
    rate: float = 0.25


class Plain:
    shared = 5.0

    def __init__(self) -> None:
        self.gain = 3.0

    @property
    def computed(self) -> float:
        return 2.0

    def apply(self, x):
        return x * self.gain + self.shared  # names: self.gain self.shared

    def by_property(self, x):
        return x * self.computed

    def of_another(self, other, x):
        return x * other.gain


CONFIG, PLAIN = Config(), Plain()


def of_global(x):
    return x * SCALE  # names: SCALE


def on_the_left(x):
    return ONE - x  # names: ONE


def of_numpy(x):
    return x + SMALL  # names: SMALL


def of_an_int(x):
    return x / COUNT  # names: COUNT


def of_closure():
    weight = 0.75

    def closed(x):
        return x * weight  # names: weight

    return closed


def of_attribute(x):
    return x * CONFIG.rate  # names: CONFIG.rate


def compared(x):
    return jnp.where(x > HALF, x, FILL)  # names: HALF FILL


def added_in_place(x):
    x += HALF  # names: HALF
    return x


def called(x):
    return jnp.maximum(x, HALF)  # names: HALF


def filled(x):
    return x + jnp.full(4, FILL)  # names: FILL


def inner(x):
    return jnp.tanh(x * HALF) * SCALE  # names: HALF SCALE


@jax.jit
def jitted(x):
    return jnp.sum(x * SCALE)  # names: SCALE


def helper(x):
    return of_global(x) + 1.0


helper.names = ["SCALE"]  # type: ignore[attr-defined]


def in_a_loop(x):
    def step(h, _):
        return h * HALF, None  # names: HALF

    return lax.scan(step, x, length=3)[0]


def derived(x):
    return jax.grad(lambda y: jnp.sum(y * SCALE))(x)  # names: SCALE


def one_written_one_named(x):
    return x * 2.0 + SCALE  # names: SCALE


# Near misses


def written(x):
    return x * 2.0


def written_too(x):
    return x * (SCALE if x.ndim > 5 else 2.0)


def of_local(x):
    scale = 2.0
    return x * scale


def of_an_argument(x):
    def scaled(y, SCALE):
        return y * SCALE

    return scaled(x, 2.0)


def shadowed(x):
    SCALE = 0.5
    return x * SCALE


def computed(x):
    return x * (SCALE * HALF)


def nested_operand(x):
    local = 2.0
    return x * SCALE.real.real * local if x.ndim > 5 else (x + SCALE * 0) * local


def inside_another(x):
    return jax.nn.gelu(x * HALF) * 1  # names: HALF


def as_an_axis(x):
    return jnp.mean(jnp.take(x, jnp.array([0]), axis=AXIS))


def as_a_count(x):
    return jnp.mean(jnp.ones((COUNT, 1)))


def of_a_property(x):
    return PLAIN.by_property(x)


def changed(x):
    global CHANGED
    CHANGED = 2.0
    y = x * CHANGED
    CHANGED = 7.0
    return y


CHANGED = 7.0


def an_array(x):
    return x * X


def other_value(x):
    return x / (SCALE + 1)


def two_equal(x):
    local = -1e9
    return jnp.clip(x, local, FILL)


def library_inside(x):
    return jax.nn.softplus(x) + jnp.mean(x, axis=AXIS)


def of_a_parameter(x):
    return PLAIN.of_another(PLAIN, x)


FUNCTIONS: list[Callable[..., Any]] = [
    of_global,
    on_the_left,
    of_numpy,
    of_an_int,
    of_closure(),
    of_attribute,
    compared,
    added_in_place,
    called,
    filled,
    inner,
    jitted,
    helper,
    in_a_loop,
    derived,
    one_written_one_named,
    PLAIN.apply,
    written,
    written_too,
    of_local,
    of_an_argument,
    shadowed,
    computed,
    nested_operand,
    inside_another,
    as_an_axis,
    as_a_count,
    of_a_property,
    changed,
    an_array,
    other_value,
    two_equal,
    library_inside,
    of_a_parameter,
]


def expected(fun: Callable[..., Any]) -> list[str]:
    if hasattr(fun, "names"):
        return fun.names  # type: ignore[attr-defined]
    text = inspect.getsource(inspect.unwrap(fun))
    return sorted(name for found in re.findall(r"# names: (.*)", text) for name in found.split())


def names_of(program: jaxviz.Program) -> list[str]:
    graphs = program.stage("jaxpr").graphs
    return sorted({var.named for graph in graphs for var in graph.vars if var.named})


@pytest.mark.parametrize("fun", FUNCTIONS, ids=lambda fun: fun.__name__)
def test_a_literal_has_the_name_that_its_operation_reads(fun: Callable[..., Any]) -> None:
    assert names_of(jaxviz.inspect(fun)(X)) == expected(fun)
