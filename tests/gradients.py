"""30 small programs with a gradient, each with the lanes and groups that its author would draw.

    forward (layer, layer, loss) · backward (loss ⟵, layer ⟵, layer ⟵)

A program without a gradient has no lanes. Eqns in no group are not said, except for those with a
body: `scan`, `jit loss (…)`. A lane of up to 20 eqns shows its operations: only layers have groups
there, no plain functions. What follows the layers is named after the function that it is in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax


class Gradient(NamedTuple):
    fun: Callable[..., Any]
    args: tuple[Any, ...]
    truth: str


GRADIENTS: dict[str, Gradient] = {}
V, X, W, Y = jnp.ones(4), jnp.ones((5, 4)), jnp.ones((4, 3)), jnp.ones(5)
TWO = {"hidden": jnp.ones((4, 6)), "out": jnp.ones((6, 3))}
LAYERS = {"layers": [{"w": jnp.eye(4), "b": jnp.ones(4)} for _ in range(3)]}


def program(truth: str, *args: Any) -> Callable[[Callable[[], Any]], None]:
    """Adds the program that a function makes."""

    def add(make: Callable[[], Any]) -> None:
        GRADIENTS[make.__name__] = Gradient(make(), args, truth)

    return add


@program("forward · backward", W, X)
def of_a_lambda() -> Any:
    return jax.grad(lambda w, x: jnp.mean(jnp.tanh(x @ w) ** 2))


@program("forward · backward", W, X)
def of_a_function() -> Any:
    def loss(w: Any, x: Any) -> Any:
        return jnp.mean(jnp.tanh(x @ w) ** 2)

    return jax.grad(loss)


@program("forward · backward", W, X)
def with_its_value() -> Any:
    def loss(w: Any, x: Any) -> Any:
        return jnp.mean(jnp.tanh(x @ w) ** 2)

    return jax.value_and_grad(loss)


@program("forward · backward", V, X, Y)
def logistic_regression() -> Any:
    def loss(w: Any, x: Any, y: Any) -> Any:
        p = jax.nn.sigmoid(x @ w)
        return -jnp.mean(y * jnp.log(p) + (1 - y) * jnp.log(1 - p))

    return jax.grad(loss)


@program("forward · backward", V, X, Y)
def linear_regression() -> Any:
    def mse(w: Any, x: Any, y: Any) -> Any:
        return jnp.mean((x @ w - y) ** 2)

    return jax.grad(mse)


@program("forward · backward", V, X, Y)
def ridge_regression() -> Any:
    def ridge(w: Any, x: Any, y: Any) -> Any:
        return jnp.mean((x @ w - y) ** 2) + 0.1 * jnp.sum(w**2)

    return jax.grad(ridge)


@program("forward · backward", V, X, Y)
def gradient_descent() -> Any:
    def loss(w: Any, x: Any, y: Any) -> Any:
        return jnp.mean((jnp.tanh(x @ w) - y) ** 2)

    def step(w: Any, x: Any, y: Any) -> Any:
        return w - 0.1 * jax.grad(loss)(w, x, y)

    return step


@program("forward · backward", jnp.ones(()))
def of_one_number() -> Any:
    return jax.grad(lambda x: jnp.sin(x) ** 2 * jnp.exp(-x))


@program("forward · backward", V)
def rosenbrock() -> Any:
    def valley(x: Any) -> Any:
        return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    return jax.grad(valley)


@program("forward · backward", V, X)
def of_both_arguments() -> Any:
    def energy(w: Any, x: Any) -> Any:
        return jnp.sum(jnp.tanh(x @ w) ** 2)

    return jax.grad(energy, argnums=(0, 1))


@program("forward · backward", W, X)
def with_other_results() -> Any:
    def loss(w: Any, x: Any) -> Any:
        seen = jnp.tanh(x @ w)
        return jnp.mean(seen**2), seen

    return jax.grad(loss, has_aux=True)


@program("forward · backward", V, X)
def jacobian_in_reverse() -> Any:
    def predict(w: Any, x: Any) -> Any:
        return jnp.tanh(x @ w)

    return jax.jacrev(predict)


@program("", V, X)
def jacobian_forward() -> Any:
    def predict(w: Any, x: Any) -> Any:
        return jnp.tanh(x @ w)

    return jax.jacfwd(predict)


@program("forward · backward", V, X)
def vjp_of_a_function() -> Any:
    def predict(w: Any, x: Any) -> Any:
        return jnp.tanh(x @ w)

    def pulled(w: Any, x: Any) -> Any:
        value, back = jax.vjp(predict, w, x)
        return back(value)

    return pulled


@program("forward · backward", V, X)
def hessian_times_vector() -> Any:
    def energy(w: Any, x: Any) -> Any:
        return jnp.sum(jnp.tanh(x @ w) ** 2)

    return lambda w, x: jax.jvp(lambda w: jax.grad(energy)(w, x), (w,), (w,))[1]


@program("forward · backward", jnp.ones((3, 5, 4)))
def attention_of_a_lambda() -> Any:
    return jax.grad(lambda qkv: jnp.sum(jax.nn.softmax(qkv[0] @ qkv[1].T / 2.0) @ qkv[2]))


@program("forward · backward", X, W)
def a_function_in_the_loss() -> Any:
    def norm(x: Any) -> Any:
        return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(jnp.mean(x**2, -1, keepdims=True))

    def loss(x: Any, w: Any) -> Any:
        seen = norm(x)
        return -jnp.mean(jnp.log(jnp.abs(jnp.tanh(seen @ w) - 0.5)))

    return jax.grad(loss, argnums=1)


@program("forward (layer, layer, loss) · backward (loss ⟵, layer ⟵, layer ⟵)", TWO, X)
def two_layers() -> Any:
    def layer(w: Any, x: Any) -> Any:
        return jnp.tanh(x @ w) * 2 + x.sum()

    def loss(params: Any, x: Any) -> Any:
        x = layer(params["hidden"], x)
        x = layer(params["out"], x)
        return jnp.mean(x**2)

    return jax.grad(loss)


@program("forward (layer, layer, squared) · backward (squared ⟵, layer ⟵, layer ⟵)", TWO, X)
def two_layers_and_another_name() -> Any:
    def layer(w: Any, x: Any) -> Any:
        return jnp.tanh(x @ w) * 2 + x.sum()

    def squared(params: Any, x: Any) -> Any:
        x = layer(params["hidden"], x)
        x = layer(params["out"], x)
        return jnp.mean(x**2)

    return jax.grad(squared)


@program(
    "forward (layers[0], layers[1], layers[2], loss)"
    " · backward (loss ⟵, layers[2] ⟵, layers[1] ⟵, layers[0] ⟵)",
    LAYERS,
    X,
)
def layers_in_a_loop() -> Any:
    def predict(params: Any, x: Any) -> Any:
        for layer in params["layers"]:
            x = jnp.tanh(x @ layer["w"] + layer["b"])
        return x

    def loss(params: Any, x: Any) -> Any:
        return jnp.mean(predict(params, x) ** 2)

    return jax.grad(loss)


@program(
    "forward (ws[0], ws[1], ws[2], loss) · backward (loss ⟵, ws[2] ⟵, ws[1] ⟵, ws[0] ⟵)",
    [jnp.eye(4)] * 3,
    X,
)
def a_list_of_weights() -> Any:
    def loss(ws: Any, x: Any) -> Any:
        for w in ws:
            x = jnp.tanh(x @ w)
        return jnp.mean(x**2)

    return jax.value_and_grad(loss)


@program("forward (hidden, out, loss) · backward (loss ⟵, out ⟵, hidden ⟵)", TWO, X)
def weights_in_a_dict() -> Any:
    def loss(params: Any, x: Any) -> Any:
        x = jnp.sin(jnp.tanh(x @ params["hidden"]))
        x = jnp.sin(jnp.tanh(x @ params["out"]))
        return jnp.mean(x**2)

    return jax.grad(loss)


@program(
    "forward (hidden, out, loss) · backward (loss ⟵, out ⟵, hidden ⟵) · optimizer",
    TWO,
    X,
)
def a_step_of_two_layers() -> Any:
    def loss(params: Any, x: Any) -> Any:
        x = jnp.sin(jnp.tanh(x @ params["hidden"]))
        x = jnp.sin(jnp.tanh(x @ params["out"]))
        return jnp.mean(x**2)

    def step(params: Any, x: Any) -> Any:
        slopes = jax.grad(loss)(params, x)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, slopes)

    return step


@program("forward (scan) · backward (scan)", V, X)
def of_a_scan() -> Any:
    def cell(h: Any, x: Any) -> Any:
        h = jnp.tanh(x * 2 + jax.nn.sigmoid(x + h) * h)
        return h, h.sum()

    def loss(h: Any, xs: Any) -> Any:
        return lax.scan(cell, h, xs)[1].sum()

    return jax.grad(loss)


@program("forward (cond) · backward (cond)", V)
def of_a_cond() -> Any:
    def loss(x: Any) -> Any:
        return lax.cond(x[0] > 0, jnp.sin, jnp.cos, x).sum() * 2

    return jax.grad(loss)


@program(
    "forward (associative_scan (combine, combine, combine, combine), mean)"
    " · backward (associative_scan ⟵ (combine ⟵, combine ⟵))",
    V,
    X,
)
def of_an_associative_scan() -> Any:
    def combine(a: Any, b: Any) -> Any:
        return a[0] * b[0], b[0] * a[1] + b[1]

    def loss(A: Any, x: Any) -> Any:
        decay = jnp.exp(-jnp.exp(A)) * jnp.ones_like(x)
        states = lax.associative_scan(combine, (decay, x))[1]
        return jnp.mean(jnp.tanh(states @ jnp.eye(4)) ** 2)

    return jax.grad(loss)


@program("forward · backward", V)
def of_a_loop_of_lines() -> Any:
    def loss(x: Any) -> Any:
        for _ in range(3):
            x = jnp.sin(x) * 2
        return x.sum()

    return jax.grad(loss)


@program("forward (weights, mean) · backward", X, jnp.ones((5, 4)))
def cross_entropy() -> Any:
    def loss(logits: Any, y: Any) -> Any:
        weights = jax.nn.softmax(logits)
        return -jnp.mean(y * jnp.log(weights + 1e-6))

    return jax.grad(loss)


@program("forward · backward · forward · backward", V)
def of_a_gradient() -> Any:
    def energy(x: Any) -> Any:
        return jnp.sum(jnp.sin(x) * x)

    return jax.grad(lambda x: jnp.sum(jax.grad(energy)(x) ** 2))


@program(
    "forward (encode (hidden, out), loss) · backward (loss ⟵, encode ⟵ (out ⟵, hidden ⟵))", TWO, X
)
def through_one_function() -> Any:
    def encode(params: Any, x: Any) -> Any:
        return jnp.tanh(jnp.tanh(x @ params["hidden"]) @ params["out"])

    def loss(params: Any, x: Any) -> Any:
        code = encode(params, x)
        return jnp.mean((jnp.sin(code) - jnp.cos(code)) ** 2)

    return jax.grad(loss)
