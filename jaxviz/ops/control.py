"""Loops and branches, functions that are called, and what their bodies are."""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import Meaning, Op, counted, unless, when

_control = partial(Op, family="control")
_call = partial(Op, family="call", bodies="called")
"""It runs its bodies once, and does nothing else."""
_opaque = partial(Op, family="call")
"""The number of runs of its bodies is unknown."""

_JITTED: dict[str, str | Meaning] = {
    "name": "The function that was jitted.",
    "inline": when("True", "It is inlined where it is called."),
    "keep_unused": when("True", "Arguments that it does not use are kept."),
    "donated_invars": (
        "Operands whose memory it may use for its results. Only the outermost jit of a call does "
        "so."
    ),
    "in_shardings": "How the operands have to lie on the devices.",
    "out_shardings": "How the results have to lie on the devices.",
}
_MANUAL = "The axes of the mesh along which its body sees the part of one device."
_JIT = "A jitted function that is called: its body is compiled with the rest."

OPS = (
    _control(
        "scan",
        "A loop over slices of its inputs, which carries values from step to step.",
        {
            "length": counted("It runs its body %1 time.", "It runs its body %1 times."),
            "reverse": when("True", "From the last slice of the inputs to the first."),
            "unroll": unless(
                "1", "So many steps stand one after another in one turn of the compiled loop."
            ),
        },
        bodies="looped",
    ),
    _control("while", "A loop that goes on while its condition is true.", bodies="looped"),
    _control(
        "for",
        "A loop that runs its body a fixed number of times, on mutable references.",
        until="0.7.1",
    ),
    _control(
        "cond",
        "Runs one of its branches, which index says: of a condition, false is branch 0.",
        {"branches_platforms": "Which platforms each branch is for; None is for all others."},
        bodies="chosen",
    ),
    _control(
        "platform_index",
        "Which branch is for the platform that it runs on.",
        {"platforms": "The platforms of each branch that it chooses."},
        cost="moves",
    ),
    _control(
        "run_state",
        "Runs its body with mutable references to its operands, and gives what they hold then.",
        bodies="called",
    ),
    _call("jit", _JIT, _JITTED, since="0.7.0"),
    _call("pjit", _JIT, _JITTED, until="0.6.2"),
    _call("closed_call", "A function that is called.", until="0.11.0"),
    _call("call", "A function that is called.", until="0.11.0"),
    _call("eval_jaxpr", "A jaxpr that is run where it stands."),
    _call("jaxpr_call", "A jaxpr that is run with references (Pallas).", until="0.11.1"),
    _call(
        "remat2",
        "What it holds is computed again where its derivative needs it, to save memory.",
        {
            "prevent_cse": when(
                "True",
                "XLA is kept from merging what is computed again with what was computed first.",
            ),
            "differentiated": when("True", "It belongs to a derivative."),
            "policy": "Says which values are kept rather than computed again.",
        },
    ),
    _call(
        "remat_opt",
        "The forward rule of a custom gradient within remat, which runs whole only where its "
        "residuals are used.",
    ),
    _call(
        "custom_jvp_call",
        "A function that has a rule of its own for its derivative.",
        {"jvp_jaxpr_fun": "The rule for its derivative, used where it is differentiated."},
    ),
    _opaque("custom_jvp_call_jaxpr", "A function that has a rule of its own for its derivative."),
    _call(
        "custom_vjp_call",
        "A function that has rules of its own for its gradient.",
        {
            "fwd_jaxpr_thunk": "The forward rule, run in its place where it is differentiated.",
            "bwd": "The backward rule: from what the forward rule kept to the gradients.",
        },
    ),
    _opaque("custom_lin", "A linear function whose transpose is the backward rule of a gradient."),
    _call("custom_vmap_call", "A function that has a rule of its own for vmap."),
    _opaque(
        "custom_transpose_call",
        "A linear function that has a rule of its own for its transpose.",
        until="0.9.1",
    ),
    _call("linear_call", "A linear function that has a transpose of its own."),
    _call(
        "custom_partitioning",
        "A function that has rules of its own for how it is split over devices.",
    ),
    _call(
        "composite",
        "An operation with a name that a compiler may know; its body says the same in others.",
        {"name": "The name of the operation.", "version": "The version of the operation."},
    ),
    _call(
        "shard_map",
        "Runs its body on each device, on the part of the operands that is there.",
        {
            "mesh": "The devices, by named axes.",
            "in_specs": "For each operand, the axis of the mesh that each dimension is split over.",
            "out_specs": (
                "For each result, the axis of the mesh that each dimension is put together from."
            ),
            "check_vma": when("True", "JAX checks which values differ between devices."),
            "newly_manual_axes": _MANUAL,
            "manual_axes": _MANUAL,
        },
    ),
    _opaque(
        "xla_pmap",
        "Runs its body on several devices, on a slice of the operands each.",
        until="0.9.1",
    ),
    _call(
        "xla_metadata_call", "A function whose operations are given notes for XLA.", since="0.11.0"
    ),
    _call("program_order", "A function whose operations keep their order.", since="0.11.2"),
    _opaque("call_exported", "A function that was exported, and is called here."),
    _opaque("call_hi_primitive", "A primitive of a user's own (experimental).", since="0.8.0"),
    _opaque(
        "call_hi_primitive_linearized",
        "The derivative of a primitive of a user's own (experimental).",
        since="0.8.0",
    ),
    _opaque(
        "pallas_call",
        "Runs a kernel written in Pallas over a grid.",
        {
            "grid_mapping": (
                "How often the kernel runs (grid), and which block of each operand it then sees."
            ),
            "interpret": when("True", "It runs as ordinary JAX, not as a kernel."),
            "input_output_aliases": unless("()", "Operands whose memory is that of a result."),
            "out_avals": "The types of the results.",
        },
    ),
    _call("run_scoped", "Runs its body with references that live as long as it runs (Pallas)."),
    _opaque("core_map", "Runs its body on each core of a mesh (Pallas).", until="0.11.0"),
    _opaque("mpmd_map", "Runs bodies that differ on different cores (Pallas).", since="0.9.1"),
)
