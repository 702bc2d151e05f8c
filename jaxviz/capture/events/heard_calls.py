"""Notes how a function was called when JAX traces it, for whoever asks for its program later. Only
strings and numbers are noted, and weak references to the function and to what it closes over."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

from jaxviz.capture._events import Call, EndedTrace
from jaxviz.capture._jax import JitOptions
from jaxviz.capture.calls.call_record import Noted, call_of, noted
from jaxviz.capture.calls.fixed_arguments import STATIC
from jaxviz.schema import Call as CallRecord
from jaxviz.schema import Fixed, Leaf
from jaxviz.signature import Signature


class HeardCall(NamedTuple):
    """A call of which the trace was heard."""

    noted: Noted
    fun: weakref.ref[Any]
    consts: tuple[weakref.ref[Any], ...]

    def shared(self, other: HeardCall | None) -> HeardCall:
        """The other one in place of this if it says the same: a function that is called alike
        thousands of times takes the room of one call."""
        if other is None or self.consts or other.consts or self.fun is not other.fun:
            return self
        return other if self.noted == other.noted else self

    def record(self, inputs: Sequence[Leaf], results: Sequence[Leaf]) -> CallRecord:
        """The record of the call. What is gone meanwhile has no name."""
        return call_of(self.noted, self.fun(), [ref() for ref in self.consts], inputs, results)


def heard_call(made: Call, signature: Signature, ended: EndedTrace | None) -> HeardCall:
    """Notes the call that JAX traced; `ended` is None if JAX did not announce the trace."""
    fixed = [
        Fixed(path=argument, text=signature.statics[argument].text, kind=STATIC)
        for argument in signature.style
        if argument not in signature.trees
    ]
    options, consts = (JitOptions(), []) if ended is None else (ended.options, ended.consts)
    carry_mesh = any(leaf.spec for leaf in signature.leaves.values())
    return HeardCall(
        noted([*signature.style], made.args, made.kwargs, fixed, options, carry_mesh),
        weakref.ref(made.fun),
        tuple(map(weakref.ref, consts)),
    )
