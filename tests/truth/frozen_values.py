"""Notebooks in which a jitted function keeps a value that Python read during its trace.

Each notebook is a text of cells, divided by `# %%`. `#! f scale: 2.0 → 5.0` says that the line
under this cell reports that `f` still uses `scale` = 2.0, and that it is 5.0 now. For values that
are not shown it says `#! f w: another array`. Cells without such a comment show no line. `SETUP`
runs first.
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
FOUND["field_of_named_tuple"] = """
from typing import NamedTuple
class Config(NamedTuple):
    lr: float
cfg = Config(0.1)
@jax.jit
def step(w): return w - cfg.lr * w
step(x)
# %%
cfg = cfg._replace(lr=0.01)
step(x)  #! step cfg.lr: 0.1 → 0.01
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
f(x)  #! f mode: TRAIN → EVAL
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

_MARK = re.compile(r"#!\s*(\S+)\s+([^:]+):\s*([^#\n]+)")


def cells(notebook: str) -> list[tuple[str, list[tuple[str, ...]]]]:
    """The code of each cell with its marks: function, path, and values."""
    parts = (part.strip("\n") for part in notebook.split("# %%"))
    return [
        (part, [tuple(text.strip() for text in mark) for mark in _MARK.findall(part)])
        for part in parts
    ]
