"""Reads private names of JAX: its traces and its executables. Each name has the versions that it
was seen on, and a fallback."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any, NamedTuple

import jax
from jax.extend.core import ClosedJaxpr, JaxprEqn, Literal
from jax.extend.source_info_util import new_source_info
from jax.sharding import NamedSharding, PartitionSpec

from jaxviz.capture.shown.callables import wrapped
from jaxviz.capture.shown.source import file_kind

EXPORTED = "jax._src.export._export.Exported"
"""The class `jax.export.Exported` by its own name, as seen on 0.6.2 to 0.12.0. Under another name
an `Exported` is drawn only on request."""


def calls(eqn: JaxprEqn) -> tuple[Any, Callable[[], list[tuple[CodeType, int]]]]:
    """A value that is equal for eqns made by the same Python calls, and a function that returns
    these calls, innermost first, as code and instruction.

    `Traceback.raw_frames` was seen on 0.6.2 to 0.12.0; without it eqns have no place.
    """
    traceback: Any = eqn.source_info.traceback

    def made_by() -> list[tuple[CodeType, int]]:
        try:
            return list(zip(*traceback.raw_frames(), strict=True))
        except AttributeError:
            return []

    return traceback, made_by


def loop_or_choice(eqn: JaxprEqn) -> str:
    """The public function of JAX that was called for a loop or a choice: `fori_loop`, `switch`.
    Empty if it is not known.

    A `scan` may come from `jax.lax.map`, and a `while` from `fori_loop`, so the outermost of JAX's
    own frames decides. Their names are the same from 0.6.2 to 0.12.0.
    """
    found = ""
    for code, _ in calls(eqn)[1]():
        if file_kind(code.co_filename) != "library":
            break
        if code.co_name in _LOOPS_AND_CHOICES:
            found = code.co_name
    return found


def choice_before_vmap(eqn: JaxprEqn) -> str:
    """`cond` or `switch` for a `select_n` that vmap made of a choice in the user's code; else
    empty.

    Such a `select_n` has an index, and the outermost of JAX's own frames is that of the choice. If
    vmap made it while the user's function ran, `_cond_batching_rule` is an inner frame. If vmap
    read a recorded body, its frames are those of the choice itself. Around these is
    `reraise_with_filtered_traceback`. All were seen on 0.6.2 to 0.12.0; without them only the
    user's expression can tell.
    """
    index: Any = eqn.invars[0].aval
    if index.dtype == bool:
        return ""
    outermost = ""
    for code, _ in calls(eqn)[1]():
        if file_kind(code.co_filename) != "library":
            break
        if code.co_name != "reraise_with_filtered_traceback":
            outermost = code.co_name
    return outermost if outermost in ("cond", "switch") else ""


_LOOPS_AND_CHOICES = (
    *("scan", "map", "fori_loop", "while_loop", "associative_scan"),
    *("cond", "switch", "platform_dependent"),
)
RULE_FIELDS = {jax.custom_vjp: ("fwd", "bwd"), jax.custom_jvp: ("jvp",)}
"""The fields with the rules of a function with a custom derivative. Seen on 0.6.2 to 0.12.0; if one
is missing, the rules have no names."""


def is_named(atom: Any) -> bool:
    """True if the atom is a variable with a name: no literal, and not dropped."""
    return not isinstance(atom, Literal) and not is_dropped(atom)


def is_dropped(atom: Any) -> bool:
    """True if JAX prints the variable as `_`, since nothing reads it.

    `DropVar` is public from 0.9 on, and private under the same name before.
    """
    return type(atom).__name__ == "DropVar"


def transforms(fun: Any) -> tuple[list[str], Any]:
    """The transformations around a function, outermost first, and the function itself:
    `(['value_and_grad'], loss)`.

    JAX has no public name for this: they are read from the closures that `jax.grad` and the like
    return, as seen on 0.6.2 to 0.12.0. The fallback is the function itself.
    """
    names: list[str] = []
    for _ in range(100):
        inner = wrapped(fun)
        if inner is None:
            break
        name = maker(fun)
        if name is not None:
            names.append(name)
        fun = inner
    return names, fun


def maker(fun: Any) -> str | None:
    """The function of JAX that made this closure."""
    while type(fun) is FunctionType:  # isinstance would ask a value for its `__class__`
        if not fun.__code__.co_filename.startswith(JAX_FOLDER):
            return None
        name, closure, _ = fun.__code__.co_qualname.partition(".<locals>")
        if name != "api_boundary":
            named = closure and "." not in name  # else a decorator, such as jax.named_scope("…")
            return name.lstrip("_") if named else None
        closed = dict(zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=True))
        fun = closed["fun"].cell_contents if "fun" in closed else None
    return None


def differentiated(fun: Any) -> tuple[Any, bool] | None:
    """The `argnums` and `has_aux` of the innermost `jax.grad` or `jax.value_and_grad` around a
    function; None if they are not found.

    Both are variables of the closure that these return, as seen on 0.6.2 to 0.12.0.
    """
    for _ in range(100):
        if not isinstance(fun, FunctionType):
            fun = getattr(fun, "__wrapped__", None)
            if fun is None:
                return None
            continue
        if not fun.__code__.co_filename.startswith(JAX_FOLDER):
            return None
        closed = dict(zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=True))
        if "argnums" in closed and "has_aux" in closed:
            return closed["argnums"].cell_contents, bool(closed["has_aux"].cell_contents)
        inner = closed.get("value_and_grad_f", closed.get("fun"))
        fun = None if inner is None else inner.cell_contents
    return None


def without_arguments(traced: Any) -> Any:
    """A `Traced` that can be lowered and contains no argument's value; None if this version of JAX
    stores the values at an unknown place.

    From 0.8 on `Traced._meta_tys_flat` describes the arguments; 0.6.2 has them in the partial
    `_lower_callable` and in `_args_flat`.
    """
    if hasattr(traced, "_params") and hasattr(traced, "_meta_tys_flat"):
        return traced
    lower = getattr(traced, "_lower_callable", None)
    if not isinstance(lower, partial) or "jaxpr" not in lower.keywords or len(lower.args) != 1:
        return None
    described = [_described(arg) for arg in lower.args[0]]
    other = copy.copy(traced)
    other._args_flat = described
    other._lower_callable = partial(lower.func, described, **lower.keywords)
    return other


def _described(arg: Any) -> Any:
    """The argument without its value: the fields that lowering reads."""
    fields = ("shape", "dtype", "sharding", "format", "_committed")
    return SimpleNamespace(**{name: getattr(arg, name) for name in fields if hasattr(arg, name)})


def private(module: str, name: str) -> Any:
    """The attribute of one of JAX's modules; None if it, or the module, is missing."""
    try:
        return getattr(import_module(module), name, None)
    except ImportError:
        return None


