"""Sides of a reason: an array, a static value, or absent. A default is a value."""

from __future__ import annotations

from .grammar import Call, Kind, Subject

FLAG_HINT = "each value of train makes its own program"
STYLE_HINT = "pass `train` the same way every time"
FLAG = (
    Kind(
        "default to another value",
        (
            Call("x8", "first"),
            Call("x8, train=True", f"static train False→True => {FLAG_HINT}"),
            Call("x8, train=True", ""),
        ),
    ),
    Kind(
        "another value to default",
        (Call("x8, train=True", "first"), Call("x8", "static train True→False")),
    ),
    Kind(
        "default to the same value",
        (
            Call("x8", "first"),
            Call("x8, train=False", f"style train left out→by keyword => {STYLE_HINT}"),
        ),
    ),
    Kind(
        "keyword to another by position",
        (
            Call("x8, train=False", "first"),
            Call("x8, True", "static train False→True"),
            Call("x8, True", ""),
        ),
    ),
    Kind(
        "keyword to the same by position",
        (Call("x8, train=True", "first"), Call("x8, True", "style train by keyword→by position")),
    ),
    Kind(
        "default and shape",
        (
            Call("x8", "first"),
            Call("x16, train=True", "static train False→True + shape x f32[8,4]→f32[16,4]"),
        ),
    ),
    Kind(
        "another value by position and then the first by keyword",
        (
            Call("x8", "first"),
            Call("x8, True", f"static train False→True => {FLAG_HINT}"),
            Call("x8, train=False", f"style train left out→by keyword => {STYLE_HINT}"),
        ),
    ),
)
"""Calls of a function with a static `train=False`."""
ONE_WAY = tuple(kind for kind in FLAG if "position" not in kind.name)
"""Those of a function whose `train` is a keyword alone."""
STEP = """
def step(x, train=False):  #= step
    ran.append("step")
    return total(x) * (2 if train else 3)
"""
SCALE_HINT = "pass scale as an array every time"
SCALE = (
    Kind(
        "default to number",
        (
            Call("x8", "first"),
            Call("x8, 3.0", f"static scale 2.0 (static)→~f32[] (float) => {SCALE_HINT}"),
            Call("x8, 4.0", ""),
        ),
    ),
    Kind(
        "default to array",
        (Call("x8", "first"), Call("x8, scale=one", "static scale 2.0 (static)→f32[]")),
    ),
    Kind(
        "array to default",
        (Call("x8, one", "first"), Call("x8", "static scale f32[]→2.0 (static)")),
    ),
    Kind(
        "default to the same number",
        (
            Call("x8", "first"),
            Call(
                "x8, 2.0",
                "style scale left out→by position => pass `scale` the same way every time",
            ),
        ),
    ),
    Kind(
        "another number by keyword",
        (Call("x8, 3.0", "first"), Call("x8, scale=4.0", "style scale by position→by keyword")),
    ),
    Kind(
        "another dtype by keyword",
        (
            Call("x8, one", "first"),
            Call("x8, scale=one.astype('bfloat16')", "dtype scale f32[]→bf16[]"),
        ),
    ),
    Kind(
        "integer to float",
        (
            Call("x8, 3", "first"),
            Call("x8, 3.0", "dtype scale ~i32[] (int)→~f32[] (float)"),
        ),
    ),
)
"""Calls of a function with a traced `scale=2.0`."""
SCALED = """
def step(x, scale=2.0):  #= step
    ran.append("step")
    return total(x) * scale
"""
STATIC = 'static_argnames="train"'


def flagged(name: str, setup: str, fun: str = "jitted", **more: object) -> Subject:
    return Subject(name, setup, fun, kinds=FLAG, own=True, **more)  # pyright: ignore[reportArgumentType]


def scaled(name: str, setup: str, fun: str = "jitted", **more: object) -> Subject:
    return Subject(name, setup, fun, kinds=SCALE, own=True, **more)  # pyright: ignore[reportArgumentType]


TIMED = """
def timed(fun):
    @functools.wraps(fun)
    def run(*args, **kwargs):  #= step
        return fun(*args, **kwargs)
    return run
"""
METHOD = """
class Model:
    def step(self, x, train=False):  #= step
        ran.append("step")
        return total(x) * (2 if train else 3)

model = Model()
"""

SUBJECTS = (
    flagged("a flag, decorator", STEP.replace("def", f"@partial(jax.jit, {STATIC})\ndef"), "step"),
    flagged("a flag, jit of a function", STEP + f"jitted = jax.jit(step, {STATIC})"),
    flagged("a flag, by number", STEP + "jitted = jax.jit(step, static_argnums=1)"),
    Subject(
        "a flag, method with a static self",
        METHOD.replace(
            "    def step", f"    @partial(jax.jit, static_argnums=0, {STATIC})\n    def step"
        ),
        "model.step",
        truth="step/Model.step: {why}",
        kinds=ONE_WAY,
        own=True,
    ),
    flagged(
        "a flag, bound method",
        METHOD + f"jitted = jax.jit(model.step, {STATIC})",
        truth="step/Model.step: {why}",
    ),
    flagged(
        "a flag, value_and_grad", STEP + f"jitted = jax.jit(jax.value_and_grad(step), {STATIC})"
    ),
    flagged("a flag, in a wrapper", TIMED + STEP + f"jitted = jax.jit(timed(step), {STATIC})"),
    flagged(
        "a flag, partial",
        STEP.replace("(x, train", "(bias, x, train")
        + f"jitted = jax.jit(partial(step, 1.0), {STATIC})",
    ),
    scaled("a scale, decorator", SCALED.replace("def", "@jax.jit\ndef"), "step"),
    scaled("a scale, jit of a function", SCALED + "jitted = jax.jit(step)"),
    scaled(
        "a scale, bound method",
        """
class Model:
    def step(self, x, scale=2.0):  #= step
        ran.append("step")
        return total(x) * scale

jitted = jax.jit(Model().step)
""",
        truth="step/Model.step: {why}",
    ),
    scaled("a scale, value_and_grad", SCALED + "jitted = jax.jit(jax.value_and_grad(step))"),
    scaled("a scale, in a wrapper", TIMED + SCALED + "jitted = jax.jit(timed(step))"),
    scaled(
        "a scale, partial",
        SCALED.replace("(x, scale", "(bias, x, scale") + "jitted = jax.jit(partial(step, 1.0))",
    ),
    scaled(
        "a scale, lambda",
        'jitted = jax.jit(lambda x, scale=2.0: (ran.append("<lambda>"), total(x) * scale)[1])  #= <lambda>',
        truth="<lambda>: {why}",
    ),
)
