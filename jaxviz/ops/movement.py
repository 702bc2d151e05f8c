"""Ops that move elements, select them by index, or make them without arithmetic; and casts."""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import Meaning, Op, along, choice, read_by, unless, when

_movement = partial(Op, family="movement")
_moves = partial(_movement, cost="moves")
_views = partial(_movement, cost="views")
"""Ops that return the same elements in the same order, with another type."""

_SHAPE = "The shape of the result."
_DTYPE = "The dtype of the result."
_CLIP = "An index out of bounds is moved to the nearest valid one."
_PROMISE = "The program promises that no index is out of bounds."
_INDICES: dict[str, str | Meaning] = {
    "indices_are_sorted": when("True", "The program promises that the indices are sorted."),
    "unique_indices": when("True", "The program promises that no index occurs twice."),
}
_SCATTER = {
    **_INDICES,
    "dimension_numbers": read_by("scattered"),
    "mode": choice(
        {
            "FILL_OR_DROP": "Updates at an index out of bounds are dropped.",
            "CLIP": _CLIP,
            "PROMISE_IN_BOUNDS": _PROMISE,
        }
    ),
}
_scatter = partial(_movement, params=_SCATTER, cost="scatter", operands="operand indices updates")

OPS = (
    _moves(
        "broadcast_in_dim",
        "Repeats the operand to fill a larger shape.",
        {"broadcast_dimensions": read_by("broadcast"), "shape": _SHAPE},
    ),
    _views(
        "reshape",
        "The same elements in another shape.",
        {"new_sizes": "The shape of the result: the same elements, in the same row-major order."},
    ),
    _views(
        "squeeze",
        "Removes dimensions of size 1.",
        {"dimensions": along("The result no longer has %1 of size 1.")},
    ),
    _moves(
        "transpose",
        "Puts the dimensions in another order.",
        {"permutation": read_by("permutation")},
    ),
    _moves(
        "rev",
        "The elements in the opposite order.",
        {"dimensions": along("Reverses the order along %1.")},
    ),
    _moves(
        "concatenate",
        "Joins arrays along a dimension.",
        {"dimension": along("Joins the operands along %1.")},
    ),
    _moves(
        "stack",
        "Joins arrays of one shape along a new dimension.",
        {"axis": along("Joins the operands along a new %1.")},
        since="0.10.1",
    ),
    _moves(
        "unstack",
        "Cuts the operand along a dimension, which the results no longer have.",
        {"axis": along("Cuts along %1.")},
        since="0.10.1",
    ),
    _moves(
        "split",
        "Cuts the operand in parts.",
        {"sizes": "The sizes of the results along the axis.", "axis": along("Cuts along %1.")},
    ),
    _moves(
        "tile",
        "Repeats the operand along its dimensions.",
        {"reps": "The number of repeats along each dimension."},
        since="0.9.0",
    ),
    _moves(
        "pad",
        "Puts the padding value around and between the elements, or takes some away.",
        {
            "padding_config": (
                "The padding of each dimension: before, after and between its elements. A negative "
                "number removes elements at that end."
            )
        },
        operands="operand padding",
    ),
    _moves(
        "iota",
        "Numbers that count up from 0.",
        {"dimension": along("Counts 0, 1, 2 … along %1."), "dtype": _DTYPE, "shape": _SHAPE},
    ),
    _movement(
        "slice",
        "A part of the operand, at a fixed position.",
        {
            "start_indices": "Where the slice begins in each dimension.",
            "limit_indices": (
                "Where the slice ends in each dimension; that element is not part of it."
            ),
            "strides": unless("None", "The step between taken elements in each dimension."),
        },
        cost="slices",
    ),
    _movement(
        "dynamic_slice",
        "A slice of the first operand; the others are the indices where it begins.",
        {
            "slice_sizes": (
                "The shape of the slice. Its start is known when it runs; a slice that would end "
                "outside is moved inside."
            )
        },
        cost="slices",
        operands="operand start …",
    ),
    _movement(
        "dynamic_update_slice",
        "The operand with update written at the start indices, which are known when it runs.",
        cost="update_slice",
        operands="operand update start …",
    ),
    _movement(
        "gather",
        "Takes slices of the operand at the given indices.",
        {
            **_INDICES,
            "dimension_numbers": read_by("gathered"),
            "slice_sizes": "The shape of the slice that is taken at each index.",
            "mode": choice(
                {
                    "FILL_OR_DROP": "An index out of bounds gives the fill value.",
                    "CLIP": _CLIP,
                    "PROMISE_IN_BOUNDS": _PROMISE,
                }
            ),
            "fill_value": "The value for an index out of bounds.",
        },
        cost="gather",
        operands="operand indices",
    ),
    _scatter("scatter", "The operand with updates written at the given indices.", bodies="applied"),
    _scatter("scatter_add", "The operand with updates added at the given indices."),
    _scatter("scatter_sub", "The operand with updates subtracted at the given indices."),
    _scatter("scatter_mul", "The operand multiplied by updates at the given indices."),
    _scatter(
        "scatter_min", "The operand, with the smaller of itself and updates at the given indices."
    ),
    _scatter(
        "scatter_max", "The operand, with the larger of itself and updates at the given indices."
    ),
    _movement(
        "convert_element_type",
        "Converts the values to another dtype.",
        {
            "new_dtype": _DTYPE,
            "weak_type": when(
                "True",
                "The result is weakly typed, like a Python number: it adopts the dtype of an array "
                "of its kind.",
            ),
        },
        cost="converted",
    ),
    _views(
        "bitcast_convert_type",
        "The same bits, read as another dtype.",
        {"new_dtype": "The dtype that the same bits are read as."},
        cost="bits",
    ),
    _moves("copy", "A copy of the values in separate memory."),
    _moves(
        "device_put",
        "The same values, on the requested devices.",
        {
            "devices": "The destination of each operand; None leaves it in place.",
            "copy_semantics": "If true, it is copied even if it is already there.",
        },
    ),
    _moves("relayout", "The same values, laid out in memory in another way.", since="0.11.1"),
    _moves("empty", "An array with undefined values."),
    _moves("empty2", "A scalar with an undefined value.", since="0.7.2"),
    _moves("zeros_like", "Zeros in the shape of the operand."),
    _moves("to_edtype", "The same numbers, taken as a dtype of JAX's own, such as keys."),
    _moves("from_edtype", "The plain numbers inside a dtype of JAX's own."),
    _moves(
        "dim_as_value",
        "The size of a dimension that is known only when it runs.",
        {"dim": "The size, as an expression of the dimensions' names."},
    ),
    _moves("dimension_size", "The size of a dimension of its operand, read when it runs."),
    _moves("lu_pivots_to_permutation", "The row exchanges of LU, as one permutation."),
)
