"""The cost of each kind of eqn is what its formula says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hlo_text
import jax
import jax.numpy as jnp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax import lax
from programs import CALLS
from records import eqns

import jaxviz
from jaxviz.analysis.cost import with_costs
from jaxviz.analysis.cost.flops import taps

F = jnp.ones
MATRIX = F((8, 4))
SQUARE = F((6, 6))
COMPLEX = F((8, 4), jnp.complex64)
INTS = F((8, 4), int)
IMAGE, KERNEL = F((2, 8, 8, 3)), F((3, 3, 3, 16))


def conv(x: Any, w: Any, stride: int = 1, padding: str = "VALID", groups: int = 1) -> Any:
    return lax.conv_general_dilated(
        x,
        w,
        (stride, stride),
        padding,
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=groups,
    )


def pooled(x: Any) -> Any:
    return lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID")


FLOPS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], int]] = {
    "elementwise: one an element": (lambda x: x * x + x, (MATRIX,), 64),
    "a square is a multiplication": (lambda x: x**2, (MATRIX,), 32),
    "x**-7 by squaring: 4 and a division": (lambda x: lax.integer_pow(x, -7), (MATRIX,), 160),
    "integers as well": (lambda x: x * x + 1, (INTS,), 64),
    "comparisons and choices": (lambda x: lax.select(x > 1, x, x), (MATRIX,), 64),
    "conversions": (lambda x: x.astype(jnp.float16).astype(int), (MATRIX,), 64),
    "moves": (lambda x: jnp.concatenate([x.T.reshape(8, 4), x])[::-1], (MATRIX,), 0),
    "dot: 2·8·5·4": (lambda x, y: x @ y, (MATRIX, F((4, 5))), 320),
    "dot of a batch": (lambda x, y: lax.batch_matmul(x, y), (F((7, 2, 3)), F((7, 3, 5))), 420),
    "dot of integers": (lambda x: x @ x.T, (INTS,), 512),
    "dot of complex numbers": (lambda x: x @ x.T, (COMPLEX,), 512),
    "complex addition": (lambda x: x + x, (COMPLEX,), 32),
    "complex multiplication": (lambda x: x * x, (COMPLEX,), 32),
    "complex conjugate: parted, negated, joined": (jnp.conj, (COMPLEX,), 128),
    "convolution: 2·out·27": (conv, (IMAGE, KERNEL), 2 * 2 * 6 * 6 * 16 * 27),
    "nothing is multiplied with padding": (
        lambda x, w: conv(x, w, padding="SAME"),
        (IMAGE, KERNEL),
        2 * 2 * 22 * 22 * 16 * 3,
    ),
    "grouped convolution": (lambda x, w: conv(x, w, groups=3), (IMAGE, F((3, 3, 1, 3))), 3888),
    "sum: one less than there are": (lambda x: x.sum(), (MATRIX,), 31),
    "sums of columns": (lambda x: x.sum(0), (MATRIX,), 28),
    "maximum": (lambda x: x.max(1), (MATRIX,), 24),
    "argmax: nine for each that goes": (lambda x: lax.argmax(x, 1, int), (MATRIX,), 216),
    "running sums, lowered to windows": (lambda x: lax.cumsum(x, 1), (MATRIX,), 96),
    "sort: 32·log 32": (lambda x: (lax.sort(x), lax.top_k(x, 2)), (MATRIX,), 160),
    "windows: three comparisons each": (pooled, (MATRIX,), 24),
    "updates are added": (lambda x: x.at[jnp.array([1, 2])].add(1.0), (MATRIX,), 8 + 6),
    "updates are set": (lambda x: x.at[jnp.array([1, 2])].set(1.0), (MATRIX,), 6),
    "fft: 8·n·log n": (jnp.fft.fft, (F((2, 16), jnp.complex64),), 2 * 8 * 16 * 4),
    "fft of real numbers": (jnp.fft.rfft, (F((2, 16)),), 2 * 8 * 16 * 4),
    "cholesky: n³/3, and a triangle chosen": (
        lambda x: lax.linalg.cholesky(x, symmetrize_input=False),
        (SQUARE,),
        72 + 2 * 36,
    ),
    "lu: 2n³/3": (lax.linalg.lu, (SQUARE,), 144),
    "qr: twice 4n³/3": (lambda x: lax.linalg.qr(x, full_matrices=False), (SQUARE,), 576),
    "triangular solve: n² a column": (
        lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True),
        (SQUARE, F((6, 2))),
        72,
    ),
    "random bits": (lambda k: jax.random.bits(k, (8,)), (jax.random.key(0),), 121 * 8 + 47),
    "a jitted function": (jax.jit(lambda x: x + 1), (MATRIX,), 32),
    "its derivative's rule is not run": (jax.nn.relu, (MATRIX,), 32),
    "the costlier branch": (
        lambda x: lax.cond(x[0, 0] > 0, lambda x: x, lambda x: x * x + x, x),
        (MATRIX,),
        64 + 2,
    ),
    "a scan": (lambda x: lax.scan(lambda c, r: (c + r, None), x[0], x)[0], (MATRIX,), 32),
    "a linear solve solves, and checks nothing": (
        lambda b: lax.custom_linear_solve(lambda x: 2.0 * x, b, lambda _, b: b / 2.0),
        (F(5),),
        5,
    ),
}


if hasattr(lax, "polynomial"):
    FLOPS["Horner: 2 for each coefficient but one"] = (
        lambda x: lax.polynomial(x, [1.0, 5.0, 2.0]),  # pyright: ignore[reportAttributeAccessIssue]
        (MATRIX,),
        128,
    )


@pytest.mark.parametrize("name", FLOPS)
def test_flops(name: str) -> None:
    fun, args, flops = FLOPS[name]
    stage = jaxviz.inspect(fun)(*args).stage("jaxpr")
    assert stage.cost is not None
    assert (stage.cost.flops, stage.cost.least) == (flops, False)


def test_functions_are_counted_apart() -> None:
    stage = jaxviz.inspect(lambda x: jnp.tanh(x) * jnp.exp(x) + lax.erf_inv(x))(MATRIX).stage(
        "jaxpr"
    )
    assert stage.cost is not None
    assert stage.cost.transcendentals == 32 * (1 + 1 + 2)
    assert stage.cost.flops == 32 * (1 + 1 + 37)


def test_what_nothing_uses_never_runs() -> None:
    def slope(x: Any) -> Any:
        return jax.grad(lambda x: (x * x).sum())(x)

    stage = jaxviz.inspect(slope)(MATRIX).stage("jaxpr")
    assert stage.cost is not None
    assert stage.cost.flops == 32  # a sum: not what is squared and summed, nor products with 1


def test_what_changes_nothing_or_is_known_before_is_folded() -> None:
    def folded(x: Any) -> Any:
        zero = jnp.zeros(x.shape)
        return (x + 0.0) * 1.0 + lax.square(zero), jnp.where(x > zero, zero * 2.0, x)

    def kept(x: Any) -> Any:
        return (
            x * 0.0,
            x / 1.0,
            0.0 - x,
            lax.max(x, -jnp.inf),
            x + lax.floor(jnp.full(x.shape, 2.5)),
        )

    for fun, each in ((folded, 2), (kept, 6)):
        reported: Any = jax.jit(fun).lower(MATRIX).cost_analysis()
        assert reported["flops"] == 32 * each
        program = jaxviz.inspect(fun)(MATRIX)
        for kind in ("jaxpr", "stablehlo"):
            cost = program.stage(kind).cost
            assert cost is not None
            assert cost.flops == 32 * each


def test_nothing_runs_for_a_result_that_a_caller_drops() -> None:
    """Through calls both ways: what a body makes that nobody takes, and what was made for it."""

    @jax.jit
    def both(x: Any, y: Any) -> Any:
        return x + x, y * y

    def first(x: Any) -> Any:
        return both(x, x - 1.0)[0]

    def looped(x: Any) -> Any:
        return lax.scan(lambda c, _: (first(c), None), x, None, 3)[0]

    for fun, flops in ((first, 32), (looped, 96)):
        cost = jaxviz.inspect(fun)(MATRIX).stage("jaxpr").cost
        assert cost is not None
        assert cost.flops == flops


BYTES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], int]] = {
    "operands and results": (lambda x, y: x + y, (MATRIX, MATRIX), 3 * 128),
    "a type is changed for nothing": (lambda x: x.reshape(4, 8), (MATRIX,), 0),
    "a slice reads what it takes": (lambda x: x[2:4], (MATRIX,), 2 * 32),
    "an update writes what it brings": (
        lambda x, y: lax.dynamic_update_slice(x, y, (1, 0)),
        (MATRIX, F((2, 4))),
        32 + 8 + 32,
    ),
    "a scan, each of its trips": (
        lambda x: lax.scan(lambda c, r: (c + r, None), x[0], x[:])[0],
        (MATRIX,),
        8 * 3 * 16 + 32,
    ),
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes(name: str) -> None:
    fun, args, moved = BYTES[name]
    stage = jaxviz.inspect(fun)(*args).stage("jaxpr")
    assert stage.cost is not None
    assert stage.cost.bytes == moved


UNKNOWN = {"pure_callback", "pallas_call", "custom_call"}


@pytest.mark.parametrize("name", CALLS)
def test_every_eqn_of_the_named_programs_has_a_cost(name: str) -> None:
    call = CALLS[name]
    program = jaxviz.inspect(call.function, static_argnames=call.static)(*call.args)
    for eqn in eqns(program):
        assert eqn.cost is not None
        assert eqn.cost.flops is not None or eqn.op in UNKNOWN, eqn.op
        assert eqn.cost.bytes is not None, eqn.op


@given(*[st.integers(1, 6)] * 5, st.integers(-3, 6), st.integers(1, 3))
def test_places_of_a_window(
    size: int, window: int, out: int, stride: int, spread: int, low: int, dilation: int
) -> None:
    reached = [out_at * stride + at * spread - low for out_at in range(out) for at in range(window)]
    last = (size - 1) * dilation
    met = [place for place in reached if 0 <= place <= last and place % dilation == 0]
    assert taps(size, window, out, stride, low, dilation, spread) == len(met)


def test_a_product_of_a_library() -> None:
    """A product as XLA writes it for a GPU, with a workspace beside the result."""
    stage = hlo_text.stage("""
        x = f32[8,4] parameter(0)
        y = f32[4,5] parameter(1)
        ROOT r = (f32[8,5], s8[4194304]) custom-call(x, y), custom_call_target="__cublas$gemm",
            backend_config={"gemm_backend_config":{"dot_dimension_numbers":{
            "lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"]}}}
    """)
    found = with_costs(stage, None)
    assert found.cost is not None
    assert found.cost.flops == 320


def test_a_trip_reads_and_writes_a_row_of_what_is_stacked() -> None:
    rows = F((1000, 16))
    scan = jaxviz.inspect(lambda x, xs: lax.scan(lambda c, x: (c + x, c * x), x, xs))
    cost = scan(F(16), rows).stage("hlo").cost
    assert cost is not None
    assert cost.bytes is not None
    assert 2 * rows.nbytes < cost.bytes < 20 * rows.nbytes


@pytest.mark.parametrize(
    ("name", "operands", "result"),
    [
        ("Forward", ("image", "kernel"), "made"),
        ("BackwardInput", ("made", "kernel"), "image"),
        ("BackwardFilter", ("image", "made"), "kernel"),
        ("BiasActivationForward", ("image", "kernel", "bias"), "made"),
    ],
)
def test_cudnn_makes_the_products_of_the_convolution(
    name: str, operands: tuple[str, ...], result: str
) -> None:
    """2·2·6·6·5 results of 3·3·3 products each; a bias and a function for each result. The names
    and params are those of a module that XLA compiled for a GPU."""
    shapes = {"image": "2,8,8,3", "kernel": "5,3,3,3", "made": "2,6,6,5", "bias": "5"}
    given = [f"{one} = f32[{shapes[one]}] parameter({at})" for at, one in enumerate(operands)]
    mode = "kRelu" if "bias" in operands else "kNone"
    call = (
        f"ROOT r = f32[{shapes[result]}] custom-call({', '.join(operands)}), window={{size=3x3}}, "
        f'dim_labels=b01f_o01i->b01f, custom_call_target="__cudnn$conv{name}", backend_config='
        f'{{"cudnn_conv_backend_config":{{"activation_mode":"{mode}"}}}}'
    )
    found = with_costs(hlo_text.stage("\n".join([*given, call])), None).cost
    assert found is not None
    products = 2 * 2 * 6 * 6 * 5 * 27
    assert found.flops == products + (2 * 360 if "bias" in operands else 0)
