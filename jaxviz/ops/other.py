"""Calls out of the program, orders and checks of it, and hints for the compiler."""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import Meaning, Op, when

_free = partial(Op, cost="free")
"""Nothing is computed when it runs."""

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
            "fmt": "What is printed when the program runs.",
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
    Op("infeed", "Takes in values that the host sends.", until="0.6.2"),
    Op("outfeed", "Sends values to the host.", until="0.6.2"),
    _free("after_all", "Joins tokens: what takes the result comes after all of them."),
    _free("create_token", "A token, by which effects are put in order."),
    _free("dce_sink", "Keeps its operand from being removed as unused.", since="0.7.0"),
    _free(
        "optimization_barrier",
        "Gives its operands as they are; XLA moves nothing across it, and merges nothing.",
        alias=True,
    ),
    _free("check", "A check: the error that it is given becomes a result under checkify."),
    _free(
        "shape_assertion",
        "An error where a condition on dimensions does not hold, when it runs.",
        {"error_message": "What the error says."},
    ),
    _free(
        "inspect_sharding",
        "Tells a Python function how a value lies on the devices.",
        {"callback": "The Python function that is called with the sharding."},
    ),
    _free(
        "layout_constraint",
        "The same value, laid out in memory in a given way.",
        {"layout": "How it has to lie in memory."},
    ),
    _free("add_dependency", "Adds a dependency, and computes nothing.", since="0.7.2"),
    _free(
        "xla_metadata_value",
        "The same value, with notes for XLA on what makes it.",
        {"xla_metadata_kvs": "The notes, as names and values."},
        since="0.7.0",
    ),
    _free("stage", "A number or a NumPy array, made a value of the program.", since="0.10.1"),
    Op(
        "unreachable",
        "Stands for a step that is never needed: to compile or to run it is an error.",
    ),
    _free("bias_fwd", "The same value: a part of attention by cuDNN.", until="0.8.0"),
    _free("bias_bwd", "The same gradient: a part of attention by cuDNN.", until="0.8.0"),
)
