import jax
import jax.numpy as jnp


def embed(t):
    angles = t[:, None] * jnp.exp(jnp.linspace(0.0, -6.0, 8))
    return jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1)


def dense(p, x):
    return jax.nn.silu(x @ p["w"] + p["b"])


def unet(p, x, t):
    t = dense(p["time"], embed(t))
    down1 = dense(p["down1"], jnp.concatenate([x, t], -1))
    down2 = dense(p["down2"], down1)
    middle = dense(p["middle"], down2)
    up2 = dense(p["up2"], jnp.concatenate([middle, down2], -1))
    up1 = dense(p["up1"], jnp.concatenate([up2, down1], -1))
    return up1 @ p["out"]["w"] + p["out"]["b"]


sizes = {"time": (16, 16), "down1": (48, 32), "down2": (32, 16), "middle": (16, 16)}
sizes |= {"up2": (32, 32), "up1": (64, 32), "out": (32, 32)}
params = {name: {"w": jnp.ones(s), "b": jnp.ones(s[1])} for name, s in sizes.items()}


def loss(params, key, x):
    time_key, noise_key = jax.random.split(key)
    alphas = jnp.cumprod(1 - jnp.linspace(1e-4, 0.02, 100))
    t = jax.random.randint(time_key, x.shape[:1], 0, 100)
    noise = jax.random.normal(noise_key, x.shape)
    a = alphas[t][:, None]
    noisy = jnp.sqrt(a) * x + jnp.sqrt(1 - a) * noise
    return jnp.mean((unet(params, noisy, t.astype(float)) - noise) ** 2)


jax.value_and_grad(loss)(params, jax.random.key(0), jnp.ones((4, 32)))
