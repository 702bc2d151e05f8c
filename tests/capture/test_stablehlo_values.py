"""The record of a StableHLO module has types of arrays and no values. Scalars stay."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import msgspec
import numpy as np
import pytest
from programs import shaped
from records import eqns_of
from test_stablehlo import lowered

from jaxviz.capture.stages.stablehlo.graphs import aval_of

SECRETS = [
    np.frombuffer(b"hunter2 hunter2!", np.uint8),
    np.full((4,), 31337.0, np.float32),
    np.array([31337.0, 4.0], np.float32),
    np.array([31337 + 1j, 4.0], np.complex64),
    np.array([31337], np.int32),
    jnp.array([31337.0, 4.0], jnp.bfloat16),
    np.arange(31337, 31337 + 5000, dtype=np.int32),
    jnp.array([1, 2, 3], jnp.int4),
    jnp.array([1.5, 2.5, 3.5], jnp.float8_e4m3fn),
    np.array([True, False, True]),
]


@pytest.mark.parametrize("number", range(len(SECRETS)))
def test_no_array_s_values_are_in_the_record(number: int) -> None:
    secret = SECRETS[number]
    plain = jax.jit(lambda x: x + secret).lower(secret).as_text()
    values = set(re.findall(r"dense<(.*)> : tensor<[\dx]+x", plain))
    assert values
    stage = lowered(lambda x: x + secret, shaped(*secret.shape, dtype=secret.dtype))
    everything = msgspec.json.encode(stage).decode()
    assert "dense<...>" in everything
    assert not any(value in everything for value in values if len(value) > 3)
    assert not re.search(r"3\.?1337|3\.?1232|104, 117", everything)


def test_arrays_in_attributes_have_no_values_either() -> None:
    def f(x):
        call = jax.ffi.ffi_call("target", jax.ShapeDtypeStruct((2,), "float32"))
        return call(x, w=np.array([31337.5, 2], np.float32), n=np.array([31337, 2], np.int64))

    stage = msgspec.structs.replace(lowered(f, shaped(2)), frames=[])
    assert not re.search(r"3\.?1337", msgspec.json.encode(stage).decode())


def test_complex_scalars_stay() -> None:
    stage = lowered(lambda x: x * (1 + 2j), shaped(3))
    assert "(1.000000e+00,2.000000e+00)" in [p.value for eqn in eqns_of(stage) for p in eqn.params]


def test_scalars_stay() -> None:
    stage = lowered(lambda x: x * 2.5, shaped(3))
    assert "dense<2.500000e+00> : tensor<f32>" in stage.text
    assert next(param.value for eqn in eqns_of(stage) for param in eqn.params) == "2.500000e+00"


@pytest.mark.parametrize(
    ("text", "shown", "dtype", "size"),
    [
        ("tensor<8x64xf32>", "f32[8,64]", "float32", 2048),
        ("tensor<i1>", "bool[]", "bool", 1),
        ("tensor<3xui4>", "u4[3]", "uint4", 2),
        ("tensor<2xcomplex<f32>>", "c64[2]", "complex64", 16),
        ("tensor<0x2xbf16>", "bf16[0,2]", "bfloat16", 0),
        ("tensor<?x2xf8E4M3FN>", "f8_e4m3fn[?,2]", "float8_e4m3fn", None),
        ("!stablehlo.token", "!stablehlo.token", "", None),
        ("tuple<tensor<f32>>", "tuple<tensor<f32>>", "", None),
    ],
)
def test_types_are_shown_as_jax_writes_them(text, shown, dtype, size) -> None:
    aval = aval_of(text)
    assert (aval.text, aval.dtype, aval.bytes) == (shown, dtype, size)
