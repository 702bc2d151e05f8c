import { type Program, VERSION } from '../src/schema';
import { F32 } from './fixtures';
import { graph, stage } from './linked-stage';
import { CELL, HLO, JAXPR, STABLEHLO } from './linked-text';

/** Numbers of the jaxpr's eqns: 0 dot_general, 1 tanh, 2 and 3 jit relu, 4 broadcast_in_dim, 5 add,
 * 6 scan, 7 reduce_sum; 8 max of relu; 9 sin and 10 mul of the loop. */
const jaxpr = stage('jaxpr', JAXPR, [
  graph(
    'model',
    [
      { text: 'e:f32[4] = dot_general d c', op: 'dot_general', line: 5 },
      { text: 'f:f32[4] = tanh e', op: 'tanh', line: 5 },
      {
        text: 'g:f32[4] = jit[name=relu jaxpr=relu] f',
        op: 'jit',
        name: 'relu',
        bodies: [['jaxpr', 1]],
        line: 6,
      },
      {
        text: 'h:f32[4] = jit[name=relu jaxpr=relu] g',
        op: 'jit',
        name: 'relu',
        bodies: [['jaxpr', 1]],
        line: 7,
      },
      { text: 'i:f32[4] = broadcast_in_dim 0.0:f32[]', op: 'broadcast_in_dim', line: 7 },
      { text: 'j:f32[4] = add h i', op: 'add', line: 7 },
      { text: 'k:f32[4] = scan[…] j', op: 'scan', bodies: [['body', 2]], line: 12 },
      { text: 'o:f32[] = reduce_sum k', op: 'reduce_sum', line: 13 },
    ],
    JAXPR,
    { args: ['x'], results: ['result'] },
  ),
  graph('relu', [{ text: 'b:f32[4] = max a 0.0:f32[]', op: 'max' }], JAXPR),
  graph(
    'body',
    [
      { text: 'm:f32[4] = sin l', op: 'sin', line: 10 },
      { text: 'n:f32[4] = mul m 2.0:f32[]', op: 'mul', line: 10 },
    ],
    JAXPR,
  ),
]);

const stablehlo = stage('stablehlo', STABLEHLO, [
  graph(
    'main',
    [
      { text: '%0 = stablehlo.dot_general %arg1, %arg0', op: 'stablehlo.dot_general', origin: [0] },
      { text: '%1 = stablehlo.tanh %0 : tensor<4xf32>', op: 'stablehlo.tanh', origin: [1] },
      {
        text: '%2 = call @relu(%1) : tensor<4xf32>',
        op: 'call',
        name: 'relu',
        bodies: [['relu', 1]],
        origin: [2],
      },
      {
        text: '%3 = call @relu(%2) : tensor<4xf32>',
        op: 'call',
        name: 'relu',
        bodies: [['relu', 1]],
        origin: [3],
      },
      {
        text: '%cst = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>',
        op: 'stablehlo.constant',
        origin: [4],
      },
      { text: '%4 = stablehlo.add %3, %cst : tensor<4xf32>', op: 'stablehlo.add', origin: [5] },
      {
        text: '%5 = stablehlo.while…stablehlo.return %9 : tensor<4xf32>\n    }',
        op: 'stablehlo.while',
        bodies: [
          ['condition', 2],
          ['body', 3],
        ],
        origin: [6],
      },
      {
        text: '%6 = stablehlo.reduce(%5) applies stablehlo.add',
        op: 'stablehlo.reduce',
        origin: [7],
      },
    ],
    STABLEHLO,
    { args: ['x'], results: ['result'] },
  ),
  graph(
    'relu',
    [
      {
        text: '%0 = stablehlo.maximum %arg0, %cst : tensor<4xf32>',
        op: 'stablehlo.maximum',
        origin: [8],
      },
    ],
    STABLEHLO,
  ),
  graph(
    'condition',
    [{ text: '%7 = stablehlo.compare LT, %iterArg, %c', op: 'stablehlo.compare', origin: [6] }],
    STABLEHLO,
  ),
  graph(
    'body',
    [
      {
        text: '%8 = stablehlo.sine %iterArg : tensor<4xf32>',
        op: 'stablehlo.sine',
        origin: [6, 9],
      },
      {
        text: '%9 = stablehlo.multiply %8, %cst_0 : tensor<4xf32>',
        op: 'stablehlo.multiply',
        origin: [6, 10],
      },
    ],
    STABLEHLO,
  ),
]);

const hlo = stage('hlo', HLO, [
  graph(
    'main',
    [
      { text: '%dot.1 = f32[4]{0} dot(%Arg_1, %Arg_0)', op: 'dot', origin: [0] },
      {
        text: '%fusion.1 = f32[4]{0} fusion(%dot.1), kind=kLoop, calls=%fused_computation',
        op: 'fusion',
        name: 'kLoop',
        bodies: [['fused', 1]],
        origin: [3, 8],
      },
      {
        text: '%while.1 = f32[4]{0} while(%fusion.1), body=%body',
        op: 'while',
        bodies: [['body', 2]],
        origin: [6],
      },
      { text: '%copy.1 = f32[4]{0} copy(%while.1)', op: 'copy' },
      {
        text: '%reduce.1 = f32[] reduce(%copy.1, %constant.1)',
        op: 'reduce',
        origin: [7],
        guess: true,
      },
    ],
    HLO,
    { args: ['x'], results: ['result'] },
  ),
  graph(
    'fused_computation',
    [
      { text: '%tanh.1 = f32[4]{0} tanh(%param_0)', op: 'tanh', origin: [1] },
      {
        text: '%maximum.1 = f32[4]{0} maximum(%tanh.1, %broadcast.3)',
        op: 'maximum',
        origin: [2, 8],
      },
      {
        text: '%maximum.2 = f32[4]{0} maximum(%maximum.1, %broadcast.3)',
        op: 'maximum',
        origin: [3, 8],
      },
    ],
    HLO,
  ),
  graph(
    'body',
    [
      {
        text: '%fusion.2 = f32[4]{0} fusion(%arg), kind=kLoop, calls=%fused_body',
        op: 'fusion',
        name: 'kLoop',
        bodies: [['fused', 3]],
        origin: [6, 10],
      },
    ],
    HLO,
  ),
  graph(
    'fused_body',
    [
      { text: '%sine.1 = f32[4]{0} sine(%param_1)', op: 'sine', origin: [6, 9] },
      {
        text: '%multiply.1 = f32[4]{0} multiply(%sine.1, %broadcast.4)',
        op: 'multiply',
        origin: [6, 10],
      },
    ],
    HLO,
  ),
]);

/** A program in all its stages, by hand: a call shared by two eqns, a loop, fusions, what was folded
 * away, and what only a guess or nothing is known of. */
export function linkedProgram(kinds: readonly string[] = ['jaxpr', 'stablehlo', 'hlo']): Program {
  return structuredClone({
    version: VERSION,
    jax: '0.10.2',
    name: 'model',
    args: [
      { path: 'w', aval: F32 },
      { path: 'x', aval: F32 },
    ],
    fixed: [],
    results: [{ path: 'result', aval: F32 }],
    listings: [{ file: 'cell.py', cell: 'c1', count: 3, start: 1, text: CELL }],
    stages: [jaxpr, stablehlo, hlo].filter(({ kind }) => kinds.includes(kind)),
    compared: null,
    findings: [],
  });
}
