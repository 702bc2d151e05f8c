"""Calls as lessons write them, each with what its picture has to show.

That is the title, the primitives of the program itself (`...` where versions of JAX differ), its
arguments, and what is fixed in it.
"""

from __future__ import annotations

import enum
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import jaxviz

x = jnp.ones((2, 3))
xs = jnp.ones(4)
key = jax.random.key(0)
tree = {"a": xs, "b": x}


def body(i, value):
    return value * 2.0


def step(carry, value):
    return carry + value, carry


def condition(state):
    return state["i"] < 10


def advance(state):
    return {"i": state["i"] + 1}


def double(value):
    return value * 2


def negative(value):
    return -value


class Mode(enum.Enum):
    TRAIN = 1


class Config:
    """An object that is no array and no pytree, and cannot be shown."""


def apply(params, value, mode="eval", activation=jnp.tanh):
    scale = 2.0 if mode in ("train", Mode.TRAIN) else 1.0
    return activation(params["w"] * value) * scale


def call(fun, *args, **kwargs):
    return lambda: jaxviz.inspect(fun)(*args, **kwargs)


def told(program):
    """The title, the paths of the inputs, and what is fixed."""
    fixed = [(one.path, one.text, one.kind) for one in program.fixed]
    return program.name, [leaf.path for leaf in program.args], fixed


JAX_S_OWN = {
    "fori_loop": (
        call(lax.fori_loop, 0, 100, body, 1.0),
        ("fori_loop", ["scan"], [], ["lower=0", "upper=100", "body_fun=body", "init_val=1.0"]),
    ),
    "fori_loop of an array": (
        call(lax.fori_loop, 0, 100, body, xs),
        ("fori_loop", ["scan"], ["init_val"], ["lower=0", "upper=100", "body_fun=body"]),
    ),
    "fori_loop up to an array": (
        call(lax.fori_loop, 0, jnp.int32(9), body, xs),
        ("fori_loop", ["while"], ["upper", "init_val"], ["lower=0", "body_fun=body"]),
    ),
    "scan": (call(lax.scan, step, 0.0, xs), ("scan", ["scan"], ["xs"], ["f=step", "init=0.0"])),
    "scan without xs": (
        call(lax.scan, lambda carry, _: (carry * 2, None), xs, None, length=3),
        ("scan", ["scan"], ["init"], ["f=<lambda>", "length=3"]),
    ),
    "scan of a carry in part": (
        call(lax.scan, lambda c, v: ((c[0] + v, c[1]), c[0]), (jnp.float32(0), 2.0), xs),
        ("scan", ["scan"], ["init[0]", "xs"], ["f=<lambda>", "init[1]=2.0"]),
    ),
    "while_loop": (
        call(lax.while_loop, condition, advance, {"i": 0}),
        (
            "while_loop",
            ["while"],
            [],
            ["cond_fun=condition", "body_fun=advance", "init_val={'i': 0}"],
        ),
    ),
    "while_loop by keyword": (
        call(lax.while_loop, cond_fun=condition, body_fun=advance, init_val={"i": xs[0]}),
        ("while_loop", ["while"], ["init_val['i']"], ["cond_fun=condition", "body_fun=advance"]),
    ),
    "cond": (
        call(lax.cond, jnp.bool_(True), double, negative, xs),
        (
            "cond",
            ["convert_element_type", "cond"],
            ["pred", "operands[0]"],
            ["true_fun=double", "false_fun=negative"],
        ),
    ),
    "switch": (
        call(lax.switch, jnp.int32(1), [double, negative], xs),
        ("switch", ["clamp", "cond"], ["index", "operands[0]"], ["branches=[double, negative]"]),
    ),
    "map": (call(lax.map, double, xs), ("map", ["scan"], ["xs"], ["f=double"])),
    "sum": (call(jnp.sum, x, axis=0), ("sum", ["reduce_sum"], ["a"], ["axis=0"])),
    "zeros": (call(jnp.zeros, (3,)), ("zeros", ["broadcast_in_dim"], [], ["shape=(3,)"])),
    "ones of a dtype": (
        call(jnp.ones, (3, 2), dtype=jnp.int32),
        ("ones", ["broadcast_in_dim"], [], ["shape=(3, 2)", "dtype=int32"]),
    ),
    "reshape": (call(jnp.reshape, x, (3, 2)), ("reshape", ["reshape"], ["a"], ["shape=(3, 2)"])),
    "concatenate": (
        call(jnp.concatenate, [x, x], axis=1),
        ("concatenate", ["concatenate"], ["arrays[0]", "arrays[1]"], ["axis=1"]),
    ),
    "a sum of numbers": (call(jnp.add, xs, 1.0), ("add", ["add"], ["x"], ["y=1.0"])),
    "two arrays": (call(jnp.add, xs, xs), ("add", ["add"], ["x", "y"], [])),
    "NumPy's arrays": (
        call(jnp.dot, np.ones((2, 3), np.float32), np.ones(3, np.float32)),
        ("dot", ["dot_general"], ["a", "b"], []),
    ),
    "shapes alone": (
        call(lax.fori_loop, 0, 3, body, jax.ShapeDtypeStruct((2,), jnp.float32)),
        ("fori_loop", ["scan"], ["init_val"], ["lower=0", "upper=3", "body_fun=body"]),
    ),
    "an option of a jitted function": (
        call(jnp.linalg.norm, x, keepdims=True),
        ("norm", ["mul", "reduce_sum", "broadcast_in_dim", "sqrt"], ["x"], ["keepdims=True"]),
    ),
    "an axis of softmax": (call(jax.nn.softmax, x, axis=0), ("softmax", ..., ["x"], ["axis=0"])),
    "relu": (call(jax.nn.relu, xs), ("relu", ["custom_jvp_call"], ["x"], [])),
    "a key": (call(jax.random.key, 0), ("key", ["random_seed"], [], ["seed=0"])),
    "random numbers": (
        call(jax.random.normal, key, (3,)),
        ("normal", ..., ["key"], ["shape=(3,)"]),
    ),
    "einsum": (
        call(jnp.einsum, "ij,kj->ik", x, x),
        ("einsum", ..., ["operands[0]", "operands[1]"], ["subscripts='ij,kj->ik'"]),
    ),
    "numbers alone": (call(jnp.add, 1, 1.0), ("add", ..., [], ["x=1", "y=1.0"])),
    "where": (call(jnp.where, xs > 0, xs, 0.0), ("where", ..., ["condition", "x"], ["y=0.0"])),
    "split": (call(jax.random.split, key, 3), ("split", ["random_split"], ["key"], ["num=3"])),
    "an initializer": (
        call(jax.nn.initializers.zeros, key, (2, 3), jnp.float32),
        ("zeros", ["broadcast_in_dim"], ["key"], ["shape=(2, 3)", "dtype=float32"]),
    ),
    "tree.map": (
        call(jax.tree.map, double, tree),
        ("map", ["mul", "mul"], ["tree['a']", "tree['b']"], ["f=double"]),
    ),
    "tree.map of numbers too": (
        call(jax.tree.map, double, {"a": xs, "n": 3}),
        ("map", ["mul"], ["tree['a']"], ["f=double", "tree['n']=3"]),
    ),
    "with options": (call(partial(jnp.sum, axis=0), x), ("sum", ["reduce_sum"], ["a"], [])),
    "a dtype called": (call(jnp.float32, 3), ("float32", [], [], ["x=3"])),
    "a method of an array": (call(x.sum, axis=0), ("sum", ["reduce_sum"], ["self"], ["axis=0"])),
    "an item of an array": (call(x.__getitem__, 0), ("__getitem__", ..., ["self"], ["idx=0"])),
    "a reduction of a ufunc": (
        call(jnp.add.reduce, x, axis=0),
        ("reduce", ..., ["a"], ["self=add", "axis=0"]),
    ),
    "an update of an array": (
        call(xs.at[0].set, 1.0),
        ("set", ["broadcast_in_dim", "scatter"], ["array"], ["index=0", "values=1.0"]),
    ),
}

