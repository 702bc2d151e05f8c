"""Describes a call's arguments for comparison: all that JAX's caches compare, but no values."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from inspect import Parameter
from inspect import Signature as Signature_
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.core import AbstractValue, Tracer
from jax.tree_util import tree_flatten, tree_flatten_with_path, tree_leaves

from jaxviz.capture._events import Call, physical_mesh
from jaxviz.capture._traces import Flattened, trace_context, type_of
from jaxviz.capture.calls.called_function import by_position
from jaxviz.capture.calls.flax_nnx import Parts, is_module, parts_of
from jaxviz.capture.calls.libraries import Filtered, applied_signature, nnx_grad_signature
from jaxviz.capture.calls.statics import (
    class_of,
    classes_in,
    is_plain,
    named_static,
    nodes_of,
    static_parts,
    structure,
)
from jaxviz.capture.events.functions import innermost
from jaxviz.capture.jaxprs.avals import aval_text, spec_text
from jaxviz.capture.shown.callables import parameters_of
from jaxviz.capture.shown.objects import is_a, title_of
from jaxviz.capture.shown.shown_values import path_text, shown
from jaxviz.capture.shown.strings import name
from jaxviz.safety.guard import as_far
from jaxviz.schema import Words
from jaxviz.schema.signature import LEAF, TRACER, Class, Leaf, Placement, Signature, Static

_UNSPECIFIED = "UnspecifiedValue"
_FLAGS = (
    *("jax_enable_x64", "jax_default_matmul_precision", "jax_numpy_dtype_promotion"),
    *("jax_numpy_rank_promotion", "jax_default_device", "jax_disable_jit", "jax_debug_key_reuse"),
    *("jax_threefry_partitionable", "jax_threefry_gpu_kernel_lowering", "jax_random_seed_offset"),
    *("jax_high_dynamic_range_gumbel", "jax_softmax_custom_jvp", "jax_use_direct_linearize"),
    *("jax_explicit_x64_dtypes", "jax_allow_f16_reductions", "jax_auto_pcast", "jax_no_execution"),
    *("jax_scan3", "jax_remat3", "jax_custom_vjp3", "jax_dynamic_shapes", "jax_enable_pgle"),
    *("jax_error_checking_behavior_nan", "jax_error_checking_behavior_divide"),
    *("jax_error_checking_behavior_oob", "jax_mutable_array_checks", "jax_check_static_indices"),
    *("jax_use_shardy_partitioner", "jax_remove_size_one_mesh_axis_from_type"),
    *("jax_use_simplified_jaxpr_constants", "jax_embedded_constants_max_bytes"),
    *("jax_hlo_source_file_canonicalization_regex", "jax_pgle_profiling_runs", "check_vma"),
    *("jax_custom_jvp3", "jax_remat_barrier_no_cotangents", "jax_raise_on_ppermute_sort_diff"),
    *("jax_accurate_erf_inv", "jax_pallas_enable_debug_checks", "jax_pallas_use_mosaic_gpu"),
    *("jax_ragged_dot_use_gpu_pallas_triton_lowering", "jax_use_emit_pipeline_primitive"),
    "eager_constant_folding",
)
"""JAX's settings in the keys of its caches, in any version from 0.6.2 to 0.12.0."""
_PRESENT_FLAGS = tuple(flag for flag in _FLAGS if hasattr(jax.config, flag))


def signature_of(call: Call) -> Signature:
    """The facts from which JAX decides to retrace a call, by JAX's names of the arguments."""
    parameters = _parameters(call)
    passed = [*_arguments(call, parameters)]
    options = _options(call, parameters)
    found = Signature({}, {}, {}, {}, _config(), _mesh(), {}, {}, options)
    filtered = isinstance(call.options, Filtered)
    for argument, how, static, value in passed:
        found.style[argument] = how
        if static:
            _add_static(found, argument, named_static(argument, value))
        else:
            _describe(found, argument, value, filtered)
    values = {argument: value for argument, _, _, value in passed}
    for argument, static in _defaults(_with_defaults(call, parameters), values):
        found.defaults[argument] = static
    if filtered and not isinstance(innermost(call.options.fun), type(call.options.fun)):
        _describe(found, "self", call.options.fun, filtered)
    return found


