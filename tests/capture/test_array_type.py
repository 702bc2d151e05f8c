"""Every form in which JAX prints the type of an array is read."""

from __future__ import annotations

from typing import Any

import jax
import jax.core
import jax.numpy as jnp
import pytest
from jax import export
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from jaxviz.capture.failure.types import ArrayType, array_type, shapes_in, short
from jaxviz.capture.jaxprs.avals import aval_text


def of(dtype: str, *sizes: Any, **other: Any) -> ArrayType:
    known = {"split": ((),) * len(sizes), "varying": (), "sums": (), "memory": ""}
    return ArrayType(dtype, sizes, **{**known, **other})


TYPES = {
    "float32[]": of("float32"),
    "~float32[]": of("float32"),
    "float32[8,4]": of("float32", 8, 4),
    "f32[8,4]": of("float32", 8, 4),
    "float32[8@d,4]": of("float32", 8, 4, split=(("d",), ())),
    "f32[8@(a,b),4]": of("float32", 8, 4, split=(("a", "b"), ())),
    "f32[8,4@model]": of("float32", 8, 4, split=((), ("model",))),
    "float32[4]{V:d}": of("float32", 4, varying=("d",)),
    "float32[4]{V:(a,b)}": of("float32", 4, varying=("a", "b")),
    "float32[4]{U:d}": of("float32", 4, sums=("U:d",)),
    "float32[4]{R:(a,b)}": of("float32", 4, sums=("R:a,b",)),
    "float32[4]{U_max:d}": of("float32", 4, sums=("U_max:d",)),
    "float32[4]{V:a, U:b, R:c}": of("float32", 4, varying=("a",), sums=("U:b", "R:c")),
    "float32[8@d]({Explicit: ('d',)})": of("float32", 8, split=(("d",),)),
    "float32[4]{V:d}({Manual: ('d',)})": of("float32", 4, varying=("d",)),
    "float32[b,8]": of("float32", "b", 8),
    "f32[2*b + 1,8]": of("float32", "2*b + 1", 8),
    "float32[max(b, 4),8@d]": of("float32", "max(b, 4)", 8, split=((), ("d",))),
    "float32[floordiv(b + 3, 4)@d]": of("float32", "floordiv(b + 3, 4)", split=(("d",),)),
    "f32[?,8]": of("float32", "?", 8),
    "float32<host>[8]": of("float32", 8, memory="host"),
    "f32<host>[8@d]": of("float32", 8, split=(("d",),), memory="host"),
    "key<fry>[]": of("key<fry>"),
    "key<fry>[8@d]": of("key<fry>", 8, split=(("d",),)),
    "key<rbg><host>[2]": of("key<rbg>", 2, memory="host"),
    "int4[3]": of("int4", 3),
    "i4[3]": of("int4", 3),
    "uint8[3]": of("uint8", 3),
    "u8[3]": of("uint8", 3),
    "bool[3]": of("bool", 3),
    "c64[3]": of("complex64", 3),
    "bfloat16[0]": of("bfloat16", 0),
    "bf16[0]": of("bfloat16", 0),
    "float8_e4m3fn[3]": of("float8_e4m3fn", 3),
    "f8_e4m3fn[3]": of("float8_e4m3fn", 3),
    "float0[3]": of("float0", 3),
}
"""The parts of each text."""
OTHERS = (
    "Ref{float32[3]}",
    "Ref<host>{f32[8@d]}",
    "Tok",
    "BoxTy",
    "AbstractFuture{f32[3]}",
    "",
    "[",
)
SHORT = {
    "float32[8@d,4]{V:a}": "f32[8@d,4]{V:a}",
    "~float32[]": "~f32[]",
    "bfloat16<host>[b]": "bf16<host>[b]",
    "uint32[2]": "u32[2]",
    "int4[3]": "i4[3]",
    "complex64[3]": "c64[3]",
    "float8_e4m3fn[3]": "f8_e4m3fn[3]",
    "float0[3]": "float0[3]",
    "bool[3]": "bool[3]",
    "key<fry>[2]": "key<fry>[2]",
    "Ref{float32[3]}": "Ref{f32[3]}",
    "Ref<host>{float32[3]}": "Ref<host>{f32[3]}",
    "BoxTy": "BoxTy",
}


@pytest.mark.parametrize("text", TYPES)
def test_a_type_is_read_whole(text: str) -> None:
    assert array_type(text) == TYPES[text]


@pytest.mark.parametrize("text", OTHERS)
def test_a_type_of_something_else_is_none_of_an_array(text: str) -> None:
    assert array_type(text) is None


@pytest.mark.parametrize("text", SHORT)
def test_a_type_is_shortened_as_jaxprs_print_it(text: str) -> None:
    assert short(text) == SHORT[text]
    assert short(short(text)) == SHORT[text]


