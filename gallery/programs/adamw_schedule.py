import jax
import jax.numpy as jnp
import optax

params = {"w1": jnp.ones((4, 8)), "w2": jnp.ones((8, 2)), "bias": jnp.ones(2)}
schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-3, 100, 1000)
decays = {"w1": True, "w2": True, "bias": False}
adamw = optax.chain(
    optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=0.1, mask=decays)
)


def loss(params, x, y):
    return jnp.mean((jax.nn.relu(x @ params["w1"]) @ params["w2"] + params["bias"] - y) ** 2)


def step(params, state, x, y):
    grads = jax.grad(loss)(params, x, y)
    updates, state = adamw.update(grads, state, params)
    return optax.apply_updates(params, updates), state


step(params, adamw.init(params), jnp.ones((4, 4)), jnp.ones((4, 2)))
