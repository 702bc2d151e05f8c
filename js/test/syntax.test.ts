import { expect, test } from 'vitest';
import { syntaxOf } from '../src/render/text/text-marks';

/** The words of a line with their classes. */
function words(kind: string, line: string): string[] {
  const { pattern, classes } = syntaxOf(kind);
  return [...line.matchAll(pattern)].map((match) => {
    const at = match.slice(1).findIndex((group) => group !== undefined);
    return `${classes[at]?.replace('jxv-t-', '')} ${match[0]}`;
  });
}

test('the words of a jaxpr', () => {
  expect(words('jaxpr', 'a:f32[8,64] = reduce_sum[axes=(0,)] b')).toEqual([
    'var a',
    'type f32[8,64]',
    'param axes=',
  ]);
});

test('the words of StableHLO', () => {
  const line =
    '%0:2 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x1xf32>, !stablehlo.token) {mhlo.sharding = "{devices=[2]<=[2]}"}';
  expect(words('stablehlo', line)).toEqual([
    'var %0',
    'keyword init',
    'keyword applies',
    'keyword across',
    'param dimensions',
    'type tensor<8x1xf32>',
    'type !stablehlo.token',
    'param mhlo.sharding',
    'string "{devices=[2]<=[2]}"',
  ]);
  expect(words('stablehlo', '  func.func public @main(%arg0: tensor<2xf32>) {')).toEqual([
    'keyword func.func',
    'keyword public',
    'var %arg0',
    'type tensor<2xf32>',
  ]);
});

test('the words of optimized HLO', () => {
  const line =
    'ROOT %add.1 = f32[8,64]{1,0:T(8,128)} fusion(%p.0), kind=kLoop, calls=%fused, custom_call_target="a=b"';
  expect(words('hlo', line)).toEqual([
    'keyword ROOT',
    'var %add.1',
    'type f32[8,64]{1,0:T(8,128)}',
    'param kind=',
    'param calls=',
    'param custom_call_target=',
    'string "a=b"',
  ]);
  expect(words('hlo', 'ENTRY %main.2 (x.1: f32[2], y: (s32[], pred[])) -> f32[] {')).toEqual([
    'keyword ENTRY',
    'var x.1',
    'type f32[2]',
    'var y',
    'type s32[]',
    'type pred[]',
    'arrow ->',
    'type f32[]',
  ]);
});
