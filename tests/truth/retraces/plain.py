"""Functions of plain JAX, under every wrapper that users write around them."""

from __future__ import annotations

from .grammar import Subject

BODY = """
def step(x, y=None, mode="sin"):  #= step
    ran.append("step")
    return total(x, y) * (1 if mode == "sin" else 2)
"""
ALL = "tree y rank loop x64"

SUBJECTS = (
    Subject(
        "jit of a function",
        BODY + 'jitted = jax.jit(step, static_argnames="mode")',
        "jitted",
        has=f"{ALL} mode",
    ),
    Subject(
        "decorator",
        BODY.replace("def", "@jax.jit\ndef").replace('"sin" else 2', '"sin" else 3'),
        "step",
        has=ALL,
    ),
    Subject(
        "decorator with options",
        BODY.replace("def", '@partial(jax.jit, static_argnames=("mode",))\ndef'),
        "step",
        has=f"{ALL} mode",
    ),
    Subject(
        "jit of a lambda",
        'step = jax.jit(lambda x, y=None: (ran.append("<lambda>"), total(x, y))[1])  #= <lambda>',
        "step",
        "<lambda>: {why}",
        has=ALL,
    ),
    Subject(
        "jit of a partial", BODY + 'jitted = jax.jit(partial(step, mode="cos"))', "jitted", has=ALL
    ),
    Subject(
        "jit of a partial by position",
        BODY.replace("(x, y", "(scale, x, y") + "jitted = jax.jit(partial(step, 2.0))",
        "jitted",
        has=ALL,
    ),
    Subject(
        "jit of a bound method",
        """
class Model:
    def step(self, x, y=None):  #= step
        ran.append("step")
        return total(x, y)

model = Model()
jitted = jax.jit(model.step)
""",
        "jitted",
        "step/Model.step: {why}",
        has=ALL,
    ),
    Subject(
        "method with a static self",
        """
class Model:
    @partial(jax.jit, static_argnums=0)
    def step(self, x, y=None):  #= step
        ran.append("step")
        return total(x, y)

model = Model()
""",
        "model.step",
        "step/Model.step: {why}",
        has=ALL,
    ),
    Subject(
        "jit of an object that can be called",
        """
class Model:  #= Model
    def __call__(self, x, y=None):  #= Model
        ran.append("Model")
        return total(x, y)

step = jax.jit(Model())
""",
        "step",
        "Model/__call__: {why}",
        has=ALL,
    ),
    Subject(
        "jit of a function in a wrapper",
        """
def timed(fun):
    @functools.wraps(fun)
    def run(*args, **kwargs):  #= step
        return fun(*args, **kwargs)
    return run

@jax.jit
@timed
def step(x, y=None):  #= step
    ran.append("step")
    return total(x, y)
""",
        "step",
        has=ALL,
    ),
    Subject("jit of grad", BODY + "jitted = jax.jit(jax.grad(step))", "jitted", has="tree y loop"),
    Subject(
        "jit of value_and_grad",
        BODY + 'jitted = jax.jit(jax.value_and_grad(step), static_argnames="mode")',
        "jitted",
        has="tree y loop rank mode",
    ),
    Subject("jit of vmap", BODY + "jitted = jax.jit(jax.vmap(step))", "jitted", has="tree loop"),
    Subject(
        "jit of checkpoint",
        BODY + "jitted = jax.jit(jax.checkpoint(step))",
        "jitted",
        has="tree y loop rank",
    ),
    Subject(
        "jit of a custom_jvp",
        """
@jax.custom_jvp
def step(x):  #= step
    ran.append("step")
    return total(x)

@step.defjvp
def step_jvp(primals, tangents):
    return step(*primals), total(tangents)

jitted = jax.jit(step)
""",
        "jitted",
        has="tree loop rank",
    ),
    Subject(
        "jit of jacfwd", BODY + "jitted = jax.jit(jax.jacfwd(step))", "jitted", has="loop tree"
    ),
    Subject(
        "grad of a jit",
        BODY + "jitted = jax.jit(step)\nwhole = jax.grad(jitted)",
        "whole",
        "~step: {why}",
        has="tree y loop",
    ),
    Subject(
        "value_and_grad of a jit",
        BODY + "jitted = jax.jit(step)\nwhole = jax.value_and_grad(jitted)",
        "whole",
        "~step: {why}",
        has="tree y loop rank",
    ),
    Subject(
        "vmap of a jit",
        BODY + "jitted = jax.jit(step)\nwhole = jax.vmap(jitted, in_axes=1)",
        "whole",
        "~step: {why}",
        has="tree",
        types=False,
    ),
    Subject(
        "inner and outer jit",
        BODY.replace("step", "inner")
        + """
inner = jax.jit(inner)

@jax.jit
def step(x, y=None):  #= step
    ran.append("step")
    return inner(x, y) * 2
""",
        "step",
        "(inner: {why}); step: {why}",
        has="tree loop rank",
    ),
)