THE_USER_S = {
    "numbers are traced": (
        call(lambda a, b: a * b, jnp.float32(2), 3.0),
        ("<lambda>", ["convert_element_type", "mul"], ["a", "b"], []),
    ),
    "a string": (
        call(apply, {"w": xs}, xs, "train"),
        ("apply", ["mul", "tanh", "mul"], ["params['w']", "value"], ["mode='train'"]),
    ),
    "an enum": (
        call(apply, {"w": xs}, xs, mode=Mode.TRAIN),
        ("apply", ["mul", "tanh", "mul"], ["params['w']", "value"], ["mode=TRAIN"]),
    ),
    "a function": (
        call(apply, {"w": xs}, xs, activation=jnp.sin),
        ("apply", ["mul", "sin", "mul"], ["params['w']", "value"], ["activation=sin"]),
    ),
    "a string within a tree": (
        call(lambda params: params["w"] * 2, {"w": xs, "note": "warm"}),
        ("<lambda>", ["mul"], ["params['w']"], ["params['note']='warm'"]),
    ),
    "any other object": (
        call(lambda config, value: value * 2, Config(), xs),
        ("<lambda>", ["mul"], ["value"], ["config=Config"]),
    ),
    "a key of random numbers": (
        call(lambda key: jax.random.key_data(key), key),
        ("<lambda>", ["random_unwrap"], ["key"], []),
    ),
    "grad": (
        call(jax.grad(lambda w, mode: jnp.sum(w) * 2), xs, "train"),
        ("grad(<lambda>)", ..., ["w"], ["mode='train'"]),
    ),
    "grad of JAX's own": (call(jax.grad(jnp.tanh), 2.0), ("grad(tanh)", ..., ["x"], [])),
    "no array at all": (
        call(lambda mode: jnp.zeros(3) if mode == "zeros" else jnp.ones(3), "zeros"),
        ("<lambda>", ["broadcast_in_dim"], [], ["mode='zeros'"]),
    ),
    "vmap": (call(jax.vmap(double), xs), ("vmap(double)", ["mul"], ["value"], [])),
}
