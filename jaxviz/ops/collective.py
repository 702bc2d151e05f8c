"""Collectives, and ops that state how values are split over devices."""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import Meaning, Op, along, when

_exchange = partial(Op, family="collective", cost="moves")
_placement = partial(Op, family="collective", cost="free")
"""Ops that state how a value is split over devices. Later stages contain the exchange."""
_done = partial(Op, family="collective", cost="free", since="0.10.0")
"""The end of an instruction; its work is counted at its start."""

_AXIS_NAME = "The named axis, of the mesh or of a map, along which devices exchange values."
_AXES = {"axes": "The named axes, of the mesh or of a map, that it reduces over."}
_CAST = {"axes": "The named axes it applies to."}
_TILED = when("True", "Joins the parts along that dimension, not along a new one.")
_PARTS = "The number of parts."
_GATHER: dict[str, str | Meaning] = {
    "axis_name": _AXIS_NAME,
    "all_gather_dimension": along("Puts the parts together along %1."),
    "axis_size": _PARTS,
    "tiled": _TILED,
}
_SCATTER: dict[str, str | Meaning] = {
    "axis_name": _AXIS_NAME,
    "scatter_dimension": along("Splits the sum along %1."),
    "axis_size": _PARTS,
    "tiled": _TILED,
}
_ALL_TO_ALL: dict[str, str | Meaning] = {
    "axis_name": _AXIS_NAME,
    "split_axis": along("Each device splits its part along %1."),
    "concat_axis": along("Each device joins the received parts along %1."),
    "tiled": _TILED,
}
_PAIRS = {"axis_name": _AXIS_NAME, "perm": "Pairs of devices: sender and receiver."}
_SENDER = {"axis_name": _AXIS_NAME, "source": "The number of the device that sends its value."}

_summed = partial(Op, params=_AXES, family="collective", cost="summed_over_devices")
_sum_start = partial(_summed, since="0.10.0")
_start = partial(_exchange, since="0.10.0")
_cast = partial(_placement, params=_CAST)

OPS = (
    _summed("psum", "The sum over devices."),
    _summed("psum_invariant", "The sum over devices, the same on all of them."),
    _summed("pmax", "The largest value over devices."),
    _summed("pmin", "The smallest value over devices."),
    _summed(
        "unreduced_psum", "The sum over devices of a value that is not summed yet.", since="0.8.1"
    ),
    _summed(
        "unreduced_pmax",
        "The largest value over devices of a value that is not reduced yet.",
        since="0.11.1",
    ),
    _summed(
        "unreduced_pmin",
        "The smallest value over devices of a value that is not reduced yet.",
        since="0.11.1",
    ),
    _exchange(
        "reduce_scatter",
        "The sum over devices; each device gets a part of it.",
        _SCATTER,
        bodies="applied",
    ),
    _exchange(
        "unreduced_reduce_scatter",
        "The sum over devices of a value that is not summed yet; each device gets a part of it.",
        _SCATTER,
        since="0.8.1",
    ),
    _exchange("all_gather", "The parts of all devices, joined.", _GATHER),
    _exchange(
        "all_gather_invariant",
        "The parts of all devices, joined; the same on all of them.",
        _GATHER,
    ),
    _exchange(
        "all_gather_reduced",
        "The parts of all devices, joined; gradients stay unsummed.",
        _GATHER,
        since="0.8.1",
    ),
    _exchange("all_to_all", "Each device sends a part to every other.", _ALL_TO_ALL),
    _exchange(
        "ragged_all_to_all",
        "Each device sends parts of different sizes to every other.",
        {"axis_name": _AXIS_NAME},
    ),
    _exchange("ppermute", "Each device sends its value to another.", _PAIRS),
    _exchange("pbroadcast", "The value of one device, sent to all.", _SENDER),
    _exchange(
        "pbroadcast_dynamic",
        "The value of one device, sent to all; an operand says which device.",
        {"axis_name": _AXIS_NAME},
        since="0.12.0",
    ),
    Op(
        "pgather",
        "Takes slices at given indices along a named axis.",
        family="collective",
        until="0.9.0",
    ),
    Op("psend", "Sends a value to another device.", _PAIRS, family="collective", since="0.7.0"),
    Op("precv", "The value that another device sends.", _PAIRS, family="collective", since="0.7.0"),
    _exchange(
        "axis_index",
        "The index of the device along a named axis.",
        {"axis_name": "The named axis along which it returns the index of the device."},
    ),
    _sum_start("psum_start", "Begins the sum over devices.", until="0.11.0"),
    _sum_start("psum_invariant_start", "Begins the sum over devices."),
    _sum_start(
        "unreduced_psum_start",
        "Begins the sum over devices of a value that is not summed yet.",
        until="0.11.0",
    ),
    _done("psum_done", "Waits for a sum over devices."),
    _start(
        "reduce_scatter_start",
        "Begins the sum over devices; each device gets a part of it.",
        _SCATTER,
    ),
    _start(
        "unreduced_reduce_scatter_start",
        "Begins the sum over devices of a value that is not summed yet; each device gets a part of "
        "it.",
        _SCATTER,
        until="0.11.0",
    ),
    _done("reduce_scatter_done", "Waits for a part of a sum over devices."),
    _start("all_gather_start", "Begins to join the parts of all devices.", _GATHER),
    _start("all_gather_reduced_start", "Begins to join the parts of all devices.", _GATHER),
    _done("all_gather_done", "Waits for the parts of all devices."),
    _start("all_to_all_start", "Begins to send a part of each device to every other.", _ALL_TO_ALL),
    _done("all_to_all_done", "Waits for the parts that other devices send."),
    _start("ppermute_start", "Begins to send each device's value to another.", _PAIRS),
    _done("ppermute_done", "Waits for the value that another device sends."),
    _start(
        "pbroadcast_start",
        "Begins to send the value of one device to all.",
        _SENDER,
        until="0.11.0",
    ),
    _done("pbroadcast_done", "Waits for the value of one device.", until="0.11.0"),
    _cast("pvary", "The same value, treated as different on each device."),
    _cast("preduced", "The same value, whose gradients stay unsummed over devices.", since="0.8.1"),
    _cast(
        "reduced_vary_cast", "The same value, treated as different on each device.", since="0.12.0"
    ),
    _cast(
        "reduced_vary_cast_p",
        "The same value, treated as different on each device.",
        since="0.8.1",
        until="0.11.2",
    ),
    _cast(
        "vary_unreduced_cast",
        "The same values, treated as parts of a sum over devices.",
        since="0.12.0",
    ),
    _cast(
        "vary_unreduced_cast_p",
        "The same values, treated as parts of a sum over devices.",
        since="0.8.1",
        until="0.11.2",
    ),
    _placement(
        "sharding_constraint",
        "The same value, with a given sharding.",
        {"sharding": "The required sharding of the value from here on."},
    ),
    _placement(
        "reshard",
        "The same value, with a given sharding.",
        {"dst_sharding": "The required sharding of the value from here on."},
    ),
    _placement(
        "mesh_cast",
        "The same value on a mesh with other axis types.",
        {"dst_sharding": "The sharding of the value from here on."},
        until="0.7.1",
    ),
    _placement("full_to_shard", "The part of a value on each device.", until="0.9.1"),
    _placement("shard_to_full", "The whole value, whose parts are on the devices.", until="0.9.1"),
    Op(
        "host_local_array_to_global_array",
        "The arrays of all processes, treated as parts of one array.",
        family="collective",
    ),
    Op(
        "global_array_to_host_local_array",
        "The part of an array that belongs to this process.",
        family="collective",
    ),
)
