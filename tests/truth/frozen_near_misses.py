"""Notebooks in which no jitted function keeps an earlier value, or no cell can call it.

The form is that of `frozen_values.py`."""

from __future__ import annotations

SILENT: dict[str, str] = {}

ALL = """
scale = 2.0
def helper(x): return x + bias
bias = 1.0
class Config:
    width = 3
config = Config()
# %%
w = jnp.ones(3)
# %%
@jax.jit
def f(x): return helper(x) * scale * w * config.width
# %%
f(x)
# %%
scale = 3.0
"""
SILENT["run_all_twice"] = f"{ALL}\n# %%\n{ALL}\n# %%\nf(x)".replace("scale = 3.0\n\n# %%\nf(x)", "")
SILENT["helper_defined_again_unchanged"] = """
def helper(x, by=2.0): return jnp.sin(x) * by
@jax.jit
def f(x): return helper(x)
f(x)
# %%

# The same once more.
def helper(x, by=2.0): return jnp.sin(x) * by
f(x)
"""
SILENT["class_defined_again_unchanged"] = """
class Layer:
    scale = 2.0
    def call(self, x): return x * self.scale
layer = Layer()
@jax.jit
def f(x): return layer.call(x)
f(x)
# %%
class Layer:
    scale = 2.0
    def call(self, x): return x * self.scale
layer = Layer()
f(x)
"""
SILENT["config_made_again"] = """
@dataclasses.dataclass
class Config:
    lr: float = 0.1
config = Config()
def decay(w, c): return w - c.lr * w
@jax.jit
def step(w): return decay(w, config) * config.lr
step(x)
# %%
config = Config()
step(x)
"""
SILENT["data_loaded_again"] = """
data = jnp.arange(3.0)
# %%
@jax.jit
def loss(x): return jnp.sum((x - data) ** 2)
# %%
loss(x)
# %%
data = jnp.arange(3.0)
# %%
loss(x)
"""
SILENT["cell_that_only_sets_it"] = """
scale = 2.0
@jax.jit
def f(x): return x * scale
f(x)
# %%
scale = 5.0
# %%
print(scale)
"""
SILENT["set_back"] = """
scale = 2.0
@jax.jit
def f(x): return x * scale
f(x)
# %%
scale = 5.0
# %%
scale = 2.0
f(x)
"""
SILENT["defined_again"] = """
scale = 2.0
@jax.jit
def f(x): return x * scale
f(x)
# %%
scale = 5.0
@jax.jit
def f(x): return x * scale
f(x)
"""
SILENT["caches_cleared"] = """
scale = 2.0
@jax.jit
def f(x): return x * scale
f(x)
# %%
scale = 5.0
jax.clear_caches()
f(x)
"""
SILENT["its_cache_cleared"] = """
scale = 2.0
@jax.jit
def f(x): return x * scale
f(x)
# %%
scale = 5.0
f.clear_cache()
f(x)
"""
SILENT["counter_of_traces"] = """
count = 0
@jax.jit
def f(x):
    global count
    count += 1
    return x * 2
f(x)
# %%
count = 0
f(x)
"""
SILENT["list_of_traces"] = """
traced = []
class Seen: calls = 0
seen = Seen()
@jax.jit
def f(x):
    traced.append(x.shape)
    seen.calls += 1
    return x * 2
f(x)
# %%
traced.clear(); seen.calls = 0
f(x)
"""
SILENT["printed_at_the_trace"] = """
epoch = 0
@jax.jit
def f(x):
    print("tracing in epoch", epoch)
    return x * 2
f(x)
# %%
epoch = 1
f(x)
"""
SILENT["branch_not_run"] = """
doubled, by, bias = False, 2.0, 1.0
def shifted(x): return x + bias
@jax.jit
def f(x):
    y = x * 3
    if doubled:
        y = shifted(y) * by
    return y
f(x)
# %%
by = 5.0
bias = 2.0
f(x)
"""
SILENT["passed_as_an_argument"] = """
scale = 2.0
@jax.jit
def f(x, scale): return x * scale
f(x, scale)
# %%
scale = 5.0
f(x, scale)
"""
SILENT["local_variable"] = """
scale = 2.0
@jax.jit
def f(x):
    scale = 3.0
    return jax.vmap(lambda one: one * scale)(x)
f(x)
# %%
scale = 5.0
f(x)
"""
SILENT["not_jitted_but_shown"] = """
scale = 2.0
def g(x): return x * scale
jax.make_jaxpr(g)(x)
# %%
scale = 5.0
g(x)
"""
SILENT["static_value_with_equality"] = """
@dataclasses.dataclass(frozen=True)
class Config:
    lr: float = 0.1
@dataclasses.dataclass(unsafe_hash=True)
class Sim:
    dt: float = 0.1
    @partial(jax.jit, static_argnums=0)
    def step(self, x): return x + self.dt
@partial(jax.jit, static_argnames="config")
def f(x, config): return x * config.lr
config, sim = Config(), Sim()
f(x, config), sim.step(x)
# %%
config = Config(0.2)
sim.dt = 0.2
f(x, config), sim.step(x)
"""
SILENT["another_entry_of_the_dict"] = """
cfg = {"lr": 0.1, "seed": 0}
@dataclasses.dataclass
class Config:
    width: int = 3
    title: str = "a"
config = Config()
def wide(x, config): return x * config.width
@jax.jit
def step(w): return wide(w, config) - cfg["lr"] * w
step(x)
# %%
cfg["seed"] = 1
config.title = "b"
step(x)
"""
SILENT["another_function_of_that_name"] = """
scale = 2.0
@jax.jit
def f(x): return x * scale
g = f
f(x)
# %%
scale = 5.0
def f(x): return x * scale
f(x)
"""
SILENT["named_in_a_text"] = """
scale = 2.0
@jax.jit
def f(x): return x * scale
f(x)
# %%
scale = 5.0
print("f(x) comes later")  # f(x)
"""
SILENT["traced_again_with_the_new_value"] = """
scale = 2.0
@jax.jit
def f(x): return x * scale
f(x)
# %%
scale = 5.0
jax.clear_caches()
f(x)
# %%
f(x)
"""
SILENT["field_of_an_equinox_module"] = """
import equinox as eqx
class Net(eqx.Module):
    w: jax.Array
    gain: float
    @eqx.filter_jit
    def __call__(self, x): return self.w * x * self.gain
net = Net(jnp.ones(3), 2.0)
net(x)
# %%
net = Net(jnp.ones(3), 3.0)
net(x)
"""
SILENT["state_of_an_nnx_module"] = """
from flax import nnx
class Counter(nnx.Module):
    def __init__(self): self.count = nnx.Variable(jnp.zeros(3)); self.by = 2
    def __call__(self, x):
        self.count[...] += 1
        return x + self.count[...] * self.by
counter = Counter()
@nnx.jit
def run(counter, x): return counter(x)
run(counter, x)
# %%
run(counter, x)
# %%
counter.by = 3
run(counter, x)
"""
