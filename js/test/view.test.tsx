import { act } from 'preact/test-utils';
import { describe, expect, test, vi } from 'vitest';
import type { Program, Stage } from '../src/schema';
import { mount } from '../src/shell';
import { SOURCE } from '../src/shell/parts/host-events';
import { english, golden } from './fixtures';
import { choose } from './menus';
import { button, click, ending, host, mounted, one, press, row, type } from './page';
import { until } from './until';

const show = (program: Program | Promise<Program>, partial = '') =>
  mounted(program, {
    partial: partial === '' ? null : english(partial),
    opening: { stage: 'jaxpr' },
  });

describe('while there is no program', () => {
  test('one line says that it is on its way', () => {
    act(() =>
      mount(
        host,
        {
          program: new Promise(() => {}),
          partial: null,
          opening: { stage: 'jaxpr' },
          kernel: null,
        },
        ending.signal,
      ),
    );
    expect(host.textContent).toBe('Reading the program…');
  });

  test('a failure is one sentence in place, as text', async () => {
    await show(Promise.reject(new Error('<b>It is of format 2.</b>')));
    expect(host.textContent).toBe('jaxviz cannot show this program. <b>It is of format 2.</b>');
  });

  test('what cannot be drawn is one sentence in place', async () => {
    const program = golden('lesson');
    Object.assign(program.stages[0]?.graphs[0] as object, { groups: null });
    const complaint = vi.spyOn(console, 'error').mockImplementation(() => {});
    await show(program);
    expect(host.textContent).toContain('jaxviz cannot show this program. ');
    expect(complaint).toHaveBeenCalled();
    complaint.mockRestore();
  });

  test('a stage that could not be made says why', async () => {
    const program = golden('lesson');
    Object.assign(program.stages[0] as object, {
      error: english('JAX has no line for it.'),
      graphs: [],
    });
    await show(program);
    expect(one('.jxv-reason').textContent).toBe('JAX has no line for it.');
  });
});

