import jax
import jax.numpy as jnp


def norm(p, x):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * p["scale"] + p["bias"]


def attention(p, x, heads):
    q, k, v = jnp.split(x @ p["qkv"] + p["qkv_bias"], 3, -1)
    q, k, v = (t.reshape(*t.shape[:-1], heads, -1) for t in (q, k, v))
    scores = jnp.einsum("qhd,khd->hqk", q, k) / jnp.sqrt(q.shape[-1])
    scores = jnp.where(jnp.tri(x.shape[0], dtype=bool), scores, -1e10)
    out = jnp.einsum("hqk,khd->qhd", jax.nn.softmax(scores), v)
    return out.reshape(x.shape) @ p["out"] + p["out_bias"]


def mlp(p, x):
    return jax.nn.gelu(x @ p["up"] + p["up_bias"]) @ p["down"] + p["down_bias"]


def block(p, x, heads):
    x = x + attention(p["attention"], norm(p["norm1"], x), heads)
    return x + mlp(p["mlp"], norm(p["norm2"], x))


def gpt2(params, tokens):
    x = params["wte"][tokens] + params["wpe"][jnp.arange(tokens.shape[0])]
    for p in params["layers"]:
        x = block(p, x, 4)
    return norm(params["norm"], x) @ params["wte"].T


d, words, length = 32, 100, 16
affine = {"scale": jnp.ones(d), "bias": jnp.zeros(d)}
attn = {"qkv": jnp.ones((d, 3 * d)), "qkv_bias": jnp.ones(3 * d)}
attn |= {"out": jnp.ones((d, d)), "out_bias": jnp.ones(d)}
dense = {"up": jnp.ones((d, 4 * d)), "up_bias": jnp.ones(4 * d)}
dense |= {"down": jnp.ones((4 * d, d)), "down_bias": jnp.ones(d)}
layer = {"norm1": affine, "attention": attn, "norm2": affine, "mlp": dense}
params = {"wte": jnp.ones((words, d)), "wpe": jnp.ones((length, d))}
params |= {"layers": [layer] * 12, "norm": affine}

gpt2(params, jnp.zeros(length, jnp.int32))