class JitOptions(NamedTuple):
    """The options of jit for a call: for each input whether it is donated and its sharding, and the
    sharding of each result. Empty if they are unknown."""

    donated: Sequence[bool] = ()
    in_shardings: Sequence[Any] = ()
    out_shardings: Sequence[Any] = ()


def options_of(traced: Any) -> JitOptions:
    """The options of a `Traced`: from 0.8 on in its `_params`, on 0.6.2 in the partial
    `_lower_callable`. Both were seen on 0.6.2 to 0.12.0."""
    lower = getattr(traced, "_lower_callable", None)
    params = getattr(traced, "_params", None) or getattr(lower, "keywords", {})
    names = ("donated_invars", "in_shardings", "out_shardings")
    return JitOptions(*(params.get(name, ()) for name in names))


def statics_of(jitted: Any) -> dict[str, Any]:
    """The `static_argnums` and `static_argnames` of a jitted function, by these names.

    `PjitFunction._jit_info` was seen on 0.6.2 to 0.12.0.
    """
    options = getattr(jitted, "_jit_info", None)
    names = ("static_argnums", "static_argnames")
    return {name: getattr(options, name, None) or None for name in names}


class AskedDonation(NamedTuple):
    """The options of jit for donation, as the user wrote them."""

    argnums: Sequence[int] = ()
    argnames: Sequence[str] = ()
    keep_unused: bool = False


def asked_donation(jit: Any) -> AskedDonation:
    """The donation that a jitted function, or JAX's record of its options, asks for.

    `PjitFunction._jit_info` and its fields `donate_argnums`, `donate_argnames` and `keep_unused`
    were seen on 0.6.2 to 0.12.0; without them no donation counts as lost.
    """
    options = getattr(jit, "_jit_info", jit)
    numbers, names, keep_unused = (
        getattr(options, name, None)
        for name in ("donate_argnums", "donate_argnames", "keep_unused")
    )
    return AskedDonation(numbers or (), names or (), bool(keep_unused))


def is_unspecified(sharding: Any) -> bool:
    """True if jit has no sharding for a value: JAX has an `UnspecifiedValue` in its place, as seen
    on 0.6.2 to 0.12.0."""
    return sharding is None or type(sharding).__name__ == "UnspecifiedValue"


def with_jaxpr(traced: Any, closed: ClosedJaxpr) -> Any:
    """The `Traced` with another jaxpr of the same type in place of its own. `traced` is a result of
    `without_arguments`, and the names are the same."""
    other = copy.copy(traced)
    if hasattr(traced, "_params"):
        other._params = {**traced._params, "jaxpr": closed}
        other._lojax = None
        return other
    lower = traced._lower_callable
    other.jaxpr = closed
    other._lower_callable = partial(lower.func, *lower.args, **{**lower.keywords, "jaxpr": closed})
    return other


