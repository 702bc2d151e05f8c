"""Many elements become fewer, or each depends on all before it; sorts too."""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import Op, along, counted, spread, when

_reduction = partial(Op, family="reduction")

_AXES = {"axes": along("Goes over %1, which the result no longer has.")}
_DIMENSIONS = {
    "dimensions": along("Goes over %1, which the result no longer has."),
    "computation": "What joins two elements.",
}
_INDEX = {**_AXES, "index_dtype": "The dtype of the indices that are the result."}
_WINDOW = {
    "window_dimensions": "The shape of the window that goes over the operand.",
    "window_strides": "How far the window moves from one result to the next, in each dimension.",
    "padding": "What is put before and behind the operand, in each dimension.",
}
_DILATED = {
    **_WINDOW,
    "base_dilation": spread(
        "In each dimension, one more than what is put between elements of the operand."
    ),
    "window_dilation": spread(
        "In each dimension, one more than the elements that the window skips between its own."
    ),
}
_SELECT = {"select_prim": "How the element of each window is chosen."}
_RUNNING = {
    "axis": along("Each element of the result is of all elements up to it along %1."),
    "reverse": when("True", "From the last element to the first."),
}
_FOUND = {"k": "How many elements are found.", "axis": along("Looks along %1.")}
_FOUND_ROUGHLY = {
    "k": "How many elements are found.",
    "reduction_dimension": along("Looks along %1."),
    "recall_target": "Which share of them is expected to be found.",
    "is_max_k": when("False", "The smallest are found, not the largest."),
}

_reduced = partial(_reduction, params=_AXES, cost="reduction")
_place = partial(_reduction, params=_INDEX, cost="index_of_largest")
_so_far = partial(_reduction, params=_RUNNING, cost="cumulative")
_windows = partial(_reduction, params=_DILATED, cost="windows")

OPS = (
    _reduced("reduce_sum", "The sum of all elements along some dimensions."),
    _reduced("reduce_prod", "The product of all elements along some dimensions."),
    _reduced("reduce_max", "The largest element along some dimensions."),
    _reduced("reduce_min", "The smallest element along some dimensions."),
    _reduced("reduce_and", "Whether all elements are true; of integers, the bits that all have."),
    _reduced("reduce_or", "Whether any element is true; of integers, the bits that any has."),
    _reduced(
        "reduce_xor",
        "Whether an odd number of elements is true; of integers, the same of each bit.",
    ),
    _reduction(
        "reduce",
        "Joins all elements along some dimensions, two at a time, by a function of its own.",
        _DIMENSIONS,
        cost="reduction",
        bodies="applied",
    ),
    _place("argmax", "Where the largest element is; of equal ones the first."),
    _place("argmin", "Where the smallest element is; of equal ones the first."),
    _so_far("cumsum", "Running sums."),
    _so_far("cumprod", "Running products."),
    _so_far("cummax", "The largest element so far."),
    _so_far("cummin", "The smallest element so far."),
    _so_far("cumlogsumexp", "The logarithm of running sums of exponentials."),
    _windows(
        "reduce_window",
        "Joins the elements that a moving window covers, by a function of its own.",
        bodies="applied",
    ),
    _windows("reduce_window_sum", "The sum of the elements that a moving window covers."),
    _windows("reduce_window_max", "The largest element that a moving window covers."),
    _windows("reduce_window_min", "The smallest element that a moving window covers."),
    _reduction(
        "select_and_scatter",
        "Joins each update to the others where the window chose its element.",
        _WINDOW,
        cost="select_and_scatter",
        bodies="applied",
    ),
    _reduction(
        "select_and_scatter_add",
        "Adds each update where the window chose its element: the derivative of pooling.",
        {**_WINDOW, **_SELECT},
        cost="select_and_scatter",
    ),
    _reduction(
        "select_and_gather_add",
        "The elements of one array at the places where a window chooses those of another.",
        {**_DILATED, **_SELECT},
        cost="windows",
    ),
    _reduction(
        "sort",
        "Sorts along a dimension; further operands are put in the same order.",
        {
            "dimension": along("Sorts along %1."),
            "num_keys": counted(
                "Sorts by its first operand; others are put in the same order.",
                "Sorts by its first %1 operands; others are put in the same order.",
            ),
            "is_stable": when("True", "Equal elements keep their order."),
        },
        cost="sort",
        bodies="applied",
    ),
    _reduction("top_k", "The largest elements, and where they are.", _FOUND, cost="moves"),
    _reduction(
        "approx_top_k",
        "The largest or smallest elements, found approximately, and where they are.",
        _FOUND_ROUGHLY,
        cost="moves",
    ),
    _reduction(
        "masked_cumsum", "Running sums of the elements that a mask chooses (Pallas).", since="0.8.0"
    ),
    _reduction(
        "masked_cummax", "The largest element so far, under a mask (Pallas).", since="0.8.2"
    ),
    _reduction(
        "masked_cummin", "The smallest element so far, under a mask (Pallas).", since="0.9.1"
    ),
    _reduction(
        "masked_sort",
        "Sorts keys and their values, those that a mask chooses first (Pallas).",
        since="0.8.2",
    ),
    _reduction(
        "unique",
        "How often each element has come so far, of those that a mask chooses (Pallas).",
        since="0.7.2",
        until="0.11.0",
    ),
    _reduction(
        "scan_count",
        "How often each element has come so far, of those that a mask chooses (Pallas).",
        since="0.11.1",
    ),
)
