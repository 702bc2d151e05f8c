import { type FunctionComponent, h, render } from 'preact';
import { expect, test } from 'vitest';
import { later } from '../src/shell/parts/deferred';
import { until } from './until';

test('code that comes after a view was drawn, and before it asked, is shown in it too', async () => {
  let arrive: ((code: FunctionComponent) => void) | undefined;
  const Shown = later(
    () =>
      new Promise<FunctionComponent>((resolve) => {
        arrive = resolve;
      }),
  );
  const [first, second] = [document.createElement('p'), document.createElement('p')];
  render(<Shown />, first);
  await until(() => arrive);
  arrive?.(() => h('b', null, 'here'));
  render(<Shown />, second);
  await until(() => first.textContent === 'here' && second.textContent === 'here');
  expect(second.innerHTML).toBe('<b>here</b>');
});
