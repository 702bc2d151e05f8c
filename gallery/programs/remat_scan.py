import jax
import jax.numpy as jnp


def norm(x):
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-6)


def attention(p, x):
    q, k, v = (jnp.einsum("btd,dhk->bthk", x, p[name]) for name in ("q", "k", "v"))
    weights = jax.nn.softmax(jnp.einsum("bqhk,bthk->bhqt", q, k))
    return jnp.einsum("bhqt,bthk,hkd->bqd", weights, v, p["out"])


@jax.checkpoint
def block(x, p):
    x = x + attention(p["attention"], norm(x))
    return x + jax.nn.gelu(norm(x) @ p["up"]) @ p["down"], None


layers, d, heads, size = 6, 16, 2, 8
attn = {name: jnp.ones((layers, d, heads, size)) for name in ("q", "k", "v")}
stacked = {
    "attention": attn | {"out": jnp.ones((layers, heads, size, d))},
    "up": jnp.ones((layers, d, 4 * d)),
    "down": jnp.ones((layers, 4 * d, d)),
}
params = {"embed": jnp.ones((50, d)), "layers": stacked}


def loss(params, tokens):
    x, _ = jax.lax.scan(block, params["embed"][tokens], params["layers"])
    logits = norm(x) @ params["embed"].T
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[..., None], -1))


def step(params, tokens):
    value, grads = jax.value_and_grad(loss)(params, tokens)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


step(params, jnp.zeros((2, 12), jnp.int32))
