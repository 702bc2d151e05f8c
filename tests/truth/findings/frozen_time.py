"""Times that are read during the trace, so that each call has the time of the trace.

The comment stands at the expression that takes the time as a number, or at the line that reads the
clock if the number is a result. A clock that only a log needs is a near miss.
"""

from __future__ import annotations

import datetime
import inspect
import time
from datetime import datetime as moment
from time import perf_counter

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import lax, random

from . import array, case

X = array("float32", 8)
START = time.time()
LOG: list[float] = []


def scaled(x):
    return x * time.time()  # finds: frozen-time


def by_variable(x):
    now = time.time()
    return jnp.sin(x) + now  # finds: frozen-time


def seed_of_a_key(x):
    key = random.key(int(time.time()))  # finds: frozen-time
    return x + random.normal(key, x.shape)


def counter(x):
    return x - perf_counter()  # finds: frozen-time


def monotonic(x):
    return x - time.monotonic()  # finds: frozen-time


def of_datetime(x):
    return x * moment.now().timestamp()  # finds: frozen-time


def with_a_zone(x):
    return x * datetime.datetime.now(datetime.UTC).timestamp()  # finds: frozen-time


def seconds_now():
    return time.time()


def helper(x):
    return x * seconds_now()  # finds: frozen-time


def returned(x):
    return {"loss": jnp.sum(x), "at": time.time()}  # finds: frozen-time


@jax.jit
def jitted(x):
    return jnp.where(x > 0, x, time.time())  # finds: frozen-time


def in_a_loop(x):
    def step(h, _):
        return jnp.tanh(h) * time.time(), None  # finds: frozen-time

    return lax.scan(step, x, length=3)[0]


def age_of_data(stamps):
    return time.time() - stamps  # finds: frozen-time


def whole_seconds(steps):
    return steps + int(time.time())  # finds: frozen-time


class Stamped(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(4)(x) * time.time()  # finds: frozen-time


def flax_module(x):
    return Stamped().init_with_output(random.key(0), x)[0]


class Clocked(eqx.Module):
    linear: eqx.nn.Linear

    def __call__(self, x):
        return self.linear(x) + time.time()  # finds: frozen-time


# Near misses


def timed(x):
    begin = time.time()
    y = jnp.tanh(x * 2.0)
    print("traced in", time.time() - begin)
    return y


def appended(x):
    LOG.append(time.time())
    return x * 2.0


def formatted(x):
    print("tracing at", moment.now().isoformat())
    return x + 1.0


def passed(x, now):
    print(time.time())
    return x * now


def simulated(x, time):
    return x * time


def written(x):
    print(time.time())
    return x * 1.7e9


def at_import(x):
    print("since", time.time() - START)
    return x * START


def fixed_day(x):
    epoch = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC).timestamp()
    return x - epoch


def in_a_callback(x):
    def stamp(x):
        return x * 0 + time.time() % 10

    return jax.pure_callback(stamp, jax.ShapeDtypeStruct((8,), "float32"), x)


def printed_by_jax(x):
    jax.debug.callback(lambda total: print(time.time(), total), jnp.sum(x))
    return x * 2.0


def slept(x):
    time.sleep(0.0)
    return x * 2.0


def large_size(x):
    print(time.time())
    return x * (x.shape[0] * 1000)


def ignored(x):
    return x * time.time()  # jaxviz: ignore frozen-time


LINEAR = eqx.nn.Linear(8, 4, key=random.key(0))

CASES = [
    *(
        case(one, X)
        for one in (
            scaled,
            by_variable,
            seed_of_a_key,
            counter,
            monotonic,
            of_datetime,
            with_a_zone,
            helper,
            returned,
            jitted,
            in_a_loop,
            age_of_data,
            timed,
            appended,
            formatted,
            written,
            at_import,
            fixed_day,
            in_a_callback,
            printed_by_jax,
            slept,
            large_size,
            ignored,
        )
    ),
    case(whole_seconds, array("int32", 8)),
    case(flax_module, X, of=(inspect.unwrap(Stamped.__call__),)),
    case(Clocked(LINEAR), X)._replace(name="equinox_module", source=(Clocked.__call__,)),
    case(passed, X, array("float32")),
    case(simulated, X, array("float32")),
]
