"""Loops and branches, function calls, and the ops that end their bodies."""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import Meaning, Op, counted, unless, when

_control = partial(Op, family="control")
_titled_control = partial(_control, titled=True)
_call = partial(Op, family="call", bodies="called")
"""Ops that only run their bodies, once."""
_titled = partial(_call, titled=True)
_opaque = partial(Op, family="call")
"""Ops that run their bodies an unknown number of times."""

_JITTED: dict[str, str | Meaning] = {
    "name": "The function that was jitted.",
    "inline": when("True", "It is inlined where it is called."),
    "keep_unused": when("True", "Arguments that it does not use are kept."),
    "donated_invars": (
        "Operands whose memory it may reuse for its results. Only the outermost jit of a call does "
        "this."
    ),
    "in_shardings": "The required sharding of the operands.",
    "out_shardings": "The required sharding of the results.",
}
_MANUAL = "The axes of the mesh along which its body sees the part of one device."
_JIT = "A jitted function that is called: its body is compiled with the rest."

OPS = (
    _titled_control(
        "scan",
        "A loop over slices of its inputs, which carries values from step to step.",
        {
            "length": counted("It runs its body %1 time.", "It runs its body %1 times."),
            "reverse": when("True", "From the last slice of the inputs to the first."),
            "unroll": unless("1", "How many iterations are unrolled in the compiled loop."),
        },
        bodies="looped",
    ),
    _titled_control("while", "A loop that runs while its condition is true.", bodies="looped"),
    _control(
        "for",
        "A loop that runs its body a fixed number of times, on mutable references.",
        until="0.7.1",
    ),
    _titled_control(
        "cond",
        "Runs one of its branches: index says which. For a condition, false is branch 0.",
        {"branches_platforms": "The platforms of each branch; None means all others."},
        bodies="chosen",
    ),
    _control(
        "platform_index",
        "The number of the branch for the current platform.",
        {"platforms": "The platforms of each branch."},
        cost="moves",
    ),
    _control(
        "run_state",
        "Runs its body with mutable references to its operands, and returns their final values.",
        bodies="called",
    ),
    _titled("jit", _JIT, _JITTED, since="0.7.0"),
    _titled("pjit", _JIT, _JITTED, until="0.6.2"),
    _titled("closed_call", "A function that is called.", until="0.11.0"),
    _titled("call", "A function that is called.", until="0.11.0"),
    _call("eval_jaxpr", "A jaxpr that runs in place."),
    _call("jaxpr_call", "A jaxpr that runs on references (Pallas).", until="0.11.1"),
    _call(
        "remat2",
        "Its body is recomputed where the derivative needs it, to save memory.",
        {
            "prevent_cse": when(
                "True",
                "XLA may not merge recomputed values with the first ones.",
            ),
            "differentiated": when("True", "It belongs to a derivative."),
            "policy": "Decides which values are saved instead of recomputed.",
        },
    ),
    _call(
        "remat_opt",
        "The forward rule of a custom gradient inside remat. It runs in full only where its "
        "residuals are used.",
    ),
    _titled(
        "custom_jvp_call",
        "A function with a custom rule for its derivative.",
        {"jvp_jaxpr_fun": "The rule that JAX uses to differentiate it."},
    ),
    _opaque(
        "custom_jvp_call_jaxpr", "A function with a custom rule for its derivative.", titled=True
    ),
    _titled(
        "custom_vjp_call",
        "A function with custom rules for its gradient.",
        {
            "fwd_jaxpr_thunk": "The forward rule, which runs instead under differentiation.",
            "bwd": "The backward rule: it turns the residuals of the forward rule into gradients.",
        },
    ),
    _opaque("custom_lin", "A linear function whose transpose is the backward rule of a gradient."),
    _titled("custom_vmap_call", "A function with a custom rule for vmap."),
    _opaque(
        "custom_transpose_call",
        "A linear function with a custom rule for its transpose.",
        until="0.9.1",
    ),
    _titled("linear_call", "A linear function with a custom transpose."),
    _call(
        "custom_partitioning",
        "A function with custom rules for how it is split over devices.",
    ),
    _titled(
        "composite",
        "A named operation that a compiler may know. Its body does the same with other operations.",
        {"name": "The name of the operation.", "version": "The version of the operation."},
    ),
    _call(
        "shard_map",
        "Runs its body on each device, on the part of the operands that is there.",
        {
            "mesh": "The devices, by named axes.",
            "in_specs": "The mesh axis over which each dimension of each operand is split.",
            "out_specs": ("The mesh axis over which each dimension of each result is split."),
            "check_vma": when("True", "JAX checks if values differ between devices."),
            "newly_manual_axes": _MANUAL,
            "manual_axes": _MANUAL,
        },
    ),
    _opaque(
        "xla_pmap",
        "Runs its body on several devices, on a slice of the operands each.",
        until="0.9.1",
    ),
    _call("xla_metadata_call", "A function whose operations have notes for XLA.", since="0.11.0"),
    _call("program_order", "A function whose operations keep their order.", since="0.11.2"),
    _opaque("call_exported", "A function that was exported, and is called here."),
    _opaque("call_hi_primitive", "A user-defined primitive (experimental).", since="0.8.0"),
    _opaque(
        "call_hi_primitive_linearized",
        "The derivative of a user-defined primitive (experimental).",
        since="0.8.0",
    ),
    _opaque(
        "pallas_call",
        "Runs a kernel written in Pallas over a grid.",
        {
            "grid_mapping": (
                "The number of times the kernel runs (grid), and the block of each operand that it "
                "sees each time."
            ),
            "interpret": when("True", "It runs as ordinary JAX, not as a kernel."),
            "input_output_aliases": unless("()", "Operands that share their memory with a result."),
            "out_avals": "The types of the results.",
        },
    ),
    _call("run_scoped", "Runs its body with references that exist only while it runs (Pallas)."),
    _opaque("core_map", "Runs its body on each core of a mesh (Pallas).", until="0.11.0"),
    _opaque("mpmd_map", "Runs a different body on each kind of core (Pallas).", since="0.9.1"),
)
