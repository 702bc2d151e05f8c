"""What findings say: all sentences in one table, in which `{}` stands for what varies.

`scripts/ops.py` writes them to TypeScript, where the page translates them. Code stands between backticks.
"""

from __future__ import annotations

from collections.abc import Mapping

SENTENCES: Mapping[str, str] = {
    "upcast, number": "`{}` turns {} into {}, because {} is an {} of NumPy's or JAX's",
    "upcast, line": "`{}` turns {} into {}, because it meets an {} from line {}",
    "upcast, name": "`{}` turns {} into {}, because `{}` is {}",
    "constant": "the function closes over `{}`, {}: {} that are part of the program",
    "constant, several": "the function closes over {}: {} that are part of the program",
    "constant cost": "each program that is made of it holds them, and goes on with the values of when it was traced",
    "constant mend": "pass it as an argument",
    "unused": "the values of `{}` are not used: {}",
    "unused, several": "the values of `{}` are not used: {} in all",
    "unused cost": "its memory is held during the call, and another shape of it traces again",
    "unused mend": "leave it out, use it where it was meant to be, or pass a static shape where that is all it gives",
    "callback": "`{}` calls Python at each turn of a loop",
    "callback cost, known": "{} calls in one run, each with a way to the host and back",
    "callback cost": "a call at each turn, with a way to the host and back",
    "callback mend": "return what is to be seen from the loop, or call it under lax.cond now and then",
    "donated in vain": "{}, {}: donated, and no result is left that has its type",
    "donated in vain, devices": "{}, {} on each device: donated, and no result is left that has its type",
    "donated in vain cost": "nothing is saved, and the argument is gone after the call",
    "donated in vain mend": "do not donate it, or return a result of that shape and dtype",
    "not donated": "{}, {}: returned anew, and not donated",
    "not donated, devices": "{}, {} on each device: returned anew, and not donated",
    "not donated cost": "old and new are held at the same time, {} each",
    "not donated cost, devices": "each device holds old and new at the same time, {} each",
    "not donated mend": "jax.jit(…, donate_argnums=…), if the old one is not used after the call",
    "blowup": "`{}` makes {}, {}; the largest argument or result has {}",
    "blowup cost": "XLA makes it, and keeps {} for what lies between arguments and results",
    "blowup mend": "compute it in parts (lax.map with batch_size, lax.scan), or by a formula without it",
    "residual": "the {} turns of `{}` keep {} more for the backward pass than they need to: they could compute it again; all arguments have {}",
    "residual cost": "all of it is held at once, when the backward pass begins",
    "residual mend": "put jax.checkpoint around the function of the loop: it runs each turn once more, and keeps what one turn needs",
    "collective, split": "for `{}`, where `{}` is {}, each device puts together {}, of which it has {}",
    "collective": "for `{}` each device puts together {}, of which it has {}",
    "collective cost": "{} come from the other devices each time",
    "collective mend": "split what meets there along the same axes, or say what is meant: jax.lax.with_sharding_constraint",
    "reshard": "`{}` splits {} by {} again, as it was before it was split by {}",
    "reshard cost": "what devices exchange on the way gives nothing: the value has {}",
    "reshard mend": "go on with the value from before, which is the same, or split it once",
    "replicated": "each device holds all of `{}`, {}, and for `{}` reads only its own part, {}",
    "replicated cost": "{} on each device that it does not read",
    "replicated mend": "give the argument in parts, split as the line needs it: jax.device_put with a NamedSharding",
    "unrolled": "{} turns of a Python loop are unrolled: JAX has recorded {} eqns for each",
    "unrolled, one": "{} turns of a Python loop are unrolled: JAX has recorded an eqn for each",
    "unrolled cost": "{} of the {} eqns, which are traced and compiled one by one",
    "unrolled mend": "lax.scan or lax.fori_loop trace and compile one turn",
    "float64": "`{}` asks for float64 and gets float32, as JAX's 64 bits are off",
    "float64 cost": "about 7 digits in place of 16",
    "float64 mend": "set jax_enable_x64 before any array is made, or ask for float32",
    "unlike": "`{}` casts {} to {}, which its {} siblings do not",
    "unlike cost": "{} that the other layers do not need",
    "unlike mend": "look at the dtype of its parameters, or of what it is given",
    "upcast cost": "{} in place of {}, and what follows is {} too",
    "upcast mend, number": "write a Python number, which takes the dtype of what it meets: `float(…)`",
    "upcast mend, line": "make that one as {}, or write the cast where it is meant",
    "upcast mend, name": "give `{}` the dtype {}, or write the cast where it is meant",
}


def say(key: str, *parts: object) -> str:
    return SENTENCES[key].format(*parts)