def _describe(found: Signature, argument: str, value: Any, filtered: bool) -> None:
    """Adds an argument's leaves to `found`. If `filtered`, as by `equinox.filter_jit`, all leaves
    except arrays are static."""
    leaves, tree = tree_flatten(value, is_leaf=_is_none_or_module)
    paths, trees, statics, classes = _layout(argument, value, tree)
    found.trees.update(trees)
    found.classes.update(classes)
    for path, static in statics.items():
        _add_static(found, path, static)
    for at, leaf in zip(paths, leaves, strict=True):
        if is_module(leaf):
            _describe_module(found, at, leaf)
        elif filtered and leaf is not None and not _is_array(leaf):
            _add_static(found, at, named_static(at, leaf))
        else:
            found.leaves[at] = _leaf(leaf)


def _add_static(found: Signature, path: str, static: Static) -> None:
    found.statics[path] = static
    found.classes.update((one.key, one) for one in static.classes)


class Layout(NamedTuple):
    """The paths of an argument's leaves and the nodes of its pytree."""

    paths: list[str]
    trees: dict[str, Words]
    """For `Signature.trees`."""
    statics: dict[str, Static]
    """The static data of the pytree's nodes, by path."""
    classes: dict[str, Class]
    """The user's classes among the nodes."""


_LAYOUTS: dict[tuple[str, Any], Layout] = {}
"""Cached layouts of lists, tuples and dicts. They contain no object of the user except names."""
_MOST_LAYOUTS = 64
_MOST_LEAVES = 1_000


def _layout(argument: str, value: Any, tree: Any) -> Layout:
    if tree.num_nodes == 1 == tree.num_leaves:
        return Layout([argument], {argument: LEAF}, {}, {})
    cached = _LAYOUTS.get((argument, tree))
    if cached is not None:
        return cached
    flat, _ = tree_flatten_with_path(value, is_leaf=_is_none_or_module)
    paths = [name(argument + path_text(path)) if path else argument for path, _ in flat]
    if len(flat) == 1 and not flat[0][0]:
        return Layout(paths, {argument: LEAF}, {}, {})
    nodes = nodes_of(tree, argument)
    classes = {one.key: one for one in classes_in(nodes)}
    made = Layout(paths, structure(nodes), dict(static_parts(nodes)), classes)
    if len(paths) <= _MOST_LEAVES and is_plain(nodes):
        if len(_LAYOUTS) >= _MOST_LAYOUTS:
            _LAYOUTS.clear()
        _LAYOUTS[argument, tree] = made
    return made


def _describe_module(found: Signature, at: str, module: Any) -> None:
    parts, values = parts_of(module, at), tree_leaves(module)
    if parts is None or len(values) != len(parts.leaves):
        for path, leaf in tree_flatten_with_path(module)[0]:
            found.leaves[name(at + path_text(path))] = _leaf(leaf)
        return
    found.leaves.update(
        (name(path), _leaf(value)) for path, value in zip(parts.leaves, values, strict=True)
    )
    cached: dict[int, Static] = {}  # variables share most of their metadata
    for path, value in as_far(Parts.statics, parts):
        static = cached.get(id(value))
        if static is None:
            static = named_static(path, value)
            if type(value) is not str:  # the path decides how much of a string is shown
                cached[id(value)] = static
        _add_static(found, name(path), static)
    found.classes.update((one.key, one) for kind in parts.kinds if (one := class_of(kind)))
    first, *rest = (title_of(kind) for kind in parts.kinds)
    found.trees[name(at)] = f"{first} of {', '.join(rest)}" if rest else first


def _is_none_or_module(value: Any) -> bool:
    return value is None or is_module(value)


def _is_array(value: Any) -> bool:
    return is_a(value, jax.Array, np.ndarray, np.generic, AbstractValue)


def _parameters(call: Call) -> Signature_ | None:
    own = getattr(call.options, "fun_signature", None)
    return applied_signature(call.fun) or nnx_grad_signature(call.fun) or own


