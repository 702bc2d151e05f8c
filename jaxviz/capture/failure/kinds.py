"""Chooses the help page of an exception: the first row of `ROWS` that fits.

To add a page: write `jaxviz/pages/en/NAME.md` and `ko/NAME.md`, and add rows with its name to the
section that fits: `_BY_CLASS` for exception classes of JAX or a library, `_BY_FUNCTION` for private
functions that raise (named in `_raising.py`), `_BY_CALLEE` for public functions on the user's
line, which is all that is left outside of IPython. A row fits if all that it names fits. Name a
message only to separate errors of one function. A row without a page means that there is no card.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from types import FrameType, TracebackType
from typing import NamedTuple

from jaxviz.capture.failure import _raising
from jaxviz.capture.failure.expression import entries
from jaxviz.capture.shown.objects import bases_of, cause_of, context_of, title_of, traceback_of
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.capture.shown.source import file_kind


class Row(NamedTuple):
    """Which exceptions have a help page. What is empty fits any."""

    page: str
    """Its name in `%jaxviz explain NAME`; empty for none."""
    classes: str = ""
    """Names of exceptions. The exception, or a base class of it, has one of them."""
    raised: tuple[str, ...] = ()
    """Functions. One of them was running below the user's line (`_raising.py`)."""
    callers: tuple[str, ...] = ()
    """Functions. One of them called the user's function (`_raising.py`)."""
    called: str = ""
    """Public functions. The user's line calls one of them: `jax.lax.*`."""
    message: str = ""
    """A pattern that the exception's message has."""


_RUNTIME = "JaxRuntimeError XlaRuntimeError"
_ASKING = "TracerBoolConversionError ConcretizationTypeError TracerIntegerConversionError"
_WRONG = "TypeError ValueError IndexError"
_ARRAYS = (
    "jax.numpy.* jax.lax.* jax.nn.* jax.random.* jax.scipy.* jax.Array.* jax.image.* jax.ops.*"
)
_LIBRARIES = "optax.* flax.* equinox.* haiku.* keras.* numpyro.*"
_SIZED = (
    "jax.numpy.arange jax.numpy.linspace jax.numpy.logspace jax.numpy.geomspace jax.numpy.nonzero "
    "jax.numpy.flatnonzero jax.numpy.argwhere jax.numpy.where jax.numpy.unique* jax.numpy.repeat "
    "jax.numpy.tile jax.numpy.bincount jax.numpy.split jax.numpy.array_split jax.numpy.histogram* "
    "jax.numpy.union1d jax.numpy.setdiff1d jax.numpy.intersect1d jax.numpy.setxor1d jax.numpy.eye "
    "jax.numpy.identity jax.numpy.tri jax.numpy.compress jax.numpy.extract jax.numpy.roll "
    "jax.nn.one_hot jax.lax.top_k jax.lax.approx_max_k jax.lax.approx_min_k jax.lax.dynamic_slice* "
    "jax.lax.iota jax.lax.broadcasted_iota jax.lax.scan jax.random.* jax.Array.repeat "
    "jax.Array.nonzero jax.lax.slice* jax.numpy.pad jax.lax.pad jax.numpy.sum jax.numpy.mean "
    "jax.numpy.max jax.numpy.min jax.Array.sum jax.Array.mean jax.Array.max jax.Array.min"
)
"""Functions whose result's shape depends on the value of an argument."""
_GRAD = (
    "jax.grad jax.value_and_grad jax.jacfwd jax.jacrev jax.jacobian jax.hessian equinox.*[Gg]rad*"
)
_NO_GRADIENT = (
    "Gradient only defined for scalar-output|grad requires real- or complex-valued|has_aux"
    "|requires (?:real|complex)-valued (?:in|out)puts"
)
_STATIC_SIZE = (
    "concrete values of integer type|must be static|have static|must be known statically"
    r"|__hash__ and __eq__ .*Tracer|requires concrete|must be (?:a )?concrete"
)
_NO_ARRAY = (
    "ndarray or scalar arguments|not a valid JAX|Error interpreting argument|as an abstract array"
)
_PLACES = (
    "incompatible devices|[Ss]harding.*(?:divi|partition|dimension|rank)|partitioned \\d+ times"
    "|evenly divi"
)
_PYTHON = "unexpected keyword|required (?:positional|keyword)|takes .* argument|multiple values"
"""Python's own messages for a call without the right arguments."""
_SHAPE = (
    r"shape|[Dd]imension|\bndim\b|\baxis\b|\baxes\b|\bsize|\brank\b|length|equal division"
    "|[Tt]oo many indices|[Ss]ubscript"
)

