import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, w_ref, out_ref):
    product = jnp.dot(x_ref[...], w_ref[...])
    out_ref[...] = jnp.maximum(product, 0.0) + x_ref[:, :1]


def f(x, w):
    x = jnp.tanh(x @ w)
    call = pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(2,),
        in_specs=[
            pl.BlockSpec((8, 16), lambda i: (i, 0)),
            pl.BlockSpec((16, 16), lambda i: (0, 0)),
        ],
        out_specs=pl.BlockSpec((8, 16), lambda i: (i, 0)),
        interpret=True,
    )
    return call(x, w) @ w


f(jnp.ones((16, 16)), jnp.ones((16, 16)))
