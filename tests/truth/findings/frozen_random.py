"""Random numbers of NumPy and Python that are drawn during the trace, so that each call has the
same ones.

The comment stands at the line that draws. If several lines name the generator, it stands at the
first. A number that only a log gets is a near miss, and so is a generator that the function seeds.
"""

from __future__ import annotations

import inspect
import logging
import random
from functools import partial
from random import gauss

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax import random as keys

from . import array, case

X = array("float32", 8)
RNG = np.random.default_rng(0)
OLD = np.random.RandomState(0)
OWN = random.Random(0)
NOISE = np.random.default_rng(1).normal(size=8).astype("float32")
logger = logging.getLogger(__name__)


def scalar(x):
    return x + np.random.normal()  # finds: frozen-random


def whole_array(x):
    noise = np.random.normal(size=x.shape)  # finds: frozen-random
    return x + noise.astype("float32")


def of_python(x):
    return x * random.random()  # finds: frozen-random


def imported(x):
    return x * gauss(0.0, 1.0)  # finds: frozen-random


def generator(x):
    return x + RNG.normal()  # finds: frozen-random


def random_state(x):
    return x + OLD.uniform()  # finds: frozen-random


def own_random(x):
    return x + OWN.uniform(0.0, 1.0)  # finds: frozen-random


def noise_of(shape):
    return np.random.standard_normal(shape).astype("float32")  # finds: frozen-random


def helper(x):
    return jnp.tanh(x + noise_of(x.shape))


@jax.jit
def jitted(x):
    return jnp.where(np.random.rand(8) > 0.5, x, 0.0)  # finds: frozen-random


def seed_of_a_key(x):
    key = keys.key(np.random.randint(0, 1000))  # finds: frozen-random
    return x + keys.normal(key, x.shape)


def in_a_loop(x):
    def step(h, _):
        return jnp.tanh(h + random.gauss(0.0, 1.0)), None  # finds: frozen-random

    return lax.scan(step, x, length=3)[0]


def order(x):
    layers = [jnp.sin, jnp.exp, jnp.tanh]
    random.shuffle(layers)  # finds: frozen-random
    for layer in layers:
        x = layer(x)
    return x


def choice(x):
    if random.random() < 0.5:  # finds: frozen-random
        return jnp.sin(x)
    return jnp.cos(x)


def closure():
    rng = np.random.default_rng(3)

    def closed(x):
        return x + rng.normal()  # finds: frozen-random

    return closed


class Augment:
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def flip(self, x):
        return x * self.rng.uniform()  # finds: frozen-random

    def shadow(self, x):
        return self.flip(x) + 1.0


def logged_and_used(x):
    scale = np.random.uniform()  # finds: frozen-random
    print("scale", scale)
    return x * scale


def trained(x):
    def loss(w):
        return jnp.mean((w * x + np.random.normal()) ** 2)  # finds: frozen-random

    return jax.grad(loss)(x)


class Noisy(nn.Module):
    @nn.compact
    def __call__(self, x):
        h = nn.Dense(4)(x)
        return h + np.random.normal(size=4).astype("float32")  # finds: frozen-random


def flax_module(x):
    model = Noisy()
    return model.init_with_output(keys.key(0), x)[0]


class Jitter(eqx.Module):
    linear: eqx.nn.Linear

    def __call__(self, x):
        return self.linear(x) * random.uniform(0.9, 1.1)  # finds: frozen-random


def updated(params, grads):
    optimizer = optax.sgd(random.uniform(0.01, 0.1))  # finds: frozen-random
    updates, _ = optimizer.update(grads, optimizer.init(params))
    return optax.apply_updates(params, updates)


# Near misses


def seeded(x):
    np.random.seed(0)
    return x + np.random.normal(size=8).astype("float32")


def made_here(x):
    rng = np.random.default_rng(0)
    return x + rng.normal(size=8).astype("float32")


def python_made_here(x):
    return x * random.Random(0).random()


def drawn_outside(x):
    return x + NOISE + np.random.default_rng(2).normal()


def passed(x, noise):
    return x + noise * len(np.random.get_state())


def of_jax(key, x):
    return x + keys.normal(key, x.shape)


def printed(x):
    print("trace", random.randint(0, 9))
    return x * 2.0


def logged(x):
    number = random.randint(0, 9)
    logger.debug("trace %d of %s", number, x.shape)
    return x * 2.0


def sampled_log(x):
    if random.random() < 2.0:
        print("tracing")
    return x * 2.0


def dropped(x):
    random.random()
    return x * 2.0


def not_taken(x):
    if x.ndim > 3:
        return x + np.random.normal()
    return x + 1.0


def put_back(x):
    state = random.getstate()
    scale = random.random()
    random.setstate(state)
    return x * scale


def in_a_callback(x):
    def draw(x):
        return x + np.random.normal(size=x.shape).astype("float32")

    return jax.pure_callback(draw, jax.ShapeDtypeStruct((8,), "float32"), x)


def ignored(x):
    return x + np.random.normal()  # jaxviz: ignore frozen-random


def draws_elsewhere(x):
    return x * (1.0 if callable(np.random.normal) else 0.0)


AUGMENT = Augment()
LINEAR = eqx.nn.Linear(8, 4, key=keys.key(0))

CASES = [
    *(
        case(one, X)
        for one in (
            scalar,
            whole_array,
            of_python,
            imported,
            generator,
            random_state,
            own_random,
            jitted,
            seed_of_a_key,
            in_a_loop,
            order,
            choice,
            closure(),
            logged_and_used,
            trained,
            seeded,
            made_here,
            python_made_here,
            drawn_outside,
            printed,
            logged,
            sampled_log,
            dropped,
            not_taken,
            put_back,
            in_a_callback,
            ignored,
            draws_elsewhere,
        )
    ),
    case(helper, X, of=(noise_of,)),
    case(AUGMENT.shadow, X, of=(Augment.flip,)),
    case(partial(scalar), X)._replace(name="partial", source=(scalar,)),
    case(flax_module, X, of=(inspect.unwrap(Noisy.__call__),)),
    case(Jitter(LINEAR), X)._replace(name="equinox_module", source=(Jitter.__call__,)),
    case(updated, X, X),
    case(passed, X, X),
    case(of_jax, keys.key(0), X),
]