_TREES = (
    "pytree structure error|Dict key mismatch|(?:Tuple|List) arity mismatch|node type mismatch"
    "|Expected (?:list|tuple|dict|None), got|(?:few|many) leaves for PyTreeDef"
)
_SYMBOLS = r"incompatible shapes.*\((?:\d+, )*[a-z]\w*[,)]"
_EINSUM = "^Size of label|[Ee]instein sum|einsum subscripts|^Output character"

_SAME_TYPES = r"^Old and new values .*The old value is (.+) and the new value is \1\.$"
"""Equinox' message for a state whose types differ in the mesh alone: it shows no difference."""
_SPLIT_NEXT = "^0th dimension of all xs should be replicated|^Please pass sharding to `"
"""JAX's messages for split arrays that have no class of their own."""
_LONG_SPEC = r"is only valid for values of rank at least|^Length of sharding.spec|^\(\d+, P\w*\("
_CONSTRAINT = "can only refer to Auto axes|^`with_sharding_constraint` acts as an assert"
_COLLECTIVES = "jax.lax.p* jax.lax.all_* jax.lax.axis_*"
_TOO_LARGE = "^Python int|^An overflow was encountered while parsing an argument"
_ARRAY_AND_LIST = (
    r"^unsupported operand .*(?:'(?:list|tuple)' and '(?:ArrayImpl|\w*Tracer)'$"
    r"|'(?:ArrayImpl|\w*Tracer)' and '(?:list|tuple)'$)"
)
_BY_CLASS = (
    Row("", "KeyboardInterrupt SystemExit GeneratorExit"),
    Row("shape-by-value", _ASKING, called=_SIZED),
    Row("shape-by-value", _ASKING, raised=_raising.SIZES),
    Row("number", _ASKING, message="with the `(?:int|float|complex|bool)` function"),
    Row("condition", "TracerBoolConversionError"),
    Row("integer", "TracerIntegerConversionError"),
    Row("mask", "NonConcreteBooleanIndexError"),
    Row("shape-by-value", "TracerArrayConversionError", called="jax.numpy.tile"),
    Row("numpy", "TracerArrayConversionError"),
    Row("number", "ConcretizationTypeError"),
    Row("custom-rule", "UnexpectedTracerError", _raising.CUSTOM_RULES),
    Row("custom-rule", "UnexpectedTracerError", message="custom_[jv][vj]p function"),
    Row("custom-rule", "UnexpectedTracerError", callers=_raising.CUSTOM_CALLS),
    Row("leak", "UnexpectedTracerError"),
    Row("key", "KeyReuseError"),
    Row("nan", "FloatingPointError"),
    Row("sharding", "IndivisibleError"),
    Row("specs", "DuplicateSpecError"),
    Row("sharding-type", "ShardingTypeError"),
    Row("symbolic", "InconclusiveDimensionOperation"),
    Row("memory", _RUNTIME, message="RESOURCE_EXHAUSTED|Out of memory"),
    Row("donated-twice", _RUNTIME, message="donate the same buffer|donated in the same call"),
    Row("donated", _RUNTIME, message="been donated"),
    Row("callback-error", _RUNTIME, message="Callback error|callback"),
    Row("shapes", "ScopeParamShapeError"),
)
"""By classes of JAX and of libraries."""
_BY_FUNCTION = (
    Row("sharding", "ValueError", message="context mesh .* should match the"),
    Row("custom-rule", "TypeError", message="to a custom_vjp function"),
    Row("custom-rule", raised=_raising.CUSTOM_RULES),
    Row("custom-rule", "AttributeError", _raising.NO_RULE, message="defined for custom_"),
    Row("policy", "TypeError", _raising.POLICY, message="^'str' object is not callable"),
    Row("pallas", "ValueError", _raising.PALLAS, message="captures constants"),
    Row("static-names", "ValueError", _raising.ARGUMENT_NAMES),
    Row("compiled", "TypeError", _raising.COMPILED, message="compiled"),
    Row("axis-name", "NameError", _raising.AXIS_NAMES),
    Row("axis-name", "AssertionError", _raising.VARYING, message="^$"),
    Row("sharding-type", "ValueError", _raising.SPECS, message="^in_specs passed to shard_map"),
    Row("specs", "ValueError", _raising.SPECS),
    Row("specs", "ValueError AssertionError", message=_LONG_SPEC),
    Row("sharding-type", "ValueError", message=_SPLIT_NEXT),
    Row("key", "TypeError", message="not accept dtypes? .*key<|interpret 'key<"),
    Row("argument", "TypeError", message="^Using a non-tuple sequence for multidimensional ind"),
    Row("checkify", "ValueError", message="^Cannot abstractly evaluate a checkify.check"),
    Row("overflow", "OverflowError", called="jax.*", message=_TOO_LARGE),
    Row("symbolic", "TypeError ValueError", _raising.SHAPES, message=_SYMBOLS),
    Row("einsum", _WRONG, called="jax.numpy.einsum", message=_EINSUM),
    Row("shape-by-value", _WRONG, (*_raising.SIZES, *_raising.SHAPES), message=_STATIC_SIZE),
    Row("batch", "ValueError", _raising.BATCH, message="vmap|axes to be mapped"),
    Row("batch", "ValueError", called="jax.vmap", message="out of bounds"),
    Row("predicate", "TypeError", _raising.PREDICATE, message="^Pred|cond_fun must return"),
    Row("carry", "TypeError", _raising.CARRY, message="carry|body(?:_fun)? output"),
    Row("branches", "TypeError", _raising.BRANCHES),
    Row("argument", "TypeError", message="^Argument .* is not a valid JAX type"),
    Row("gradient", "TypeError", _raising.GRADIENT),
    Row("reverse-mode", "ValueError", _raising.LOOP_BACKWARDS),
    Row("static-array", "ValueError", message="checking equality of metadata fields of pytree"),
    Row("condition-of-many", "ValueError", _raising.TRUTH),
    Row("in-place", raised=_raising.IN_PLACE),
    Row("key", raised=_raising.KEY),
    Row("dtypes", "TypeError", _raising.DTYPES),
    Row("sharding", raised=_raising.PLACEMENT),
    Row("donated", raised=_raising.DELETED),
    Row("argument", "TypeError", _raising.NOT_AN_ARRAY),
    Row("", called="jax.pmap", message="squeeze"),
    Row("shapes", _WRONG, _raising.SHAPES),
    Row("shapes", "IndexError", _raising.INDICES),
    Row("trees", "ValueError", _raising.TREES, message=_TREES),
)
"""By the function of JAX or of a library that raised."""
_BY_CALLEE = (
    Row(
        "", "TypeError", message=r"unexpected keyword|required (?:positional|keyword)|takes .* arg"
    ),
    Row("carry", "TypeError", called="jax.lax.scan jax.lax.*_loop", message="carry|body"),
    Row("predicate", "TypeError", called="jax.lax.*", message="^Pred|cond_fun"),
    Row("branches", "TypeError", called="jax.lax.cond jax.lax.switch", message="branch|true_fun"),
    Row("gradient", "TypeError", called=f"{_GRAD} jax.jit", message=_NO_GRADIENT),
    Row("policy", "TypeError", called=_GRAD, message="^'str' object is not callable"),
    Row("symbolic", "TypeError ValueError", called=_ARRAYS, message=_SYMBOLS),
    Row("batch", "ValueError", called="jax.vmap equinox.*", message="vmap|to be mapped|of bounds"),
    Row("sharding", "ValueError", called=f"jax.device_put jax.jit {_ARRAYS}", message=_PLACES),
    Row("shape-by-value", _WRONG, called=_ARRAYS, message=_STATIC_SIZE),
    Row("key", "TypeError ValueError", called="jax.random.*", message="[Kk]ey"),
    Row("dtypes", "TypeError", called="jax.lax.*", message="same dtypes"),
    Row("", "ValueError", called="equinox.* jax.vmap", message=_SAME_TYPES),
    Row("trees", "ValueError", called=f"jax.tree.* jax.tree_util.* {_LIBRARIES}", message=_TREES),
    Row("", "TypeError", called="jax.Array.__getitem__"),
    Row("axis-name", "AssertionError", called=_COLLECTIVES, message="^$"),
    Row("dtypes", "TypeError", called="jax.lax.fori_loop", message="^lower and upper arguments"),
    Row("sharding-type", called="jax.lax.with_sharding_constraint", message=_CONSTRAINT),
    Row("shapes", "IndexError", called=_ARRAYS, message="out of range"),
    Row("shapes", "ValueError", called="jax.jvp", message="tangent shapes"),
    Row("shapes", _WRONG, called=f"{_ARRAYS} {_LIBRARIES} jax.tree.*", message=_SHAPE),
)
"""By the public function on the user's line."""
_BY_MESSAGE = (
    Row("condition-of-many", called="jax.Array", message="truth value of an array with more than"),
    Row("static", "ValueError TypeError", message="Non-hashable static arg|static arg.* hashable"),
    Row("donated", "RuntimeError ValueError", message="deleted or donated|Array has been deleted"),
    Row("custom-rule", message="^Custom (?:VJP|JVP)|defined for custom_[vj][jv]p function"),
    Row("pallas", "ValueError", message="^The kernel function in the pallas_call .* captures"),
    Row("static-names", "ValueError", message="^[Jj]itted function has (?:invalid|static|donate)"),
    Row("compiled", "TypeError", message="this computation was compiled|^Function compiled with"),
    Row("axis-name", "NameError", message="unbound axis name: "),
    Row("sharding-type", "ValueError", message="^in_specs passed to shard_map"),
    Row("specs", "ValueError", message="^shard_map |shard_map (?:in|out)_specs|^Resource axis: "),
    Row("reverse-mode", "ValueError", message="^Reverse-mode differentiation does not work"),
    Row("argument", "TypeError", message=_NO_ARRAY),
    Row("argument", "TypeError", message=_ARRAY_AND_LIST),
    Row("general", "TypeError", message="Tracer'?(?:[^A-Za-z]|$)"),
    Row("general", "AttributeError", message="Tracer'? (?:object )?has no attribute"),
    Row("general", "TypeError", called="jax.Array", message="over a 0-d array|of unsized object"),
    Row("shapes", "ValueError", message="Size of label|[Ss]hape mismatch|with retrieved shape"),
)
"""Errors that Python or C raises, and errors whose frames JAX removes, each by its message. A line
that reads an array of JAX counts as calling `jax.Array`."""
ROWS = (*_BY_CLASS, *_BY_FUNCTION, *_BY_CALLEE, *_BY_MESSAGE)