describe('the view', () => {
  test('is a region with its name, signature, stage and counts', async () => {
    await show(golden('scan_with_cond'));
    expect(one('section').getAttribute('aria-label')).toBe('JAX program scan_with_cond');
    expect(one('.jxv-name').textContent).toBe('scan_with_cond');
    expect(one('.jxv-signature').textContent).toBe(
      '(xs: f32[5,3], bias: f32[3]) → (f32[3], f32[5])',
    );
    expect(one('[role=tab]').textContent).toBe('Jaxpr');
    expect(host.querySelector('.jxv-counts')).toBeNull();
    await show(golden('train_step'));
    expect(one('.jxv-counts').textContent).toMatch(/^\d+ eqns$/);
  });

  test('its heading says what is fixed in the program, where anything is', async () => {
    await show(golden('lesson'));
    const fixed = [{ path: 'upper', text: '<b>9</b>', kind: 'closed over' }];
    await show({ ...golden('lesson'), fixed });
    expect(one('.jxv-signature').textContent).toBe('(x: f32[4], upper=<b>9</b>) → f32[]');
    expect(one('.jxv-signature').title).toContain('constant: upper=<b>9</b>');
  });

  test('selecting shows the details, lights the text and is announced', async () => {
    await show(golden('lesson'));
    await until(() => one('.cm-content'));
    click(row('add'));
    expect(row('add').getAttribute('aria-selected')).toBe('true');
    expect(one('.jxv-title').textContent).toBe('d = add b c');
    const facts = [...host.querySelectorAll('.jxv-fact')].map((fact) =>
      [...fact.children].map((child) => child.textContent).join(': '),
    );
    expect(facts).toEqual([
      'in b: f32[4] ← integer_pow',
      'in c: f32[4] ← sin',
      'out d: f32[4] → reduce_sum',
      'work: 4 flops (26.7 % of the program)',
      'moves: 48 bytes (36.4 % of the program)',
      'intensity: 0.08 flops per byte',
    ]);
    expect(one('.jxv-l-selected').textContent?.trim()).toBe('d:f32[4] = add b c');
    expect(one('[role=status]').textContent).toBe(
      'Selected d = add b c, f32[4], from integer_pow and sin, to reduce_sum',
    );
  });

  test('a link in the details goes there', async () => {
    await show(golden('lesson'));
    click(row('add'));
    click(button('sin'));
    expect(one('.jxv-title').textContent).toBe('c = sin x');
  });

  test('a line of a cell is offered to the host as an event, a line of a file is text', async () => {
    const program = golden('lesson');
    await show(program);
    click(row('sin'));
    expect(host.querySelector('.jxv-source .jxv-link')).toBeNull();

    const [stage] = program.stages as [Stage];
    const frames = stage.frames.map((frame) => ({ ...frame, cell: 'c7', count: 3 }));
    await show({ ...program, stages: [{ ...stage, frames }] });
    const asked: unknown[] = [];
    host.addEventListener(SOURCE, (event) => asked.push((event as CustomEvent).detail));
    click(row('sin'));
    click(one('.jxv-source .jxv-link'));
    expect(asked).toMatchObject([{ cell: 'c7', line: stage.frames[1]?.line }]);
  });

  test('find counts, Enter and Shift+Enter step around, Escape clears', async () => {
    await show(golden('lesson'));
    type('f32[4]');
    expect(one('.jxv-found').textContent).toBe('4');
    press(one('input'), 'Enter');
    expect(one('.jxv-found').textContent).toBe('1/4');
    press(one('input'), 'Enter', { shiftKey: true });
    expect(one('.jxv-found').textContent).toBe('4/4');
    click(button('Next match'));
    expect(one('.jxv-found').textContent).toBe('1/4');
    type('no such thing');
    expect(one('.jxv-found').textContent).toBe('none');
    expect(button('Next match').hasAttribute('disabled')).toBe(true);
    press(one('input'), 'Escape');
    expect((one('input') as HTMLInputElement).value).toBe('');
    expect(button('Next match')).toBeUndefined();
  });

  test('/ and Ctrl+F anywhere in it go to find, and the host does not hear them', async () => {
    await show(golden('lesson'));
    const heard: string[] = [];
    const listen = (event: KeyboardEvent) => heard.push(event.key);
    document.addEventListener('keydown', listen);
    press(row('sin'), '/');
    expect(document.activeElement).toBe(one('input'));
    one('input').blur();
    press(row('sin'), 'f', { ctrlKey: true });
    expect(document.activeElement).toBe(one('input'));
    expect(heard).toEqual([]);
    document.removeEventListener('keydown', listen);
  });

  test('expand and collapse all', async () => {
    await show(golden('scan_with_cond'));
    choose('Collapse all');
    const few = host.querySelectorAll('[role=treeitem]').length;
    choose('Expand all');
    const many = host.querySelectorAll('[role=treeitem]').length;
    expect([few, many]).toEqual([6, 28]);
  });

  test('the separator moves with the arrow keys, within bounds', async () => {
    await show(golden('lesson'));
    press(one('[role=separator]'), 'ArrowLeft');
    expect(one('[role=separator]').getAttribute('aria-valuenow')).toBe('61');
    for (let times = 0; times < 20; times++) press(one('[role=separator]'), 'ArrowLeft');
    expect(one('[role=separator]').getAttribute('aria-valuenow')).toBe('15');
  });

  test('what was left out of the data is said', async () => {
    await show(golden('lesson'), 'Run the cell again to see its bodies.');
    expect(one('.jxv-counts').textContent).toBe('saved in part');
    expect(one('.jxv-note').textContent).toBe('Run the cell again to see its bodies.');
  });

  test('hostile names are text, and no id or name comes from a program', async () => {
    await show(golden('hostile'));
    choose('Expand all');
    click(row('jit'));
    expect(host.querySelector('img:not(.cm-widgetBuffer), script')).toBeNull();
    expect(one('.jxv-title').textContent).toContain('<img src=x onerror=alert(1)>');
    expect(host.querySelectorAll('[id], [name]')).toHaveLength(0);
  });

  test('aborting leaves nothing behind', async () => {
    await show(golden('lesson'));
    act(() => ending.abort());
    expect(host.childElementCount).toBe(0);
    mount(
      host,
      {
        program: Promise.resolve(golden('lesson')),
        partial: null,
        opening: { stage: 'jaxpr' },
        kernel: null,
      },
      ending.signal,
    );
    expect(host.childElementCount).toBe(0);
  });
});