def _defaults(
    parameters: Iterable[tuple[str, Parameter]], passed: Mapping[str, Any]
) -> Iterator[tuple[str, Static]]:
    """The defaults of the arguments that the call omits, or passes with the default value: a
    number, a string or None."""
    for argument, parameter in parameters:
        default, value = parameter.default, passed.get(argument, parameter.default)
        if default is Parameter.empty:
            continue
        same = value is default or (type(value) is type(default) in _PLAIN and value == default)
        if same:
            yield name(argument), named_static(argument, default)


def _with_defaults(call: Call, outer: Signature_ | None) -> Iterator[tuple[str, Parameter]]:
    """The parameters of the call, and of the inner function to which it passes `**kwargs`, as
    Haiku's `apply` does."""
    if outer is None:
        return
    yield from outer.parameters.items()
    if any(one.kind is Parameter.VAR_KEYWORD for one in outer.parameters.values()):
        inner = parameters_of(innermost(call.fun))
        parameters = {} if inner is None else inner.parameters
        yield from ((key, one) for key, one in parameters.items() if key not in outer.parameters)


_PLAIN = (bool, int, float, complex, str, bytes)


def _options(call: Call, signature: Signature_ | None) -> dict[str, str]:
    """The names of the jit's static arguments, which JAX also computes from `static_argnums`. Empty
    if the call's options are not known."""
    if isinstance(call.options, Flattened):
        return {}
    parameters, rest = by_position(signature)
    numbers = getattr(call.options, "static_argnums", None) or ()
    every = [*parameters, *(f"{rest}[{i}]" for i in range(len(call.args) - len(parameters)))]
    named = [every[number] for number in numbers if -len(every) <= number < len(every)]
    names = dict.fromkeys((*named, *(getattr(call.options, "static_argnames", None) or ())))
    ordered = sorted(names, key=lambda one: every.index(one) if one in every else len(every))
    return {"static_argnames": name(", ".join(ordered))} if ordered else {}


def arguments_of(call: Call) -> Iterator[tuple[str, str, bool, Any]]:
    """Each argument: its name, `position` or `keyword`, True if it is static, and its value."""
    return _arguments(call, _parameters(call))


def _arguments(call: Call, signature: Signature_ | None) -> Iterator[tuple[str, str, bool, Any]]:
    parameters, rest = by_position(signature)
    numbers = getattr(call.options, "static_argnums", None) or ()
    names = getattr(call.options, "static_argnames", None) or ()
    count = len(call.args)
    static = {number if number >= 0 else count + number for number in numbers}
    flattened = isinstance(call.options, Flattened)
    for i, value in enumerate(call.args):
        argument = parameters[i] if i < len(parameters) else f"{rest}[{i - len(parameters)}]"
        is_static = _has_no_aval(value) if flattened else i in static
        yield name(argument), "position", is_static, value
    for key, value in call.kwargs.items():
        is_static = _has_no_aval(value) if flattened else key in names
        yield name(key), "keyword", is_static, value


def _has_no_aval(value: Any) -> bool:
    """True for a static argument of a call that has avals in place of arrays. An argument without
    leaves is not static."""
    leaves = tree_leaves(value)
    return bool(leaves) and not any(is_a(type_of(leaf), AbstractValue) for leaf in leaves)


def _leaf(value: Any) -> Leaf:
    if value is None:
        return Leaf("None", "", "", False, "", "None")
    value = type_of(value)
    if is_a(value, AbstractValue):
        return leaf_of(value, TRACER)
    kind = TRACER if is_a(value, Tracer) else title_of(type(value))
    try:
        return leaf_of(jax.typeof(value), kind)
    except Exception:
        return Leaf(name(title_of(type(value))), "", "", False, "", name(kind))


@lru_cache(maxsize=4096)
def leaf_of(aval: Any, kind: str) -> Leaf:
    """The record of a leaf with this aval. `kind` is the name of its class, or `TRACER`."""
    weak = getattr(aval, "weak_type", False) is True
    shape = getattr(aval, "shape", ())
    text = name(aval_text(aval))
    return Leaf(text, str(shape), str(getattr(aval, "dtype", text)), weak, _spec(aval), name(kind))


def _spec(aval: Any) -> str:
    """The type's partition spec and mesh: `P('x') on mesh x=4`. Empty without a mesh."""
    sharding: Any = getattr(aval, "sharding", None)
    mesh = getattr(sharding, "mesh", None)
    if mesh is None or mesh.empty:
        return ""
    return name(f"{spec_text(sharding.spec)} on {_axes(mesh)}")


