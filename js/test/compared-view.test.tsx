import { describe, expect, test } from 'vitest';
import { differencesOf } from '../src/facts/differences';
import { textPane } from '../src/render/text/text-editor';
import type { Program, Stage } from '../src/schema';
import { golden } from './fixtures';
import { entries } from './menus';
import { button, click, host, mounted, one, press, texts } from './page';

const compared = (name: string): Program => golden(`compared/${name}`);

describe('a comparison', () => {
  test('says in one line what is compared and how it differs', async () => {
    await mounted(compared('upcast'));
    expect(one('.jxv-compared-names').textContent).toBe('step→upcast_step');
    expect(texts('.jxv-compared-summary li')).toEqual([
      '+5 added',
      '~3 changed',
      ':8 types changed',
    ]);
    expect(one('.jxv-compared-at').textContent).toMatch(/^\d+ places$/);
    expect(host.querySelector('.jxv-counts')).toBeNull();
  });

  test('of two values of one name shows no names', async () => {
    await mounted(compared('shape'));
    expect(one('.jxv-compared-names')).toBeNull();
  });

  test('is walked by buttons and by keys', async () => {
    await mounted(compared('replaced'));
    click(button('Next change'));
    expect(one('.jxv-compared-at').textContent).toBe('1 of 2 places');
    expect(one('[role=status]').textContent).toMatch(/, removed, .*; change 1 of 2$/);
    press(one('canvas'), 'n');
    expect(one('.jxv-compared-at').textContent).toBe('2 of 2 places');
    expect(one('[role=treeitem][aria-selected=true]').getAttribute('aria-label')).toMatch(/added$/);
    press(one('canvas'), 'N');
    expect(one('.jxv-compared-at').textContent).toBe('1 of 2 places');
  });

  test('shows what an eqn was and what it is', async () => {
    await mounted(compared('param'));
    press(one('canvas'), 'n');
    expect(one('.jxv-details-text del').textContent).toBe('(0,)');
    expect(one('.jxv-details-text ins').textContent).toBe('(1,)');
  });

  test('shows how inputs differ while nothing is selected', async () => {
    await mounted(compared('shape'));
    expect(texts('.jxv-fact')).toEqual(['xf32[8,4] → f32[5,4]', 'yf32[8,4] → f32[5,4]']);
  });

  test('has its signs in the outline and in the legend', async () => {
    await mounted(compared('replaced'));
    const signs = texts('[role=treeitem] .jxv-sign');
    expect(signs).toEqual(['−', '+']);
    expect(texts('.jxv-legend li button').slice(0, 2)).toEqual(['+added', '−removed']);
    click(one('.jxv-legend button'));
    expect(entries('menuitemcheckbox').slice(0, 2)).toEqual(['+added1', '−removed1']);
    expect(entries('menuitemradio')).toEqual(['change', 'op family', 'dtype', 'scope']);
  });

  test('of programs that are the same is calm', async () => {
    await mounted(compared('same'));
    expect(one('.jxv-compared-summary').textContent).toMatch(
      /^=Both programs are the same: \d+ eqns$/,
    );
    expect(button('Next change')).toBeUndefined();
    expect(texts('[role=treeitem] .jxv-sign')).toEqual([]);
    click(one('.jxv-menu-more button'));
    expect(entries('menuitemradio')).not.toContain('change');
  });
});

describe('the text of a comparison', () => {
  const still = { hover: () => {}, choose: () => {}, step: () => false };

  /** `added    b:f32[8] = tan a`: lines by what is behind them, and the signs before them. */
  function drawn(name: string): { lines: string[]; signs: string } {
    const program = compared(name);
    const differences = differencesOf(program);
    const look = { wrap: true, tints: null, heat: null, differences };
    const pane = textPane(host, program.stages[0] as Stage, still, look);
    const lines = [...host.querySelectorAll('.cm-line')].map(({ className, textContent }) => {
      const kind = /jxv-d-(?!line)(\w+)/.exec(className)?.[1] ?? '';
      return `${kind.padEnd(8)}${textContent}`;
    });
    const signs = texts('.jxv-d-gutter .jxv-d-sign').join('');
    pane.destroy();
    return { lines, signs };
  }

  test('has a sign and a ground on each line that differs', () => {
    expect(drawn('replaced')).toMatchInlineSnapshot(`
      {
        "lines": [
          "same    { lambda ; x:f32[8]. let",
          "removed     b_:f32[8] = cos x",
          "added       b:f32[8] = tan x",
          "same        c:f32[8] = sin b",
          "same        d:f32[8] = mul c x",
          "same      in (d,) }",
        ],
        "signs": "−+",
      }
    `);
  });

  test('of an eqn with bodies tells on its first line alone that it differs', () => {
    expect(drawn('shape').lines.slice(3, 20)).toMatchInlineSnapshot(`
      [
        "same    { lambda ; params[0]:f32[4,4] params[1]:f32[4,4] x=e:f32[8→5,4] y=f:f32[8→5,4]. let",
        "retyped     g:f32[8→5,4] = dot_general[dimension_numbers=(((1,), (0,)), ((), ()))] e params[0]",
        "retyped     h:f32[8→5,4] = custom_jvp_call[",
        "same          jvp_jaxpr_fun=jvp",
        "same          body={ lambda ; x=i:f32[8→5,4]. let",
        "retyped           j:f32[8→5,4] = jit[",
        "same                name=relu",
        "same                body=relu",
        "same              ] i",
        "same            in (j,) }",
        "same        ] g",
        "retyped     k:bool[8→5,4] = gt g 0.0:f32[]",
        "retyped     _:f32[8→5,4] = broadcast_in_dim[shape=(8, 4) → (5, 4)] 0.0:f32[]",
        "retyped     l:f32[8→5,4] = dot_general[dimension_numbers=(((1,), (0,)), ((), ()))] h params[1]",
        "retyped     m:f32[8→5,4] = custom_jvp_call[",
        "same          jvp_jaxpr_fun=jvp",
        "same          body={ lambda ; x=n:f32[8→5,4]. let",
      ]
    `);
  });
});
