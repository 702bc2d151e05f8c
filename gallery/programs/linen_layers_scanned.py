import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class Layer(nn.Module):
    @nn.compact
    def __call__(self, x, mask):
        y = nn.RMSNorm(name="norm_1")(x)
        x = x + nn.MultiHeadDotProductAttention(num_heads=2, name="attention")(y, mask=mask)
        y = nn.RMSNorm(name="norm_2")(x)
        gate, up = nn.Dense(32, name="gate")(y), nn.Dense(32, name="up")(y)
        return x + nn.Dense(16, name="down")(nn.silu(gate) * up), None


class Transformer(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(50, 16, name="embed")(tokens)
        layers = nn.scan(
            nn.remat(Layer, prevent_cse=False),
            variable_axes={"params": 0},
            split_rngs={"params": True},
            in_axes=nn.broadcast,
            length=4,
        )
        x, _ = layers(name="layers")(x, nn.make_causal_mask(tokens))
        return nn.Dense(50, name="head")(nn.RMSNorm(name="norm")(x))


model, tokens = Transformer(), jnp.zeros((2, 8), jnp.int32)
params = model.init(jax.random.key(0), tokens)
optimizer = optax.adamw(1e-3)


def loss_fn(params, tokens):
    logits = model.apply(params, tokens)[:, :-1]
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


@jax.jit
def train_step(params, opt_state, tokens):
    loss, grads = jax.value_and_grad(loss_fn)(params, tokens)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


train_step(params, optimizer.init(params), tokens)