DTYPES = [
    name
    for name in ("bool", "int2", "int4", "int8", "int32", "uint2", "uint4", "uint8", "uint32")
    if hasattr(jnp, name.replace("bool", "bool_"))
] + [
    name
    for name in dir(jnp)
    if name.startswith(("float", "bfloat", "complex"))
    and name[-1].isalnum()
    and name[-2:] not in ("64", "28")
    if isinstance(getattr(jnp, name), type(jnp.float32))
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_dtype_of_jax_is_read_in_both_forms(dtype: str) -> None:
    """Texts that JAX prints, in messages and in jaxprs."""
    aval = _aval(dtype)
    assert array_type(aval.str_short()) == of(str(jnp.dtype(dtype)), 8, 4)
    assert array_type(aval_text(aval)) == of(str(jnp.dtype(dtype)), 8, 4)
    assert short(aval.str_short()) == aval_text(aval)


def _aval(dtype: str) -> Any:
    return jax.make_jaxpr(lambda x: x)(jax.ShapeDtypeStruct((8, 4), dtype)).in_avals[0]


MESH = jax.make_mesh((1, 1), ("a", "b"), axis_types=(AxisType.Explicit,) * 2)


def placed(spec: P, sizes: tuple[Any, ...] = (8, 4), **memory: str) -> Any:
    """The type of an array that is placed on a mesh."""
    like = jax.ShapeDtypeStruct(sizes, "float32", sharding=NamedSharding(MESH, spec, **memory))
    return jax.make_jaxpr(lambda x: x)(like).in_avals[0]


def check_read(aval: Any, **parts: Any) -> None:
    """Reads what JAX prints, in messages and in jaxprs."""
    for text in (aval.str_short(), aval.str_short(True), aval_text(aval)):
        found = array_type(text)
        assert found is not None
        assert {name: getattr(found, name) for name in parts} == parts


def test_types_that_jax_prints_on_a_mesh_are_read() -> None:
    (size,) = export.symbolic_shape("n")
    check_read(placed(P("a", None)), sizes=(8, 4), split=(("a",), ()), memory="")
    check_read(placed(P(("a", "b"), None)), split=(("a", "b"), ()))
    check_read(placed(P("a", None), (2 * size, 4)), sizes=("2*n", 4), split=(("a",), ()))
    check_read(placed(P(None, None, unreduced=frozenset("a"))), split=((), ()), sums=("U:a",))
    keys = jax.device_put(jax.random.split(jax.random.key(0), 8), NamedSharding(MESH, P("a")))
    check_read(jax.typeof(keys), dtype="key<fry>", sizes=(8,), split=(("a",),))


@pytest.mark.skipif(jax.__version_info__ < (0, 8), reason="JAX 0.6 does not print these")
def test_reduced_axes_and_memories_that_jax_prints_are_read() -> None:
    check_read(placed(P("b", None, reduced=frozenset("a"))), split=(("b",), ()), sums=("R:a",))
    check_read(placed(P("a", None), memory_kind="pinned_host"), split=(("a",), ()), memory="host")


def test_varying_types_that_jax_prints_are_read() -> None:
    types = []

    def body(x: Any) -> Any:
        types.append(jax.typeof(x))
        types.append(jax.typeof(jax.random.key(x[0, 0].astype(int))))
        return x

    split = jax.device_put(jnp.ones((8, 4)), NamedSharding(MESH, P("a")))
    mapped = jax.shard_map(body, mesh=MESH, in_specs=P("a"), out_specs=P("a"))
    jax.make_jaxpr(mapped)(split)
    check_read(types[0], sizes=(8, 4), varying=("a",))
    check_read(types[1], dtype="key<fry>", sizes=(), varying=("a",))


def test_symbolic_sizes_of_jax_are_read() -> None:
    b, c = export.symbolic_shape("b, c")
    sizes = (b, c, 2 * b + 1, b * c + 3, b // 2, b % 4, jax.core.max_dim(b, 4))
    like = [jax.ShapeDtypeStruct((size,), jnp.float32) for size in (b, c)]
    made = export.export(jax.jit(lambda x, y: jnp.zeros(sizes)))(*like)
    found = array_type(str(made.out_avals[0]))
    assert found is not None
    assert found.sizes == tuple(map(str, sizes))


def test_the_shapes_of_types_within_a_message() -> None:
    message = (
        "at output[1] the rule returned float32[8@d,4], but bfloat16<host>[3]{V:d} is expected: "
        "key<fry>[2], bool[], f(x[2]) and float32[b,8]"
    )
    assert shapes_in(message) == [(8, 4), (3,), (2,), ()]