def on_mesh(traced: Any, mesh: Any) -> Any:
    """The `Traced` as if it had been traced within a mesh without devices; itself if it is split
    over a mesh already. `traced` is a result of `without_arguments`, and the names are the same.

    `ctx_mesh` of 0.8 to 0.12.0 may be such a mesh. On 0.6.2 it may not: there the results get a
    sharding on it that splits nothing."""
    other = copy.copy(traced)
    if hasattr(traced, "_params"):
        own = traced._params.get("ctx_mesh")
        if own is None or own.empty:
            other._params = {**traced._params, "ctx_mesh": mesh}
        return other
    lower = traced._lower_callable
    if not any(isinstance(getattr(arg, "sharding", None), NamedSharding) for arg in lower.args[0]):
        whole = NamedSharding(mesh, PartitionSpec())
        shardings = lower.keywords["out_shardings"]
        changed = tuple(whole if is_unspecified(one) else one for one in shardings)
        keywords = {**lower.keywords, "out_shardings": changed}
        other._lower_callable = partial(lower.func, *lower.args, **keywords)
    return other


_LOWERING = (
    *("enable_x64", "default_matmul_precision", "numpy_dtype_promotion", "disable_jit"),
    *("numpy_rank_promotion", "threefry_partitionable", "default_device", "default_prng_impl"),
    *("use_shardy_partitioner", "softmax_custom_jvp", "use_rgv3", "use_hlo_logistic_lowering"),
    "jax_accurate_erf_inv",
)


def configured() -> dict[str, Any]:
    """The settings that lowering depends on, as they are in this thread now.

    `config.<name>.value` was seen on 0.6.2 to 0.12.0 for nearly all names. A missing one is left
    out: lowering then uses the setting of its own time.
    """
    return {name: state.value for name, state in _states(_LOWERING).items()}


@contextmanager
def as_configured(settings: dict[str, Any]) -> Iterator[None]:
    """Sets the result of `configured` within this context, in this thread alone. A missing name
    stays as it is."""
    with ExitStack() as stack:
        for name, state in _states(settings).items():
            if state.value != settings[name]:
                stack.enter_context(state(settings[name]))
        yield


def _states(names: Iterable[str]) -> dict[str, Any]:
    try:
        from jax._src import config
    except ImportError:
        return {}
    states = {name: getattr(config, name, None) for name in names}
    return {name: state for name, state in states.items() if hasattr(state, "value")}


NO_CACHE = {
    "compilation_cache_include_metadata_in_key": True,
    "persistent_cache_min_compile_time_secs": 1e9,
}
"""Settings under which a compilation does not write the persistent cache, nor read an entry with
the same ops under other names. Seen on 0.6.2 to 0.12.0."""


JAX_FOLDER = new_source_info.__code__.co_filename.rpartition("_src")[0]


def bound_again(eqn: JaxprEqn, values: Sequence[Any]) -> list[Any]:
    """The results of an eqn's primitive for other operands.

    `Primitive.get_bind_params` and `JaxprEqn.ctx` were seen on 0.6.2 to 0.12.0; on 0.6.2 the former
    returns the functions separately. There is no fallback: only `find_nan` needs them.
    """
    bound: Any = eqn.primitive.get_bind_params(eqn.params)
    functions, params = bound if isinstance(bound, tuple) else ((), bound)
    with eqn.ctx.manager:
        out = eqn.primitive.bind(*functions, *values, **params)
    return [*out] if eqn.primitive.multiple_results else [out]


def same_when_bound(eqn: JaxprEqn) -> Any:
    """Equal for eqns that have the same results for the same operands.

    The text of `JaxprEqn.ctx` contains all of its fields, as seen on 0.6.2 to 0.12.0.
    """
    key = eqn.primitive, tuple(sorted(eqn.params.items())), repr(eqn.ctx)
    try:
        hash(key)
    except TypeError:
        return id(eqn)
    return key


def coordination() -> tuple[Any, int, int]:
    """The key-value store of the job, this process's number and the number of processes; `None, 0,
    1` without `jax.distributed`.

    `global_state` and its client's methods were seen on 0.6.2 to 0.12.0; without them there is no
    job.
    """
    try:
        from jax._src.distributed import global_state

        if global_state.client is not None:
            return global_state.client, global_state.process_id, global_state.num_processes
    except (ImportError, AttributeError):
        pass
    return None, 0, 1


_REGISTRY = private("jax._src.tree_util", "_registry")


def meta_fields(kind: type) -> tuple[str, ...] | None:
    """The names of the static fields of a registered dataclass. None if the class is not registered
    in this way, or if a private name is missing: then fields have numbers.

    `jax.tree_util.register_dataclass` has them in the closure of a function, as seen on 0.6.2 to
    0.12.0."""
    try:
        flatten = _REGISTRY.get(kind).to_iter
        found = inspect.getclosurevars(flatten).nonlocals["meta_fields"]
    except (AttributeError, KeyError, TypeError):
        return None
    return found if type(found) is tuple else None
