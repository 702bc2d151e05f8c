import jax
import jax.numpy as jnp


def gae(rewards, values, dones, last):
    def back(carry, step):
        advantage, after = carry
        reward, value, done = step
        delta = reward + 0.99 * after * (1 - done) - value
        advantage = delta + 0.99 * 0.95 * (1 - done) * advantage
        return (advantage, value), advantage

    zero = jnp.zeros_like(last)
    return jax.lax.scan(back, (zero, last), (rewards, values, dones), reverse=True)[1]


def actor_critic(p, x):
    x = jnp.tanh(x @ p["torso"])
    return jax.nn.log_softmax(x @ p["actor"]), (x @ p["critic"])[..., 0]


params = {"torso": jnp.ones((6, 32)), "actor": jnp.ones((32, 4)), "critic": jnp.ones((32, 1))}
steps, envs = 16, 3
batch = {name: jnp.ones((steps, envs)) for name in ("reward", "done", "value", "logp")}
batch |= {"obs": jnp.ones((steps, envs, 6)), "action": jnp.zeros((steps, envs), jnp.int32)}


def loss(params, batch):
    logp, value = actor_critic(params, batch["obs"])
    new = jnp.take_along_axis(logp, batch["action"][..., None], -1)[..., 0]
    advantage = gae(batch["reward"], batch["value"], batch["done"], batch["value"][-1])
    target = advantage + batch["value"]
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    ratio = jnp.exp(new - batch["logp"])
    clipped = jnp.clip(ratio, 0.8, 1.2)
    policy = -jnp.minimum(ratio * advantage, clipped * advantage).mean()
    entropy = -jnp.sum(jnp.exp(logp) * logp, -1).mean()
    return policy + 0.5 * jnp.mean((value - target) ** 2) - 0.01 * entropy


jax.value_and_grad(loss)(params, batch)
