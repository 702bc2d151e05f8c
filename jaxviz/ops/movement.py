"""Elements are put elsewhere, chosen by place, or made without arithmetic; other dtypes too."""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import Meaning, Op, along, choice, read_by, unless, when

_movement = partial(Op, family="movement")
_moves = partial(_movement, cost="moves")
_views = partial(_movement, cost="views")
"""The same elements in the same order under another type."""

_SHAPE = "The shape of the result."
_DTYPE = "The dtype of the result."
_CLIP = "An index out of bounds is moved to the nearest within."
_PROMISE = "It is promised that no index is out of bounds."
_INDICES: dict[str, str | Meaning] = {
    "indices_are_sorted": when("True", "It is promised that the indices are sorted."),
    "unique_indices": when("True", "It is promised that no index comes twice."),
}
_SCATTER = {
    **_INDICES,
    "dimension_numbers": read_by("scattered"),
    "mode": choice(
        {
            "FILL_OR_DROP": "What an index out of bounds would write is left out.",
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
        "Leaves out dimensions of size 1.",
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
        {"dimensions": along("Turns the order around along %1.")},
    ),
    _moves(
        "concatenate",
        "Puts arrays one after another.",
        {"dimension": along("Joins the operands along %1.")},
    ),
    _moves(
        "stack",
        "Puts arrays of one shape one after another, along a new dimension.",
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
        {"reps": "How often the operand is repeated along each dimension."},
        since="0.9.0",
    ),
    _moves(
        "pad",
        "Puts the padding value around and between the elements, or takes some away.",
        {
            "padding_config": (
                "For each dimension how much is put before, behind and between its elements; "
                "below 0 so much is taken away at that end."
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
        "A part of the operand, at a place that is fixed.",
        {
            "start_indices": "Where the slice begins in each dimension.",
            "limit_indices": (
                "Where the slice ends in each dimension; that element is not part of it."
            ),
            "strides": unless("None", "In each dimension one element of so many is taken."),
        },
        cost="slices",
    ),
    _movement(
        "dynamic_slice",
        "A slice that begins where its operands say when it runs.",
        {
            "slice_sizes": (
                "The shape of the slice. Where it begins is known when it runs; a slice that "
                "would end outside is moved inside."
            )
        },
        cost="slices",
        operands="operand start …",
    ),
    _movement(
        "dynamic_update_slice",
        "The operand with update written where the start indices say when it runs.",
        cost="update_slice",
        operands="operand update start …",
    ),
    _movement(
        "gather",
        "Takes slices of the operand at the given indices.",
        {
            **_INDICES,
            "dimension_numbers": read_by("gathered"),
            "slice_sizes": "The shape of what is taken of the operand at each index.",
            "mode": choice(
                {
                    "FILL_OR_DROP": "An index out of bounds gives the fill value.",
                    "CLIP": _CLIP,
                    "PROMISE_IN_BOUNDS": _PROMISE,
                }
            ),
            "fill_value": "What an index out of bounds gives.",
        },
        cost="gather",
        operands="operand indices",
    ),
    _scatter("scatter", "The operand with updates written at the given indices.", bodies="applied"),
    _scatter("scatter_add", "The operand with updates added at the given indices."),
    _scatter("scatter_sub", "The operand less updates at the given indices."),
    _scatter("scatter_mul", "The operand multiplied by updates at the given indices."),
    _scatter("scatter_min", "The operand, or updates at the given indices where they are less."),
    _scatter("scatter_max", "The operand, or updates at the given indices where they are more."),
    _movement(
        "convert_element_type",
        "Converts the values to a dtype, as near as it can hold them.",
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
    _moves("copy", "The same values in memory of their own."),
    _moves(
        "device_put",
        "The same values, on the devices that are asked for.",
        {
            "devices": "Where each operand is to lie; None leaves it where it is.",
            "copy_semantics": "Whether it is copied also where it lies there already.",
        },
    ),
    _moves("relayout", "The same values, laid out in memory in another way.", since="0.11.1"),
    _moves("empty", "An array in which any values may stand."),
    _moves("empty2", "A scalar that may have any value.", since="0.7.2"),
    _moves("zeros_like", "Zeros in the shape of the operand."),
    _moves("to_edtype", "The same numbers, taken as a dtype of JAX's own, such as keys."),
    _moves("from_edtype", "The plain numbers that a dtype of JAX's own is made of."),
    _moves(
        "dim_as_value",
        "The size of a dimension that is known only when it runs.",
        {"dim": "The size, as an expression of the dimensions' names."},
    ),
    _moves("dimension_size", "The size of a dimension of its operand, asked for when it runs."),
    _moves("lu_pivots_to_permutation", "Exchanges of rows, as LU makes them, as one permutation."),
)
