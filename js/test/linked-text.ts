/** The texts of a program in all its stages. */

export const CELL = `import jax
from jax import lax, numpy as jnp

def model(w, x):
    h = jnp.tanh(x @ w)
    y = jax.nn.relu(h)
    z = jax.nn.relu(y) + jnp.zeros(4)

    def body(carry, _):
        return jnp.sin(carry) * 2.0, None

    last, _ = lax.scan(body, z, None, length=3)
    return last.sum()`;

export const JAXPR = `let relu = { lambda ; a:f32[4] . let
    b:f32[4] = max a 0.0:f32[]
  in (b,) } in
{ lambda ; c:f32[4,4] d:f32[4] . let
    e:f32[4] = dot_general d c
    f:f32[4] = tanh e
    g:f32[4] = jit[name=relu jaxpr=relu] f
    h:f32[4] = jit[name=relu jaxpr=relu] g
    i:f32[4] = broadcast_in_dim 0.0:f32[]
    j:f32[4] = add h i
    k:f32[4] = scan[
      jaxpr={ lambda ; l:f32[4] . let
          m:f32[4] = sin l
          n:f32[4] = mul m 2.0:f32[]
        in (n,) }
      length=3
    ] j
    o:f32[] = reduce_sum k
  in (o,) }`;

export const STABLEHLO = `module @jit_model {
  func.func public @main(%arg0: tensor<4x4xf32>, %arg1: tensor<4xf32>) -> tensor<f32> {
    %0 = stablehlo.dot_general %arg1, %arg0
    %1 = stablehlo.tanh %0 : tensor<4xf32>
    %2 = call @relu(%1) : tensor<4xf32>
    %3 = call @relu(%2) : tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>
    %4 = stablehlo.add %3, %cst : tensor<4xf32>
    %5 = stablehlo.while(%iterArg = %4) : tensor<4xf32>
    cond {
      %7 = stablehlo.compare LT, %iterArg, %c
      stablehlo.return %7 : tensor<i1>
    } do {
      %8 = stablehlo.sine %iterArg : tensor<4xf32>
      %9 = stablehlo.multiply %8, %cst_0 : tensor<4xf32>
      stablehlo.return %9 : tensor<4xf32>
    }
    %6 = stablehlo.reduce(%5) applies stablehlo.add
    return %6 : tensor<f32>
  }
  func.func private @relu(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.maximum %arg0, %cst : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`;

export const HLO = `HloModule jit_model

%fused_computation (param_0: f32[4]) -> f32[4] {
  %param_0 = f32[4]{0} parameter(0)
  %tanh.1 = f32[4]{0} tanh(%param_0)
  %maximum.1 = f32[4]{0} maximum(%tanh.1, %broadcast.3)
  ROOT %maximum.2 = f32[4]{0} maximum(%maximum.1, %broadcast.3)
}

%fused_body (param_1: f32[4]) -> f32[4] {
  %param_1 = f32[4]{0} parameter(0)
  %sine.1 = f32[4]{0} sine(%param_1)
  ROOT %multiply.1 = f32[4]{0} multiply(%sine.1, %broadcast.4)
}

%body (arg: f32[4]) -> f32[4] {
  ROOT %fusion.2 = f32[4]{0} fusion(%arg), kind=kLoop, calls=%fused_body
}

ENTRY %main (Arg_0: f32[4,4], Arg_1: f32[4]) -> f32[] {
  %dot.1 = f32[4]{0} dot(%Arg_1, %Arg_0)
  %fusion.1 = f32[4]{0} fusion(%dot.1), kind=kLoop, calls=%fused_computation
  %while.1 = f32[4]{0} while(%fusion.1), body=%body
  %copy.1 = f32[4]{0} copy(%while.1)
  ROOT %reduce.1 = f32[] reduce(%copy.1, %constant.1)
}`;
