"""Notebooks in which a jitted function keeps a value that Python read during its trace.

Each notebook is a text of cells, divided by `# %%`. `#! f scale: 2.0 → 5.0` says that the line under
this cell reports that `f` still uses `scale` = 2.0, and that it is 5.0 now. For values that are not
shown it says `#! f w: another array`. Cells without such a comment show no line. `SETUP` runs first.
"""

from __future__ import annotations

import re

SETUP = """
import dataclasses, enum, functools, types
import jax, jax.numpy as jnp, numpy as np
from functools import partial
x, y = jnp.ones(3), jnp.ones(4)
%jaxviz on
"""

FOUND: dict[str, str] = {}
SILENT: dict[str, str] = {}

FOUND["global"] = """
scale = 2.0
@jax.jit
def f(x): return x * scale
# %%
f(x)
# %%
scale = 5.0
# %%
f(x)  #! f scale: 2.0 → 5.0
# %%
f(x)
# %%
scale = 6.0
f(x)  #! f scale: 2.0 → 6.0
"""
FOUND["attribute_of_self"] = """
class Sim:
    dt = 0.1
    @partial(jax.jit, static_argnums=0)
    def step(self, x): return x + self.dt
sim = Sim()
# %%
sim.step(x)
# %%
sim.dt = 1.0
sim.step(x)  #! step sim.dt: 0.1 → 1.0
"""
FOUND["closure"] = """
def make():
    rate = 0.1
    @jax.jit
    def update(w): return w - rate * w
    def set_rate(new):
        nonlocal rate
        rate = new
    return update, set_rate
update, set_rate = make()
# %%
update(x)
# %%
set_rate(0.5)
# %%
update(x)  #! update rate: 0.1 → 0.5
"""
FOUND["entry_of_dict"] = """
cfg = {"lr": 0.1, "seed": 0}
@jax.jit
def step(w): return w - cfg["lr"] * w
step(x)
# %%
cfg["lr"] = 0.01
for _ in range(3): step(x)  #! step cfg['lr']: 0.1 → 0.01
"""
FOUND["read_by_a_helper_and_called_by_another"] = """
temperature = 1
def scaled(x): return x / temperature
@jax.jit
def sample(x): return jnp.exp(scaled(x))
def run():
    return sample(x)
run()
# %%
temperature = 4
run()  #! sample temperature: 1 → 4
"""
FOUND["helper_with_other_code"] = """
def activation(x): return jnp.tanh(x)
@jax.jit
def layer(x): return activation(x) * 2
layer(x)
# %%
def activation(x): return jnp.sin(x)
# %%
layer(x)  #! layer activation: another function
"""
FOUND["array"] = """
w = jnp.ones(3)
predict = jax.jit(lambda x: x @ w)
# %%
predict(x)
# %%
w = w * 0.5
print(predict(x))  #! <lambda> w: another array
"""
FOUND["numpy_array_in_place"] = """
table = np.arange(3.0)
@jax.jit
def lookup(x): return x + table
lookup(x)
# %%
table[0] = 7
lookup(x)  #! lookup table: other values
"""
FOUND["branch"] = """
class Mode(enum.Enum):
    TRAIN = 1
    EVAL = 2
mode = Mode.TRAIN
@jax.jit
def f(x):
    if mode is Mode.TRAIN:
        return x * 0.5
    return x
f(x)
# %%
mode = Mode.EVAL
f(x)  #! f mode: Mode.TRAIN → Mode.EVAL
"""
FOUND["static_object_that_changes"] = """
class Options:
    def __init__(self): self.power = 2
options = Options()
@partial(jax.jit, static_argnames="o")
def f(x, o): return x ** o.power
f(x, options)
# %%
options.power = 3
f(x, options)  #! f o.power: 2 → 3
"""
FOUND["jit_of_a_bound_method"] = """
class Trainer:
    def __init__(self):
        self.rate = 0.1
        self.update = jax.jit(self._update)
    def _update(self, w): return w - self.rate * w
    def fit(self, w):
        for _ in range(2): w = self.update(w)
        return w
trainer = Trainer()
trainer.fit(x)
# %%
trainer.rate = 0.2
trainer.fit(x)  #! _update trainer.rate: 0.1 → 0.2
"""
FOUND["attribute_of_a_module"] = """
settings = types.ModuleType("settings")
settings.eps = 1e-3
@jax.jit
def norm(x): return x / (jnp.sum(x) + settings.eps)
norm(x)
# %%
settings.eps = 1e-6
norm(x)  #! norm settings.eps: 0.001 → 1e-06
"""
FOUND["dataclass_passed_to_a_helper"] = """
@dataclasses.dataclass
class Config:
    lr: float = 0.1
    name: str = "a"
config = Config()
def decay(w, c): return w - c.lr * w
@jax.jit
def step(w): return decay(w, config)
step(x)
# %%
config.lr, config.name = 0.3, "b"
step(x)  #! step config.lr: 0.1 → 0.3
"""
FOUND["body_of_a_loop"] = """
steps, gain = 3, 1.5
@jax.jit
def roll(x):
    def body(carry, _):
        return carry * gain, None
    return jax.lax.scan(body, x, None, length=steps)[0]
roll(x)
# %%
steps, gain = 4, 2.5
roll(x)  #! roll gain: 1.5 → 2.5  #! roll steps: 3 → 4
"""
FOUND["value_used_by_a_number_of_python"] = """
base = 2.0
def rate(): return base * 10
@jax.jit
def f(x):
    r = rate()
    return x * r
f(x)
# %%
base = 3.0
f(x)  #! f base: 2.0 → 3.0
"""
FOUND["tuple_and_list"] = """
axes, widths = (0, 1), [4, 8]
@jax.jit
def f(x): return jnp.sum(x, axis=axes[0]) * len(widths)
f(x)
# %%
axes = (0, 2)
widths.append(16)
f(x)  #! f widths: [4, 8] → [4, 8, 16]
"""
FOUND["changed_inside_of_the_cell"] = """
scale = 2.0
@jax.jit
def f(x): return x * scale
f(x)
scale = 3.0
f(x)  #! f scale: 2.0 → 3.0
"""
FOUND["back_and_changed_again"] = """
scale = 2.0
@jax.jit
def f(x): return x * scale
f(x)
# %%
scale = 5.0
f(x)  #! f scale: 2.0 → 5.0
# %%
scale = 2.0
f(x)
# %%
scale = 5.0
f(x)  #! f scale: 2.0 → 5.0
"""
FOUND["nnx_module_reads_a_config"] = """
from flax import nnx
@dataclasses.dataclass
class Config:
    rate: float = 0.5
config = Config()
class Model(nnx.Module):
    def __init__(self, rngs): self.linear = nnx.Linear(3, 3, rngs=rngs)
    def __call__(self, x): return self.linear(x) * config.rate
@nnx.jit
def predict(model, x): return model(x)
model = Model(nnx.Rngs(0))
predict(model, x)
# %%
config.rate = 0.9
predict(model, x)  #! predict config.rate: 0.5 → 0.9
"""
FOUND["equinox_method_reads_a_global"] = """
import equinox as eqx
gain = 2.0
class Net(eqx.Module):
    w: jax.Array
    @eqx.filter_jit
    def __call__(self, x): return self.w * x * gain
net = Net(jnp.ones(3))
net(x)
# %%
gain = 3.0
net(x)  #! * gain: 2.0 → 3.0
"""
FOUND["optax_schedule_of_a_global"] = """
import optax
peak = 0.1
optimizer = optax.sgd(lambda step: peak / (step + 1))
@jax.jit
def update(w, state):
    change, state = optimizer.update(w, state)
    return optax.apply_updates(w, change) * peak, state
state = optimizer.init(x)
w, state = update(x, state)
# %%
peak = 0.2
w, state = update(w, state)  #! update peak: 0.1 → 0.2
"""

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

_MARK = re.compile(r"#!\s*(\S+)\s+([^:]+):\s*([^#\n]+)")


def cells(notebook: str) -> list[tuple[str, list[tuple[str, ...]]]]:
    """The code of each cell with its marks: function, path, and values."""
    parts = (part.strip("\n") for part in notebook.split("# %%"))
    return [
        (part, [tuple(text.strip() for text in mark) for mark in _MARK.findall(part)])
        for part in parts
    ]
