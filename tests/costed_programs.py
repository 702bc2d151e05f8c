"""Programs whose costs are held against those that XLA reports, by family: `PROGRAMS`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import models
from jax import lax

Call = tuple[Callable[..., Any], tuple[Any, ...]]


def f32(*shape: int) -> Any:
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def of(dtype: str, *shape: int) -> Any:
    return jax.ShapeDtypeStruct(shape, dtype)


def conv(x: Any, w: Any, strides: Any = (1, 1), padding: Any = "SAME", **more: Any) -> Any:
    numbers = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=numbers, **more)


def conv_grad(x: Any, w: Any) -> Any:
    y, pull = jax.vjp(lambda x, w: conv(x, w, (2, 2)), x, w)
    return y, pull(y)


def pooled(x: Any) -> Any:
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def mlp(params: Any, x: Any) -> Any:
    for w, b in params:
        x = jnp.tanh(x @ w + b)
    return jnp.mean(x**2)


def known_choice(x: Any) -> Any:
    """A constant says which branch is taken, as in libraries with several methods."""
    return lax.switch(jnp.int32(1), [lambda x, y: y + 2.0, lambda x, y: x * x], x, jnp.sin(x))


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
    causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(causal, scores, -1e9)), v)


IMAGE, KERNEL = f32(2, 9, 9, 4), f32(3, 3, 4, 8)
MATRIX, SQUARE = f32(16, 32), f32(16, 16)
PARAMS = [(f32(32, 64), f32(64)), (f32(64, 8), f32(8))]

PROGRAMS: dict[str, dict[str, Call]] = {
    "elementwise": {
        "arithmetic": (lambda x: (x * x + 1.0) / (x - 2.0), (MATRIX,)),
        "functions": (lambda x: jnp.exp(x) + jnp.log1p(x) * jnp.tanh(x) ** 3, (MATRIX,)),
        "written out": (lambda x: lax.erf_inv(x) + lax.digamma(x) + jnp.sinh(x), (MATRIX,)),
        "gelu": (jax.nn.gelu, (MATRIX,)),
        "integers": (lambda x: (x * 3 + x // 4) % 7, (of("int32", 16, 32),)),
        "comparisons": (lambda x, y: jnp.where((x > y) & (y > 0), x, -y), (MATRIX, MATRIX)),
        "of several cases": (lax.select_n, (of("int32", 512), *[f32(512)] * 4)),
        "clipped": (lambda x: jnp.clip(x, 0.0, 6.0), (MATRIX,)),
        "powers": (lambda x: x**7 + x**-2 + x**0.5, (MATRIX,)),
    },
    "low precision": {
        "bf16": (lambda x: x * x + x, (of("bfloat16", 16, 32),)),
        "bf16 product": (
            lambda x, w: jnp.tanh(x @ w),
            (of("bfloat16", 16, 32),) * 1 + (of("bfloat16", 32, 8),),
        ),
        "f16 sums": (lambda x: x.sum(0), (of("float16", 16, 32),)),
        "bf16 gradient": (
            jax.grad(mlp),
            (jax.tree.map(lambda a: of("bfloat16", *a.shape), PARAMS), of("bfloat16", 16, 32)),
        ),
        "int8 product": (
            lambda x: lax.dot(x, x.T, preferred_element_type=jnp.int32),
            (of("int8", 16, 32),),
        ),
    },
    "complex": {
        "arithmetic": (lambda x: x * x + 2.0 / x, (of("complex64", 16, 32),)),
        "functions": (lambda x: jnp.exp(x) + jnp.sin(x), (of("complex64", 16, 32),)),
        "product": (lambda x: x @ x.T, (of("complex64", 16, 32),)),
        "parts": (lambda x: jnp.real(x) + jnp.imag(x), (of("complex64", 16, 32),)),
    },
    "contraction": {
        "product": (lambda x, w: x @ w, (MATRIX, f32(32, 8))),
        "of batches": (
            lambda x, y: jnp.einsum("bij,bjk->bik", x, y),
            (f32(4, 8, 16), f32(4, 16, 2)),
        ),
        "attention": (attention, (f32(2, 16, 4, 8),) * 3),
        "attention's gradient": (
            jax.grad(lambda *a: attention(*a).sum(), (0, 1, 2)),
            (f32(2, 16, 4, 8),) * 3,
        ),
        "mlp": (mlp, (PARAMS, MATRIX)),
        "mlp's gradient": (jax.value_and_grad(mlp), (PARAMS, MATRIX)),
    },
    "convolution": {
        "valid": (lambda x, w: conv(x, w, padding="VALID"), (IMAGE, KERNEL)),
        "same, strided": (lambda x, w: conv(x, w, (2, 2)), (IMAGE, KERNEL)),
        "dilated": (lambda x, w: conv(x, w, rhs_dilation=(2, 3)), (IMAGE, KERNEL)),
        "input dilated": (
            lambda x, w: conv(x, w, padding=[(1, 2), (2, 1)], lhs_dilation=(2, 3)),
            (IMAGE, KERNEL),
        ),
        "grouped": (lambda x, w: conv(x, w, feature_group_count=2), (IMAGE, f32(3, 3, 2, 8))),
        "depthwise": (lambda x, w: conv(x, w, feature_group_count=4), (IMAGE, f32(3, 3, 1, 8))),
        "batch groups": (lambda x, w: conv(x, w, batch_group_count=2), (f32(4, 9, 9, 4), KERNEL)),
        "transposed": (lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"), (IMAGE, KERNEL)),
        "gradient": (conv_grad, (IMAGE, KERNEL)),
        "complex": (
            lambda x, w: lax.conv(x, w, (1,), "SAME"),
            (of("complex64", 2, 4, 16), of("complex64", 8, 4, 3)),
        ),
        "negative padding": (
            lambda x, w: lax.conv_general_dilated(x, w, (1,), [(-1, -2)]),
            (f32(2, 4, 16), f32(8, 4, 3)),
        ),
    },
    "fft": {
        "of 3 × 100": (jnp.fft.fft, (of("complex64", 3, 100),)),
        "of real numbers": (jnp.fft.rfft, (f32(3, 100),)),
        "back to real numbers": (jnp.fft.irfft, (of("complex64", 3, 51),)),
        "of two dimensions": (jnp.fft.fft2, (of("complex64", 3, 32, 16),)),
        "real, of two dimensions": (jnp.fft.rfft2, (f32(3, 32, 16),)),
    },
    "reduction": {
        "softmax": (jax.nn.softmax, (MATRIX,)),
        "variance": (lambda x: jnp.var(x, axis=1), (MATRIX,)),
        "largest, where": (lambda x: (jnp.argmax(x, 1), jnp.max(x, 0)), (MATRIX,)),
        "any, all": (lambda x: (jnp.any(x > 0, 0), jnp.all(x > 0, 1)), (MATRIX,)),
        "running sums": (lambda x: jnp.cumsum(x, 1), (MATRIX,)),
        "running log of sums of exps": (lambda x: lax.cumlogsumexp(x, 1), (MATRIX,)),
        "pooling": (pooled, (IMAGE,)),
        "pooling's gradient": (jax.grad(lambda x: pooled(x).sum()), (IMAGE,)),
        "pooling's tangent": (lambda x: jax.jvp(pooled, (x,), (x,)), (IMAGE,)),
        "sort": (lambda x: jnp.sort(x, axis=1), (MATRIX,)),
        "sort by": (lambda x: lax.sort((x, x + 1.0), num_keys=1), (MATRIX,)),
        "norm": (lambda x: jnp.linalg.norm(x, axis=1), (MATRIX,)),
    },
    "movement": {
        "rows": (lambda x, i: x[i], (MATRIX, of("int32", 5))),
        "rows or NaN": (lambda x, i: jnp.take(x, i, axis=0, mode="fill"), (MATRIX, of("int32", 5))),
        "rows added": (lambda x, i: x.at[i].add(1.0), (MATRIX, of("int32", 5))),
        "a slice": (lambda x, i: lax.dynamic_slice(x, (i, 0), (4, 32)), (MATRIX, of("int32"))),
        "an update": (
            lambda x, y, i: lax.dynamic_update_slice(x, y, (i, 0)),
            (MATRIX, f32(2, 32), of("int32")),
        ),
        "one-hot": (lambda i: jax.nn.one_hot(i, 10), (of("int32", 64),)),
        "moved about": (
            lambda x: jnp.concatenate([x.T.reshape(16, 32), x[::-1]]).astype(jnp.int32),
            (MATRIX,),
        ),
    },
    "training steps": {
        name.removesuffix("_step"): getattr(models, name)()
        for name in sorted(vars(models))
        if name.endswith("_step")
    },
    "random": {
        "normal": (lambda k: jax.random.normal(k, (64,)), (jax.random.key(0),)),
        "dropout": (
            lambda k, x: jnp.where(jax.random.bernoulli(k, 0.9, x.shape), x, 0.0),
            (jax.random.key(0), MATRIX),
        ),
    },
    "linear algebra": {
        "cholesky": (jnp.linalg.cholesky, (SQUARE,)),
        "solve": (jnp.linalg.solve, (SQUARE, f32(16, 2))),
        "triangular solve": (
            lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True),
            (SQUARE, f32(16, 2)),
        ),
        "qr": (jnp.linalg.qr, (MATRIX,)),
        "svd": (jnp.linalg.svd, (MATRIX,)),
        "eigh": (jnp.linalg.eigh, (SQUARE,)),
    },
    "loops": {
        "scan": (lambda x: lax.scan(lambda c, r: (c + r, c), x[0], x), (MATRIX,)),
        "fori": (lambda x: lax.fori_loop(0, 7, lambda _, x: x * x, x), (MATRIX,)),
        "while": (lambda x: lax.while_loop(lambda x: x[0, 0] < 9.0, lambda x: x + x, x), (MATRIX,)),
        "choice": (lambda x: lax.cond(x[0, 0] > 0, jnp.sin, lambda x: x * x + 1.0, x), (MATRIX,)),
        "known choice": (known_choice, (MATRIX,)),
    },
}
