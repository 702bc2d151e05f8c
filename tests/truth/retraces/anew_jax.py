"""Functions and objects that programs of plain JAX make anew: see `anew.py`."""

from __future__ import annotations

from .program import Edits

STATIC = """
@partial(jax.jit, static_argnames="act")
def step(x, act):  #= step
    ran.append("step")
    return act(x)
"""
CONFIG = """
class Config:
    def __init__(self, width):
        self.width = width
@partial(jax.jit, static_argnames="config")
def step(x, config):  #= step
    ran.append("step")
    return x * config.width
"""

JAX: dict[str, tuple[str, Edits]] = {
    "a lambda in a loop": (
        STATIC
        + """
# watch
for i in range(3):
    step(x8, lambda x: x * 2)  #> step: first; step: static act => `lambda` is made again in {file}, line 8: define it once, above the loop; step: static act
""",
        (
            ("for i in", "double = lambda x: x * 2\nfor i in"),
            ("step(x8, lambda x: x * 2)", "step(x8, double)"),
        ),
    ),
    "a lambda by name": (
        STATIC
        + """
# watch
for i in range(3):
    double = lambda x: x * 2
    step(x8, act=double)  #> step: first; step: static act => `double` is made again in {file}, line 8: define it once, above the loop; step: static act
""",
        (
            (
                "for i in range(3):\n    double = lambda x: x * 2",
                "double = lambda x: x * 2\nfor i in range(3):",
            ),
        ),
    ),
    "a function in a loop": (
        STATIC
        + """
# watch
for i in range(3):
    def double(x):
        return x * 2
    step(x8, double)  #> step: first; step: static act => `double` is made again in {file}, line 8: define it once, above the loop; step: static act
""",
        (
            (
                "for i in range(3):\n    def double(x):\n        return x * 2",
                "def double(x):\n    return x * 2\nfor i in range(3):",
            ),
        ),
    ),
    "a partial in a loop": (
        STATIC
        + """
def power(n, x):
    return x ** n
# watch
for i in range(3):
    step(x8, act=partial(power, 2))  #> step: first; step: static act => `partial` is made again in {file}, line 10: make it once, above the loop; step: static act
""",
        (
            ("for i in", "square = partial(power, 2)\nfor i in"),
            ("act=partial(power, 2)", "act=square"),
        ),
    ),
    "a jitted function in a loop": (
        STATIC.replace("return act(x)", "return act(x)  #> (double: first)")
        + """
def double(x):
    return x * 2
# watch
for i in range(3):
    step(x8, act=jax.jit(double))  #> step: first; step: static act => `jit` is made again in {file}, line 10: make it once, above the loop; step: static act
""",
        (
            ("for i in", "jitted = jax.jit(double)\nfor i in"),
            ("act=jax.jit(double)", "act=jitted"),
        ),
    ),
    "a jitted lambda in a loop": (
        STATIC.replace(
            "return act(x)",
            "return act(x)  #> (<lambda>: first); (<lambda>: function); (<lambda>: function)",
        )
        + """
# watch
for i in range(3):
    step(x8, act=jax.jit(lambda x: x * 2))  #> step: first; step: static act => `jit` is made again in {file}, line 8: make it once, above the loop; step: static act
""",
        (
            ("for i in", "double = jax.jit(lambda x: x * 2)\nfor i in"),
            ("act=jax.jit(lambda x: x * 2)", "act=double"),
        ),
    ),
    "an object in a loop": (
        CONFIG
        + """
# watch
for i in range(3):
    step(x8, Config(2))  #> step: first; step: static config => `Config` is made again in {file}, line 11: make it once, above the loop, or give it __eq__ and __hash__; step: static config
""",
        (("for i in", "config = Config(2)\nfor i in"), ("step(x8, Config(2))", "step(x8, config)")),
    ),
    "an object in a loop, with equality": (
        CONFIG
        + """
# watch
for i in range(3):
    config = Config(2)
    step(x8, config=config)  #> step: first; step: static config => `Config` is made again in {file}, line 11: make it once, above the loop, or give it __eq__ and __hash__; step: static config
""",
        (
            (
                "        self.width = width",
                """        self.width = width
    def __eq__(self, other):
        return self.width == other.width
    def __hash__(self):
        return self.width""",
            ),
        ),
    ),
    "an object without a loop": (
        CONFIG
        + """
# watch
step(x8, Config(2))  #> step: first
step(x8, Config(2))  #> step: static config => `Config` is made again in {file}, line 11: make it once, or give it __eq__ and __hash__
""",
        (("# watch", "config = Config(2)\n# watch"), ("step(x8, Config(2))", "step(x8, config)")),
    ),
    "made by a function of the program's": (
        STATIC
        + """
def doubling():
    return lambda x: x * 2
# watch
for i in range(3):
    double = doubling()
    step(x8, double)  #> step: first; step: static act => `doubling` is made again in {file}, line 10: make it once, above the loop; step: static act
""",
        (
            (
                "for i in range(3):\n    double = doubling()",
                "double = doubling()\nfor i in range(3):",
            ),
        ),
    ),
    "in a function that a loop calls": (
        STATIC
        + """
def run(x):
    return step(x, lambda x: x * 2)  #> step: first; step: static act => `lambda` is made again in {file}, line 7: define it once, above the loop; step: static act
# watch
for i in range(3):
    run(x8)
""",
        (
            ("def run", "double = lambda x: x * 2\ndef run"),
            ("step(x, lambda x: x * 2)", "step(x, double)"),
        ),
    ),
    "a tree with a partial": (
        """
@jax.jit
def step(fun, x):  #= step
    ran.append("step")
    return fun(x)
# watch
for i in range(3):
    fun = jax.tree_util.Partial(lambda x: x * 2)
    step(fun, x8)  #> step: first; step: static fun => `Partial` is made again in {file}, line 7: make it once, above the loop; step: static fun
""",
        (
            (
                "for i in range(3):\n    fun = jax.tree_util.Partial(lambda x: x * 2)",
                "fun = jax.tree_util.Partial(lambda x: x * 2)\nfor i in range(3):",
            ),
        ),
    ),
    "a static self": (
        """
class Model:
    def __init__(self, scale):
        self.scale = scale
    @partial(jax.jit, static_argnums=0)
    def step(self, x):  #= step
        ran.append("step")
        return x * self.scale
# watch
for i in range(3):
    model = Model(2.0)
    model.step(x8)  #> step/Model.step: first; step/Model.step: static self => `Model` is made again in {file}, line 10: make it once, above the loop, or give it __eq__ and __hash__; step/Model.step: static self
""",
        (("for i in range(3):\n    model = Model(2.0)", "model = Model(2.0)\nfor i in range(3):"),),
    ),
    "the same object": (
        CONFIG
        + """
config = Config(2)
# watch
for i in range(3):
    step(x8, config)  #> step: first
""",
        (),
    ),
    "an equal tuple": (
        STATIC.replace("act(x)", "x * act[0]")
        + """
# watch
for i in range(3):
    step(x8, (2, 3))  #> step: first
""",
        (),
    ),
    "a method of one object": (
        STATIC
        + """
class Model:
    def double(self, x):
        return x * 2
model = Model()
# watch
for i in range(3):
    step(x8, model.double)  #> step: first
""",
        (),
    ),
    "a method of an object made anew": (
        STATIC
        + """
class Model:
    def double(self, x):
        return x * 2
# watch
for i in range(3):
    step(x8, Model().double)  #> step: first; step: static act; step: static act
""",
        (),
    ),
    "a function that is another one": (
        STATIC
        + """
def double(x):
    return x * 2
def triple(x):
    return x * 3
# watch
for fun in (double, triple, double):
    step(x8, fun)  #> step: first; step: static act double→triple => each value of act makes its own program
""",
        (),
    ),
}
