"""Ops on mutable references, and ops of Pallas kernels."""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import Op

_moves = partial(Op, family="movement", cost="moves")
_free = partial(Op, cost="free")

OPS = (
    Op("get", "Reads from a mutable reference.", family="movement", cost="slices"),
    Op(
        "swap",
        "Writes to a mutable reference, and returns its previous value.",
        family="movement",
        cost="swap",
    ),
    Op(
        "addupdate",
        "Adds to the value of a mutable reference.",
        family="movement",
        cost="add_to_ref",
    ),
    Op(
        "accum_grad_in_ref",
        "The same value, whose gradient is added up in a mutable reference.",
        family="movement",
        cost="free",
        since="0.7.1",
    ),
    _moves("new_ref", "A mutable reference that contains the operand.", since="0.7.2"),
    _moves("mutable_array", "A mutable reference that contains the operand.", until="0.7.0"),
    _moves("empty_ref", "A mutable reference with undefined values.", since="0.9.1"),
    _moves("free_ref", "Frees a mutable reference.", since="0.9.1"),
    _moves("freeze", "Frees a mutable reference, and returns its value."),
    _moves(
        "broadcast_to",
        "Repeats the operand to fill a larger shape.",
        {"shape": "The shape of the result."},
    ),
    _free("pin", "Keeps an array at one place in memory until it is unpinned.", since="0.8.0"),
    _free("unpin", "An array that is no longer pinned, so it can be moved.", since="0.8.0"),
    Op("create_linear", "A pinned array with undefined values.", since="0.8.0"),
    Op("new_box", "A box whose values can be replaced.", since="0.7.1", until="0.11.0"),
    Op("box_get", "The values in a box.", since="0.7.1", until="0.11.0"),
    Op("box_set", "Puts other values into a box.", since="0.7.1", until="0.11.0"),
    Op("new_log", "A list that values can be added to.", since="0.10.0", until="0.11.0"),
    Op("log_extend", "Adds values to a list.", since="0.10.0", until="0.11.0"),
    Op("log_read", "All values of a list.", since="0.10.0", until="0.11.0"),
    _moves("masked_load", "Reads from a reference where a mask allows it (Pallas)."),
    _moves(
        "masked_swap",
        "Writes to a reference where a mask allows it, and returns its previous value (Pallas).",
    ),
    _moves(
        "with_memory_space_constraint", "The same values, kept in a given kind of memory (Pallas)."
    ),
    _moves(
        "program_id",
        "The position of the kernel in the grid, along an axis (Pallas).",
        {"axis": "The axis of the grid."},
    ),
    _moves(
        "num_programs",
        "The size of the grid along an axis (Pallas).",
        {"axis": "The axis of the grid."},
    ),
    _free(
        "multiple_of",
        "The same value, promised to be a multiple of some numbers (Pallas).",
        {"values": "Numbers that the value is a multiple of."},
    ),
    _free(
        "get_global",
        "A reference that stays from one run of the kernel to the next (Pallas).",
        since="0.8.0",
    ),
    Op("semaphore_read", "The value of a semaphore (Pallas)."),
    Op("semaphore_signal", "Raises a semaphore (Pallas)."),
    Op("semaphore_wait", "Waits until a semaphore has reached a value (Pallas)."),
    Op("delay", "Waits for some nanoseconds (Pallas)."),
    _moves(
        "roll",
        "Rolls elements along an axis: those that leave at one end come in at the other (Pallas).",
    ),
    _moves("repeat", "Repeats the operand along an axis (Pallas).", until="0.9.0"),
    _moves("pack", "Packs two arrays into one (Pallas).", since="0.7.2"),
    _moves(
        "unpack",
        "Unpacks an array into the two arrays packed into it (Pallas).",
        since="0.7.2",
    ),
)
