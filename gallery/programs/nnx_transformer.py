import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Block(nnx.Module):
    def __init__(self, width, rngs):
        self.norm1 = nnx.LayerNorm(width, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(4, width, decode=False, rngs=rngs)
        self.norm2 = nnx.LayerNorm(width, rngs=rngs)
        self.up = nnx.Linear(width, 4 * width, rngs=rngs)
        self.down = nnx.Linear(4 * width, width, rngs=rngs)

    def __call__(self, x, mask):
        x = x + self.attention(self.norm1(x), mask=mask)
        return x + self.down(nnx.gelu(self.up(self.norm2(x))))


class Transformer(nnx.Module):
    def __init__(self, words, width, layers, rngs):
        self.embed = nnx.Embed(words, width, rngs=rngs)
        self.layers = nnx.List([Block(width, rngs) for _ in range(layers)])
        self.norm = nnx.LayerNorm(width, rngs=rngs)

    def __call__(self, tokens):
        mask = nnx.make_causal_mask(tokens)
        x = self.embed(tokens)
        for block in self.layers:
            x = block(x, mask)
        return self.embed.attend(self.norm(x))


graphdef, params = nnx.split(Transformer(64, 32, 3, nnx.Rngs(0)))
adam = optax.adam(1e-3)


def loss(params, tokens):
    logits = nnx.merge(graphdef, params)(tokens[:, :-1])
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def train_step(params, state, tokens):
    value, grads = jax.value_and_grad(loss)(params, tokens)
    updates, state = adam.update(grads, state)
    return optax.apply_updates(params, updates), state, value


train_step(params, adam.init(params), jnp.zeros((2, 17), jnp.int32))
