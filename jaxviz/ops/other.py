"""Calls out of the program, ordering and checks of it, and hints for the compiler."""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import Meaning, Op, when

_free = partial(Op, cost="free")
"""Ops that compute nothing at run time."""

_CALLBACK: dict[str, str | Meaning] = {
    "callback": "The Python function that is called when the program runs.",
}
_RETURNING = {**_CALLBACK, "result_avals": "The types that it has to return."}

OPS = (
    Op(
        "pure_callback", "Calls a Python function without side effects for its results.", _RETURNING
    ),
    Op(
        "io_callback",
        "Calls a Python function with side effects for its results.",
        {**_RETURNING, "ordered": when("True", "It is called in the order of the program.")},
    ),
    _free("debug_callback", "Calls a Python function while the program runs.", _CALLBACK),
    _free(
        "debug_print",
        "Prints its operands when the program runs.",
        {
            "fmt": "The text that is printed when the program runs.",
            "ordered": when("True", "It is printed in the order of the program."),
        },
    ),
    Op(
        "buffer_callback",
        "Calls a Python function that works on the memory of its operands and results.",
    ),
    Op(
        "ffi_call",
        "Calls a function that was compiled outside of JAX.",
        {
            "target_name": "The name of that function.",
            "has_side_effect": when("True", "It runs even where its results are not used."),
        },
    ),
    Op("tpu_custom_call", "Runs a kernel that was compiled for TPUs."),
    Op("infeed", "Receives values from the host.", until="0.6.2"),
    Op("outfeed", "Sends values to the host.", until="0.6.2"),
    _free("after_all", "Joins tokens: an effect that uses the result runs after all of them."),
    _free("create_token", "A token, which puts effects in order."),
    _free("dce_sink", "Keeps its operand from being removed as unused.", since="0.7.0"),
    _free(
        "optimization_barrier",
        "Returns its operands unchanged. XLA moves and merges nothing across it.",
        alias=True,
    ),
    _free("check", "A check: under checkify its error becomes a result."),
    _free(
        "shape_assertion",
        "Raises an error at run time if a condition on dimensions is false.",
        {"error_message": "The error message."},
    ),
    _free(
        "inspect_sharding",
        "Passes the sharding of a value to a Python function.",
        {"callback": "The Python function that is called with the sharding."},
    ),
    _free(
        "layout_constraint",
        "The same value, laid out in memory in a given way.",
        {"layout": "The required layout in memory."},
    ),
    _free("add_dependency", "Adds a dependency, but computes nothing.", since="0.7.2"),
    _free(
        "xla_metadata_value",
        "The same value, with notes for XLA on the operation that makes it.",
        {"xla_metadata_kvs": "The notes, as names and values."},
        since="0.7.0",
    ),
    _free("stage", "Turns a number or a NumPy array into a value of the program.", since="0.10.1"),
    Op(
        "unreachable",
        "A placeholder that must never run.",
    ),
    _free("bias_fwd", "The same value: a part of attention by cuDNN.", until="0.8.0"),
    _free("bias_bwd", "The same gradient: a part of attention by cuDNN.", until="0.8.0"),
)