def page_of(error: BaseException, at: TracebackType | None, called: tuple[str, ...]) -> str:
    """The name of the help page of an exception; empty if there is none. The user's line `at`
    raised it, and calls the public functions `called`."""
    of = _Facts(
        classes={title_of(cls) for cls in bases_of(type(error))},
        running=[*_running(error, at)],
        callers=[*_callers(error, at)],
        called=called,
        message=message_of(error),
    )
    return next((row.page for row in ROWS if _fits(row, of)), "")


class _Facts(NamedTuple):
    """The facts of an exception: for each field those that a row names."""

    classes: set[str]
    running: list[str]
    callers: list[str]
    called: tuple[str, ...]
    message: str


def _fits(row: Row, of: _Facts) -> bool:
    return (
        (not row.classes or bool(of.classes.intersection(row.classes.split())))
        and (not row.raised or _any(of.running, [f"*.{name}" for name in row.raised]))
        and (not row.callers or _any(of.callers, [f"*.{name}" for name in row.callers]))
        and (not row.called or _any(of.called, row.called.split()))
        and re.search(row.message, of.message) is not None
    )


def _any(names: list[str] | tuple[str, ...], patterns: list[str]) -> bool:
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _running(error: BaseException, at: TracebackType | None) -> Iterator[str]:
    """The functions of JAX and of libraries that were running below the user's line, and those of
    exceptions that JAX caught and raised again, whose frames it does not remove."""
    seen: list[BaseException] = []
    found = at.tb_next if at else traceback_of(error)
    next_error: BaseException | None = error
    while next_error is not None and next_error not in seen:
        for entry in entries(found):
            yield _name(entry.tb_frame)
        seen.append(next_error)
        next_error = cause_of(next_error) or context_of(next_error)
        found = traceback_of(next_error) if next_error else None
        if found and file_kind(found.tb_frame.f_code.co_filename) not in ("library", "installed"):
            return


def _callers(error: BaseException, at: TracebackType | None) -> Iterator[str]:
    """The functions that called the user's function. JAX removes them from the traceback, but not
    from the frames."""
    entry = traceback_of(error)
    first = entry.tb_frame if entry else None
    frame = at.tb_frame if at else None
    while frame is not None and frame is not first:
        frame = frame.f_back
        if frame is not None:
            yield _name(frame)


def _name(frame: FrameType) -> str:
    return f"{frame.f_globals.get('__name__', '')}.{frame.f_code.co_qualname}"
