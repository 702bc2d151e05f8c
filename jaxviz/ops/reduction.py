"""Ops that reduce many elements to fewer, ops in which each element depends on all before it, and
sorts."""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import Op, along, counted, spread, when

_reduction = partial(Op, family="reduction")

_AXES = {"axes": along("Reduces %1, which the result no longer has.")}
_DIMENSIONS = {
    "dimensions": along("Reduces %1, which the result no longer has."),
    "computation": "The function that combines two elements.",
}
_INDEX = {**_AXES, "index_dtype": "The dtype of the indices that are the result."}
_WINDOW = {
    "window_dimensions": "The shape of the window that goes over the operand.",
    "window_strides": "How far the window moves from one result to the next, in each dimension.",
    "padding": "The padding before and after the operand, in each dimension.",
}
_DILATED = {
    **_WINDOW,
    "base_dilation": spread(
        "The dilation of the operand in each dimension: 1 adds no padding between elements."
    ),
    "window_dilation": spread("The dilation of the window in each dimension: 1 skips no elements."),
}
_SELECT = {"select_prim": "The function that chooses the element of each window."}
_CUMULATIVE = {
    "axis": along("Each element of the result combines all elements up to it along %1."),
    "reverse": when("True", "From the last element to the first."),
}
_TOP_K = {"k": "The number of elements to find.", "axis": along("Searches along %1.")}
_APPROX_TOP_K = {
    "k": "The number of elements to find.",
    "reduction_dimension": along("Searches along %1."),
    "recall_target": "The expected share of the true results that it finds (recall).",
    "is_max_k": when("False", "The smallest are found, not the largest."),
}

_reduced = partial(_reduction, params=_AXES, cost="reduction")
_index = partial(_reduction, params=_INDEX, cost="index_of_largest")
_cumulative = partial(_reduction, params=_CUMULATIVE, cost="cumulative")
_windows = partial(_reduction, params=_DILATED, cost="windows")

OPS = (
    _reduced("reduce_sum", "The sum of all elements along some dimensions."),
    _reduced("reduce_prod", "The product of all elements along some dimensions."),
    _reduced("reduce_max", "The largest element along some dimensions."),
    _reduced("reduce_min", "The smallest element along some dimensions."),
    _reduced("reduce_and", "True if all elements are true; for integers, the bits that all have."),
    _reduced("reduce_or", "True if any element is true; for integers, the bits that any has."),
    _reduced(
        "reduce_xor",
        "True if an odd number of elements is true; for integers, the same for each bit.",
    ),
    _reduction(
        "reduce",
        "Combines all elements along some dimensions, two at a time, with a custom function.",
        _DIMENSIONS,
        cost="reduction",
        bodies="applied",
    ),
    _index("argmax", "The index of the largest element; of equal ones, the first."),
    _index("argmin", "The index of the smallest element; of equal ones, the first."),
    _cumulative("cumsum", "Running sums."),
    _cumulative("cumprod", "Running products."),
    _cumulative("cummax", "The largest element so far."),
    _cumulative("cummin", "The smallest element so far."),
    _cumulative("cumlogsumexp", "The logarithm of running sums of exponentials."),
    _windows(
        "reduce_window",
        "Combines the elements that a moving window covers, with a custom function.",
        bodies="applied",
    ),
    _windows("reduce_window_sum", "The sum of the elements that a moving window covers."),
    _windows("reduce_window_max", "The largest element that a moving window covers."),
    _windows("reduce_window_min", "The smallest element that a moving window covers."),
    _reduction(
        "select_and_scatter",
        "Combines each update with the others at the element that the window chose.",
        _WINDOW,
        cost="select_and_scatter",
        bodies="applied",
    ),
    _reduction(
        "select_and_scatter_add",
        "Adds each update at the element that the window chose: the derivative of pooling.",
        {**_WINDOW, **_SELECT},
        cost="select_and_scatter",
    ),
    _reduction(
        "select_and_gather_add",
        "The elements of one array at the positions that a window chooses in another.",
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
    _reduction("top_k", "The largest elements, and their indices.", _TOP_K, cost="moves"),
    _reduction(
        "approx_top_k",
        "The largest or smallest elements, found approximately, and their indices.",
        _APPROX_TOP_K,
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
        "The number of times each element has occurred so far, among those that a mask chooses "
        "(Pallas).",
        since="0.7.2",
        until="0.11.0",
    ),
    _reduction(
        "scan_count",
        "The number of times each element has occurred so far, among those that a mask chooses "
        "(Pallas).",
        since="0.11.1",
    ),
)
