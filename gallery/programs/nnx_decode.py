import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs):
        self.norm_1 = nnx.LayerNorm(16, rngs=rngs)
        self.attn = nnx.MultiHeadAttention(2, 16, decode=True, rngs=rngs)
        self.norm_2 = nnx.LayerNorm(16, rngs=rngs)
        self.up = nnx.Linear(16, 32, rngs=rngs)
        self.down = nnx.Linear(32, 16, rngs=rngs)

    def __call__(self, x):
        x = x + self.attn(self.norm_1(x))
        return x + self.down(nnx.gelu(self.up(self.norm_2(x))))


class Decoder(nnx.Module):
    def __init__(self, rngs):
        self.embed = nnx.Embed(50, 16, rngs=rngs)
        self.blocks = nnx.List([Block(rngs) for _ in range(2)])
        self.head = nnx.Linear(16, 50, rngs=rngs)

    def __call__(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


model = Decoder(nnx.Rngs(0))
for block in model.blocks:
    block.attn.init_cache((3, 12, 16))


@nnx.jit
def decode_step(model, token):
    logits = model(token)
    return jnp.argmax(logits[:, -1], axis=-1)[:, None]


decode_step(model, jnp.zeros((3, 1), int))