def _axes(mesh: Any) -> str:
    return "mesh " + ", ".join(f"{axis}={size}" for axis, size in mesh.shape.items())


def _config() -> dict[str, str]:
    return _flags(trace_context())


@lru_cache(maxsize=64)
def _flags(_: Hashable) -> dict[str, str]:
    """The settings by name. The same context has the same dict object, which is compared fast."""
    return {flag: str(getattr(jax.config, flag)) for flag in _PRESENT_FLAGS}


def _mesh() -> str:
    try:
        mesh = jax.sharding.get_abstract_mesh()
    except AttributeError:
        mesh = None
    if mesh is None or mesh.empty:
        mesh = physical_mesh()
    return "" if mesh is None or mesh.empty else name(_axes(mesh))


def signature_of_jaxpr(jaxpr: Any, names: Sequence[str]) -> Signature:
    """The signature of a jaxpr whose call is not known: its leaves, without static arguments."""
    return signature_of_avals(names, [var.aval for var in jaxpr.invars])


def signature_of_avals(names: Sequence[str], avals: Iterable[Any]) -> Signature:
    """The signature of arguments with these names and avals. Avals without a name are left out."""
    pairs = zip(names, avals, strict=False)
    leaves = {path: leaf_of(aval, TRACER) for path, aval in pairs}
    return Signature(leaves, {}, {}, {}, _config(), _mesh())


def options_of(options: Mapping[str, Any]) -> dict[str, str]:
    """The options of a jit, such as `donate_argnums`, each as text."""
    return {option: _option(value) for option, value in options.items()}


def _option(value: Any) -> str:
    if is_a(value, tuple) and all(is_a(part, bool) for part in value):
        return ", ".join(str(i) for i, part in enumerate(value) if part) or "none"
    if is_a(value, tuple) and all(title_of(type(part)) == _UNSPECIFIED for part in value):
        return "none"
    if is_a(value, tuple) and any(hasattr(part, "device_set") for part in value):
        return sys.intern(name(", ".join(dict.fromkeys(map(_requested, value)))))
    return sys.intern(shown(value))


def _requested(sharding: Any) -> str:
    """The text of a sharding in an option."""
    if not hasattr(sharding, "device_set"):
        return "none"
    spec, mesh = getattr(sharding, "spec", None), getattr(sharding, "mesh", None)
    return _devices(sharding) if spec is None else f"{spec_text(spec)} on {_axes(mesh)}"


def placements_of(names: Sequence[str], args: Iterable[Any]) -> dict[str, Placement]:
    """The devices and the sharding of each argument, by path. `names` are matched to the last
    arguments, since JAX puts hoisted constants first."""
    found = list(args)
    cached: dict[int, tuple[str, str]] = {}
    return {
        path: _placement(arg, cached)
        for path, arg in zip(names, found[len(found) - len(names) :], strict=False)
    }


def _placement(arg: Any, cached: dict[int, tuple[str, str]]) -> Placement:
    sharding: Any = getattr(arg, "sharding", None)
    if sharding is None or not hasattr(sharding, "device_set"):
        return Placement("", "", False)
    if id(sharding) not in cached:
        cached[id(sharding)] = (_devices(sharding), _sharding(sharding))
    committed = bool(getattr(arg, "_committed", getattr(arg, "committed", True)))
    return Placement(*cached[id(sharding)], committed)


def _devices(sharding: Any) -> str:
    devices = sorted(sharding.device_set, key=lambda device: device.id)
    shown = ", ".join(f"{device.platform}:{device.id}" for device in devices[:8])
    return shown if len(devices) <= 8 else f"{shown} and {len(devices) - 8} more"


def _sharding(sharding: Any) -> str:
    """The text of spec and mesh; empty for a single device, which is in `Placement.devices`."""
    if len(sharding.device_set) == 1:
        return ""
    spec, mesh = getattr(sharding, "spec", None), getattr(sharding, "mesh", None)
    if spec is None or mesh is None:
        return name(str(sharding))
    return name(f"{spec_text(spec)} on {_axes(mesh)}")
