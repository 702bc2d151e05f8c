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

from jax.extend.core import ClosedJaxpr, JaxprEqn, Literal
from jax.extend.source_info_util import new_source_info
from jax.sharding import NamedSharding, PartitionSpec

from jaxviz.capture.shown.callables import wrapped


def calls(eqn: JaxprEqn) -> tuple[Any, Callable[[], list[tuple[CodeType, int]]]]:
    """A value that equals that of another eqn made by the same Python calls, and a function that
    gives these calls, innermost first, as code and instruction.

    `Traceback.raw_frames` was seen on 0.6.2 to 0.12.0; without it eqns have no place.
    """
    traceback: Any = eqn.source_info.traceback

    def made_by() -> list[tuple[CodeType, int]]:
        try:
            return list(zip(*traceback.raw_frames(), strict=True))
        except AttributeError:
            return []

    return traceback, made_by


def is_named(atom: Any) -> bool:
    """Whether the atom is a variable with a name: no literal, and not dropped."""
    return not isinstance(atom, Literal) and not is_dropped(atom)


def is_dropped(atom: Any) -> bool:
    """Whether JAX prints the variable as `_`, since nothing reads it.

    `DropVar` is public from 0.9 on, and private under the same name before.
    """
    return type(atom).__name__ == "DropVar"


def transforms(fun: Any) -> tuple[list[str], Any]:
    """The transformations around a function, outermost first, and the function itself:
    `(['value_and_grad'], loss)`.

    JAX gives them no public name: they are read off the closures that `jax.grad` and the like
    return, as seen on 0.6.2 to 0.12.0. The fallback is the function's own name alone.
    """
    names: list[str] = []
    for _ in range(100):
        inner = wrapped(fun)
        if inner is None:
            break
        maker = _maker(fun)
        if maker is not None:
            names.append(maker)
        fun = inner
    return names, fun


def _maker(fun: Any) -> str | None:
    """The function of JAX's own in which this closure was made."""
    while isinstance(fun, FunctionType):
        if not fun.__code__.co_filename.startswith(JAX_FOLDER):
            return None
        maker, closure, _ = fun.__code__.co_qualname.partition(".<locals>")
        if maker != "api_boundary":
            named = closure and "." not in maker  # else a decorator, such as jax.named_scope("…")
            return maker.lstrip("_") if named else None
        closed = dict(zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=True))
        fun = closed["fun"].cell_contents if "fun" in closed else None
    return None


def differentiated(fun: Any) -> tuple[Any, bool] | None:
    """The `argnums` and `has_aux` of the innermost `jax.grad` or `jax.value_and_grad` around a
    function; None where they are not found.

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
        held = closed.get("value_and_grad_f", closed.get("fun"))
        fun = None if held is None else held.cell_contents
    return None


def without_arguments(traced: Any) -> Any:
    """A `Traced` that can be lowered and holds no argument's value; None where this version of
    JAX keeps them where we do not know.

    From 0.8 on `Traced._meta_tys_flat` describes the arguments; 0.6.2 holds them in the partial
    `_lower_callable` and in `_args_flat`.
    """
    if hasattr(traced, "_params") and hasattr(traced, "_meta_tys_flat"):
        return traced
    lower = getattr(traced, "_lower_callable", None)
    if not isinstance(lower, partial) or "jaxpr" not in lower.keywords or len(lower.args) != 1:
        return None
    described = [_described(arg) for arg in lower.args[0]]
    known = copy.copy(traced)
    known._args_flat = described
    known._lower_callable = partial(lower.func, described, **lower.keywords)
    return known


def _described(arg: Any) -> Any:
    """The argument without its value: the fields that lowering reads."""
    asked = ("shape", "dtype", "sharding", "format", "_committed")
    return SimpleNamespace(**{name: getattr(arg, name) for name in asked if hasattr(arg, name)})


def private(module: str, name: str) -> Any:
    """What a module of JAX's calls by this name; None where it has none, or is not there."""
    try:
        return getattr(import_module(module), name, None)
    except ImportError:
        return None


class JitOptions(NamedTuple):
    """What jit was told of a call: for each input whether it is donated and how it is split, and
    how each result is split. Empty where that is not known."""

    donated: Sequence[bool] = ()
    in_shardings: Sequence[Any] = ()
    out_shardings: Sequence[Any] = ()


def options_of(traced: Any) -> JitOptions:
    """The options of a `Traced`: from 0.8 on its `_params` have them, and the partial
    `_lower_callable` of 0.6.2. Both were seen on 0.6.2 to 0.12.0."""
    lower = getattr(traced, "_lower_callable", None)
    params = getattr(traced, "_params", None) or getattr(lower, "keywords", {})
    names = ("donated_invars", "in_shardings", "out_shardings")
    return JitOptions(*(params.get(name, ()) for name in names))


def is_unspecified(sharding: Any) -> bool:
    """Whether jit was told no sharding: JAX has an `UnspecifiedValue` in its place, as seen on
    0.6.2 to 0.12.0."""
    return sharding is None or type(sharding).__name__ == "UnspecifiedValue"


def with_jaxpr(traced: Any, closed: ClosedJaxpr) -> Any:
    """The `Traced` with another jaxpr of the same type in place of its own. `traced` is what
    `without_arguments` returned, with the same names."""
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
    """The `Traced` as if it had been traced within a mesh without devices; itself where it is split
    over a mesh already. `traced` is what `without_arguments` returned, with the same names.

    `ctx_mesh` of 0.8 to 0.12.0 may be such a mesh. On 0.6.2 it may not: there the results are given
    a sharding on it that splits nothing."""
    other = copy.copy(traced)
    if hasattr(traced, "_params"):
        around = traced._params.get("ctx_mesh")
        if around is None or around.empty:
            other._params = {**traced._params, "ctx_mesh": mesh}
        return other
    lower = traced._lower_callable
    if not any(isinstance(getattr(arg, "sharding", None), NamedSharding) for arg in lower.args[0]):
        whole = NamedSharding(mesh, PartitionSpec())
        given = lower.keywords["out_shardings"]
        made = tuple(whole if is_unspecified(one) else one for one in given)
        keywords = {**lower.keywords, "out_shardings": made}
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

    `config.<name>.value` was seen on 0.6.2 to 0.12.0 for nearly all names. One that is missing is
    left out: lowering then uses the setting of its own time.
    """
    return {name: state.value for name, state in _states(_LOWERING).items()}


@contextmanager
def as_configured(settings: dict[str, Any]) -> Iterator[None]:
    """Puts what `configured` returned in force, in this thread alone. A name that is missing
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
"""Settings under which a compilation neither reads nor writes the persistent cache for what has
the same ops under other names, as seen on 0.6.2 to 0.12.0."""


JAX_FOLDER = new_source_info.__code__.co_filename.rpartition("_src")[0]


def bound_again(eqn: JaxprEqn, values: Sequence[Any]) -> list[Any]:
    """The results of an eqn's primitive for other operands.

    `Primitive.get_bind_params` and `JaxprEqn.ctx` were seen on 0.6.2, where the former gives the
    functions apart, to 0.12.0. There is no fallback: `find_nan` alone needs them.
    """
    bound: Any = eqn.primitive.get_bind_params(eqn.params)
    functions, params = bound if isinstance(bound, tuple) else ((), bound)
    with eqn.ctx.manager:
        out = eqn.primitive.bind(*functions, *values, **params)
    return [*out] if eqn.primitive.multiple_results else [out]


def same_when_bound(eqn: JaxprEqn) -> Any:
    """Equal for eqns that give the same for the same operands.

    The text of `JaxprEqn.ctx` has all that it says, as seen on 0.6.2 to 0.12.0.
    """
    key = eqn.primitive, tuple(sorted(eqn.params.items())), repr(eqn.ctx)
    try:
        hash(key)
    except TypeError:
        return id(eqn)
    return key


def coordination() -> tuple[Any, int, int]:
    """The key-value store of the job, this process's number and how many there are; `None, 0, 1`
    without `jax.distributed`.

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
    """The names of the static fields of a registered dataclass; None if the class is not registered
    so, or if a private name is missing: then they are known by number.

    `jax.tree_util.register_dataclass` keeps them in the closure of a function, as seen on 0.6.2 to
    0.12.0."""
    try:
        flatten = _REGISTRY.get(kind).to_iter
        found = inspect.getclosurevars(flatten).nonlocals["meta_fields"]
    except (AttributeError, KeyError, TypeError):
        return None
    return found if type(found) is tuple else None
